"""A progress bar on standard error, for work that lasts and a person who waits.

Nothing is drawn, and rich is not loaded, before the work has taken a moment; never in a pipe.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from rich.progress import Progress, TaskID

PATIENCE = 0.3
_EVERY = 0.1


class _Bar:
    """A bar that appears when patience ends."""

    def __init__(self, label: str, total: int | None, patience: float) -> None:
        self._label = label
        self._total = total
        self._due = time.monotonic() + patience
        self._drawn: tuple[Progress, TaskID] | None = None
        self._reached = 0

    def moved(self, reached: int) -> None:
        """The work has come this far."""
        self._reached = reached
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + _EVERY
        progress, task = self._drawn or self._begin()
        progress.update(task, completed=reached, total=self._total)

    def stepped(self, reached: int, total: int) -> None:
        """The work has come this far of what there is."""
        self._total = total
        self.moved(reached)

    def _begin(self) -> tuple[Progress, TaskID]:
        from rich.console import Console  # noqa: PLC0415 - rich is for a person alone
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        progress = Progress(*columns, console=Console(file=sys.stderr))
        progress.start()
        self._drawn = progress, progress.add_task(self._label, total=self._total)
        return self._drawn

    def stop(self) -> None:
        """The work has ended, well or not."""
        if self._drawn:
            progress, task = self._drawn
            progress.update(task, completed=self._reached)
            progress.stop()


@contextmanager
def watching(
    label: str, total: Callable[[], int | None], *, quiet: bool = False, patience: float = PATIENCE
) -> Generator[Callable[[int], None]]:
    """Something to call with how far the work has come; `total` is asked only if somebody watches."""
    if quiet or not sys.stderr.isatty():
        yield _unseen
        return
    bar = _Bar(label, total(), patience)
    try:
        yield bar.moved
    finally:
        bar.stop()


@contextmanager
def watching_steps(
    label: str, *, quiet: bool = False, patience: float = PATIENCE
) -> Generator[Callable[[int, int], None]]:
    """The same for work that says how much there is as it goes."""
    if quiet or not sys.stderr.isatty():
        yield _unseen_step
        return
    bar = _Bar(label, None, patience)
    try:
        yield bar.stepped
    finally:
        bar.stop()


def _unseen_step(_done: int, _all: int) -> None:
    """See below."""


def _unseen(_: int) -> None:
    """Progress that nobody watches."""
