"""How a store's file comes into the world: whole, or not at all.

Until the first write has committed there is no file. That write runs in memory; its commit is
copied beside the place, flushed, and linked there in one step. A lock on the folder lets one
process at a time try, so that no two first writes overwrite each other; a crash leaves at most
a temporary file, which the next birth removes.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from lukasa.db import sqlite_file

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path


@contextmanager
def turn(folder: Path) -> Generator[None]:
    """This process's turn to make a file in the folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def publish(memory: apsw.Connection, path: Path) -> None:
    """Put the database that is in memory where `path` says, if nothing is there yet."""
    unfinished = path.with_name(f".{path.name}.unborn")
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        _copy(memory, unfinished)
        os.link(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    flush_folder(path.parent)


def _copy(source: apsw.Connection, target: Path) -> None:
    copy = apsw.Connection(str(target))
    copy.execute("PRAGMA synchronous = full")
    with copy.backup("main", source, "main") as backup:
        backup.step()
    copy.close()


def copy_aside(source: Path, target: Path, *, wait: int) -> None:
    """A verified copy of a live store, complete under its name or not there at all."""
    unfinished = target.with_name(f".{target.name}.unborn")
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    reader = sqlite_file.open_reader(source, wait=wait)
    try:
        _copy(reader, unfinished)
    finally:
        reader.close()
    unfinished.replace(target)
    flush_folder(target.parent)


def flush_folder(folder: Path) -> None:
    """Make the folder's own entries survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
