"""One command as a value: its words, its arguments, and what it does. Its name stands in `overview`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Outcome


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A command: `about` is its paragraph, `examples` are there to be copied."""

    about: str
    examples: tuple[str, ...]
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Call], Outcome]
    owner: str = "--agent"
    """The option that says whose memory is meant."""
