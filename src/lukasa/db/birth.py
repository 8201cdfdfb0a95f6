"""How a store's file comes into the world: whole, or not at all.

Until the first write has committed there is no file. That write runs in memory; its commit is
copied beside the place, flushed, and linked there in one step. A lock on the nearest folder lets one
process at a time try, so that no two first writes overwrite each other; a crash leaves at most
a temporary file, which the next birth removes. What failed leaves nothing, not even a folder.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

import apsw

from lukasa.db import sqlite_file
from lukasa.errors import StoreBusyError, StoreDamagedError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_POLL = 0.005


class _Turns(threading.local):
    """The folders whose turn this thread has, each with the process that took it."""

    def __init__(self) -> None:
        self.taken: set[tuple[int, Path]] = set()


_turns = _Turns()


@contextmanager
def turn(path: Path, *, wait: int) -> Generator[None]:
    """This thread's turn to make the file `path`; it may make others in the same folder meanwhile."""
    process = os.getpid()
    mine = (process, _nearest(path))
    if mine in _turns.taken:
        yield
        return
    descriptor, folder = _lock(path, wait)
    mine = (process, folder)
    _turns.taken.add(mine)
    try:
        yield
    finally:
        _turns.taken.discard(mine)
        if os.getpid() == process:
            # A child that was forked meanwhile shares the lock: closing our end alone would not free it.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _nearest(path: Path) -> Path:
    """The folder of the path that is there already."""
    folder = path.parent
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    return folder


def _lock(path: Path, wait: int) -> tuple[int, Path]:
    deadline = time.monotonic() + wait / 1000
    while True:
        with sqlite_file.disk(path):
            folder = _nearest(path)
            descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            if _try(descriptor) and _nearest(path) == folder and not _is_being_made(folder):
                return descriptor, folder
            os.close(descriptor)
        if time.monotonic() > deadline:
            raise StoreBusyError(
                f"The store {path} is being made by another writer.", fix="Try again when that is done."
            )
        time.sleep(_POLL)


def _is_being_made(folder: Path) -> bool:
    """Whether another's birth has a folder above, as one has that began when this folder was not there."""
    return any(_is_taken(above) for above in folder.parents if (os.getpid(), above) not in _turns.taken)


def _is_taken(folder: Path) -> bool:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except PermissionError:  # then nobody here can have begun in it
        return False
    try:
        return not _try(descriptor)
    finally:
        os.close(descriptor)


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def publish(memory: apsw.Connection, path: Path) -> None:
    """Put the database that is in memory where `path` says, if nothing is there yet."""
    unfinished = path.with_name(f".{path.name}.unborn")
    with _folder_made(path.parent):
        try:
            _copy(memory, unfinished)
            os.link(unfinished, path)
        finally:
            _clear(unfinished)
    flush_folder(path.parent)


def copy_aside(source: Path, target: Path, *, wait: int) -> None:
    """A verified copy of a live store, complete under its name or not there at all."""
    unfinished = target.with_name(f".{target.name}.unborn")
    reader, _ = sqlite_file.open_reader(source, wait=wait)
    try:
        with closing(reader):
            _copy(reader, unfinished)
        _verify(unfinished)
        unfinished.replace(target)
    finally:
        _clear(unfinished)
    flush_folder(target.parent)


def _copy(source: apsw.Connection, target: Path) -> None:
    """The source as a private file that is on disk when this returns."""
    _clear(target)
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with closing(apsw.Connection(str(target))) as copy:
        copy.pragma("synchronous", "full")
        # A copy that is cut off is thrown away: nothing is ever rolled back from a journal of it.
        copy.pragma("journal_mode", "memory")
        with copy.backup("main", source, "main") as backup:
            backup.step()
        # In the mode in which it will be used: the first to open it need not stop all others to change it.
        copy.pragma("journal_mode", "wal")


def _verify(copy: Path) -> None:
    with closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        found = connection.pragma("quick_check")
    if found != "ok":
        raise StoreDamagedError(
            f"The copy {copy} did not come out whole: {found}.", fix="Restore the store from a backup."
        )


def _clear(unfinished: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        sqlite_file.beside(unfinished, suffix).unlink(missing_ok=True)


@contextmanager
def _folder_made(folder: Path) -> Generator[None]:
    """The folder for what is done inside; if that fails, what had to be made for it is taken away again."""
    made: list[Path] = []
    try:
        _make_folder(folder, made)
        yield
    except BaseException:
        for each in reversed(made):
            with suppress(OSError):  # somebody else uses it meanwhile
                each.rmdir()
        raise


def _make_folder(folder: Path, made: list[Path]) -> None:
    """A folder, and each above it that is not there, private where we make it."""
    if folder.exists():
        return
    _make_folder(folder.parent, made)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return
    made.append(folder)
    flush_folder(folder.parent)


def flush_folder(folder: Path) -> None:
    """Make the folder's own entries survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
