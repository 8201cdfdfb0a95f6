"""The SQLite file on disk: whether it is ours, and how its connections are opened.

A file is looked at before SQLite may touch it: one that is not a Lukasa store, or is cut short,
is refused unmodified. The file is private to its owner (0600), and so is a folder that we make
(0700). Settings follow APSW's bestpractice, without its import, which costs more than the rest of a start.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from lukasa.errors import StoreDamagedError, StoreForeignError, StoreNotWritableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Generator

APPLICATION_ID = 0x4C554B41
_MAGIC = b"SQLite format 3\x00"
_HEADER = 100
_LOOKS = 3
_READER = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
# Seconds between two tries for a lock.
_BETWEEN = 0.0005
_WRITER = apsw.SQLITE_OPEN_READWRITE

Stamp = tuple[int, int, int]


def placed(path: str) -> Path:
    """The whole path, so that the store stays where it is when the process changes its folder."""
    try:
        return Path(path).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"The store path {path!r} leads nowhere: {error}.", fix="Check it.") from error


@contextmanager
def disk(path: Path) -> Generator[None]:
    """Lets no error of the file system out: it becomes one of ours."""
    try:
        yield
    except OSError as error:
        raise StoreNotWritableError(
            f"The store {path} could not be written or read: {error.strerror} ({error.filename}).",
            fix="Check the folder, its permissions and the space on the disk.",
        ) from error


def exists(path: Path) -> bool:
    """Whether a store is there to open; what is there and is not a store is refused."""
    try:
        if path.is_file():
            _check_header(path)
            return True
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise StoreNotWritableError(
            f"The store {path} cannot be read: {error.strerror}.", fix="Check its permissions."
        ) from error
    kind = "a folder" if path.is_dir() else f"something else (mode {found.st_mode:o})"
    raise UsageError(f"A store file was wanted, found {kind} at {path}.", fix="Name a file.")


def _check_header(path: Path) -> None:
    """The file's own word for what it is; its length is held against it."""
    short = 0
    for look in range(_LOOKS):
        # Another process may be moving its write-ahead log into the file: looked at again, it fits.
        time.sleep(0.05 * look)
        short = _short_by(path)
        if short <= 0 or beside(path, "-wal").exists():
            return
    raise _damaged(path, f"it is {short} bytes shorter than it should be")


def _short_by(path: Path) -> int:
    with path.open("rb") as file:
        header = file.read(_HEADER)
        size = os.fstat(file.fileno()).st_size
    if not header:
        raise _damaged(path, "it is empty (delete it to begin anew)")
    if not header.startswith(_MAGIC[: len(header)]):
        raise _foreign(path)
    if len(header) < _HEADER:
        raise _damaged(path, "its header is cut short")
    if int.from_bytes(header[68:72]) != APPLICATION_ID:
        raise _foreign(path)
    return _size_by(header) - size


def _size_by(header: bytes) -> int:
    page = int.from_bytes(header[16:18])
    return int.from_bytes(header[28:32]) * (65536 if page == 1 else page)


def _foreign(path: Path) -> StoreForeignError:
    return StoreForeignError(
        f"{path} is not a Lukasa store; it was left as it is.", fix="Give another path with --store."
    )


def _damaged(path: Path, reason: str) -> StoreDamagedError:
    return StoreDamagedError(f"{path} is damaged: {reason}.", fix="Restore it from a backup or an export.")


def beside(path: Path, suffix: str) -> Path:
    """A file that SQLite keeps beside the store."""
    return path.with_name(path.name + suffix)


def seal(path: Path) -> Stamp | None:
    """What a file that we can only look at is like now; None where its locks can be taken as usual."""
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        return None
    if beside(path, "-wal").exists():
        return None
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def open_writer(path: Path, *, wait: int) -> apsw.Connection:
    """The connection that writes, durable at each commit."""
    if path.exists() and not os.access(path, os.W_OK):
        # SQLite would open it all the same, and leave files beside it that it may not clear away.
        raise StoreNotWritableError(
            f"The store {path} is read-only.", fix="Copy it to a place that you may write to."
        )
    connection = apsw.Connection(str(path), flags=_WRITER)
    _settle(connection, wait)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.pragma("secure_delete", "on")
    return connection


def open_reader(path: Path, *, wait: int) -> tuple[apsw.Connection, Stamp | None]:
    """A connection that cannot write; on a read-only medium, one that takes no locks either.

    It is told not to write, and not opened so: only then does the last one out leave a single file.
    """
    with disk(path):
        stamp = seal(path)
    if stamp is None:
        connection = apsw.Connection(str(path), flags=_WRITER)
        connection.pragma("query_only", 1)
    else:
        connection = apsw.Connection(f"{path.as_uri()}?mode=ro&immutable=1", flags=_READER)
    _settle(connection, wait)
    return connection, stamp


def open_memory() -> apsw.Connection:
    """A database that is nowhere on disk yet."""
    connection = apsw.Connection(":memory:")
    _settle(connection, 0)
    connection.pragma("auto_vacuum", "incremental")
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("secure_delete", "on")
    return connection


class _Patience:
    """Asks for a lock again and again until the wait is over.

    SQLite's own timer asks ever less often, up to ten times a second: beside a few who write without a pause,
    that one would wait for seconds.
    """

    def __init__(self, wait: int) -> None:
        self._wait = wait / 1_000
        self._until = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._until = now + self._wait
        if now >= self._until:
            return False
        time.sleep(_BETWEEN)
        return True


def _settle(connection: apsw.Connection, wait: int) -> None:
    connection.set_busy_handler(_Patience(wait))
    connection.pragma("foreign_keys", 1)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    for name, function in (("strpos", _strpos), ("lower", _lower)):
        connection.create_scalar_function(name, function, deterministic=True)


def _strpos(*texts: object) -> int:
    """PostgreSQL's `strpos`, so that both engines read the same query."""
    text, part = texts
    return 0 if text is None or part is None else str(text).find(str(part)) + 1


def _lower(*texts: object) -> str | None:
    """Lower case beyond ASCII, as PostgreSQL has it."""
    return None if texts[0] is None else str(texts[0]).lower()
