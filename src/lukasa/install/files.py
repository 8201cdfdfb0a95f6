"""Writing files that belong to somebody else: whole or not at all, with a copy of what they were beside them.

A link stays a link, a mode stays the mode, and what changed meanwhile is not written over.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from lukasa.errors import ConflictError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

_PRIVATE = 0o600


def read(path: Path) -> str | None:
    """The text of a file, or None where there is none."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text; it was not touched.", fix="Look at the file.") from error


def backup_of(path: Path) -> Path:
    """Where the copy of a file stands, as it was before Lukasa was put in."""
    return path.with_name(f"{path.name}.before-lukasa")


def write(path: Path, before: str | None, after: str | None) -> None:
    """Puts a text in the place of another, or takes the file away; refused if it is not as it was read."""
    place = path.resolve()
    if read(place) != before:
        raise ConflictError(f"{path} was changed meanwhile.", fix="Do it again.")
    if after is None:
        place.unlink(missing_ok=True)
        with suppress(OSError):  # somebody else keeps something there
            place.parent.rmdir()
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    mode = place.stat().st_mode & 0o777 if before is not None else _PRIVATE
    unfinished = place.with_name(f".{place.name}.{os.getpid()}.unfinished")
    try:
        _put(unfinished, after, mode)
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)


def keep_copy(path: Path, text: str) -> None:
    """The copy of what a file was, if none stands there yet."""
    copy = backup_of(path.resolve())
    if not copy.exists():
        _put(copy, text, path.resolve().stat().st_mode & 0o777)


def _put(path: Path, text: str, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, mode)
        file.write(text.encode())
        file.flush()
        os.fsync(descriptor)
