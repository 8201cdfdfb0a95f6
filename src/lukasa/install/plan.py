"""What an installation does to each file, worked out before anything is written, and then done.

Always true: done twice is done once; taken back, each file is what it was; one file that cannot be changed,
and none is.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lukasa.install import files
from lukasa.install.assistants import OURS_ALONE, Calling, installed, removed, said, targets

if TYPE_CHECKING:
    from lukasa.hooks.contracts import Assistant
    from lukasa.install.assistants import Target

# A program in one of these folders is there for one run only.
_FOR_ONE_RUN = ({"archive-v0"}, {"environments-v2"}, {"builds-v0"}, {"pipx", ".cache"})
_BY_UVX = ("uvx", "--from", "lukasa[mcp]", "lukasa")


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One file: what stands in it, and what will; None where there is no file."""

    path: Path
    before: str | None
    after: str | None
    copy: bool = False
    """Whether what stands there now is to be kept beside it: it names Lukasa nowhere yet."""

    @property
    def needed(self) -> bool:
        """Whether anything is to be done."""
        return self.before != self.after


def calling(options: tuple[str, ...], hook_options: tuple[str, ...], *, shared: bool) -> Calling:
    """How the assistant will call Lukasa: by its place on this machine, or where files are shared by name."""
    words = program(shared=shared)
    return Calling(server=(*words, "mcp"), hook=(*words, "hook"), options=options, hook_options=hook_options)


def program(*, shared: bool) -> tuple[str, ...]:
    """The words that start Lukasa."""
    if shared and shutil.which("lukasa"):
        return ("lukasa",)
    beside = Path(sys.executable).with_name("lukasa")
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("lukasa")
    if shared or found is None or any(marks <= set(Path(found).parts) for marks in _FOR_ONE_RUN):
        return _BY_UVX
    return (found,)


def install_changes(assistant: Assistant, project: Path | None, call: Calling) -> list[Change]:
    """What putting Lukasa into an assistant's files would change."""
    changes: list[Change] = []
    for target in targets(assistant, project):
        before = files.read(target.path)
        after = installed(assistant, target.form, before, call, str(target.path))
        clean = before is not None and removed(assistant, target.form, before, str(target.path)) == before
        changes.append(Change(path=target.path, before=before, after=after, copy=clean))
    return changes


def uninstall_changes(assistant: Assistant, project: Path | None) -> list[Change]:
    """What taking Lukasa out of an assistant's files would change."""
    return [
        _taken_out(assistant, target, before)
        for target in targets(assistant, project)
        if (before := files.read(target.path)) is not None
    ]


def _taken_out(assistant: Assistant, target: Target, before: str) -> Change:
    form, where = target.form, str(target.path)
    bare = removed(assistant, form, before, where)
    kept = files.read(files.backup_of(target.path.resolve()))
    after: str | None = bare
    if kept is not None and said(form, kept, where) == said(form, bare, where):
        # Nobody else changed it since: what it was stands again, to the byte.
        after = kept
    elif kept is None and bare != before and said(form, bare, where) in OURS_ALONE:
        after = None
    return Change(path=target.path, before=before, after=after)


def carry_out(changes: list[Change], *, uninstall: bool) -> None:
    """Writes what is to be changed."""
    for change in changes:
        if not change.needed:
            continue
        if change.copy and change.before is not None:
            files.keep_copy(change.path, change.before)
        files.write(change.path, change.before, change.after)
        if uninstall:
            files.backup_of(change.path.resolve()).unlink(missing_ok=True)
