"""The SQLite file on disk: whether it is ours, and how its connections are opened.

A file is looked at before SQLite may touch it: one that is not a Lukasa store, or is cut short,
is refused unmodified. The file is private to its owner (0600), and so is a folder that we make
(0700). Settings follow APSW's bestpractice, without its import, which costs more than the rest of a start.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import apsw

from lukasa.errors import StoreDamagedError, StoreForeignError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

APPLICATION_ID = 0x4C554B41
_MAGIC = b"SQLite format 3\x00"
_HEADER = 100


def exists(path: Path) -> bool:
    """Whether a store is there to open; what is there and is not a store is refused."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UsageError(
            f"The store path {path} cannot be read: {error.strerror}.", fix="Check it."
        ) from error
    if path.is_dir():
        raise UsageError(f"A store file was wanted, found the folder {path}.", fix="Name a file in it.")
    if size:
        _check_header(path, size)
    return True


def _check_header(path: Path, size: int) -> None:
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if not header.startswith(_MAGIC[: len(header)]):
        raise _foreign(path)
    if len(header) < _HEADER:
        raise _damaged(path, "its header is cut short")
    page = int.from_bytes(header[16:18])
    pages = int.from_bytes(header[28:32])
    if size < pages * (65536 if page == 1 else page) and not _beside(path, "-wal").exists():
        raise _damaged(path, f"it should hold {pages} pages and is {size} bytes long")
    if int.from_bytes(header[68:72]) != APPLICATION_ID and not _is_blank(path):
        raise _foreign(path)


def _is_blank(path: Path) -> bool:
    """Whether a SQLite file without our mark is empty, as one is whose making was cut off."""
    try:
        connection = apsw.Connection(_uri(path, "mode=ro&immutable=1"), flags=_READER | apsw.SQLITE_OPEN_URI)
        blank = connection.pragma("schema_version") == 0 and not _beside(path, "-wal").exists()
        connection.close()
    except apsw.Error as error:
        raise _foreign(path) from error
    return blank


def _foreign(path: Path) -> StoreForeignError:
    return StoreForeignError(
        f"{path} is not a Lukasa store; it was left as it is.", fix="Give another path with --store."
    )


def _damaged(path: Path, reason: str) -> StoreDamagedError:
    return StoreDamagedError(f"{path} is damaged: {reason}.", fix="Restore it from a backup or an export.")


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _uri(path: Path, query: str) -> str:
    return f"{path.resolve().as_uri()}?{query}"


_READER = apsw.SQLITE_OPEN_READONLY
_WRITER = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


def make_folder(folder: Path) -> None:
    """The store's folder, private where we make it."""
    if not folder.exists():
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)


def open_writer(path: Path, *, wait: int) -> apsw.Connection:
    """The connection that writes, durable at each commit."""
    if not path.stat().st_size:
        path.chmod(0o600)
    connection = apsw.Connection(str(path), flags=_WRITER)
    _settle(connection, wait)
    if not connection.readonly("main"):
        if connection.pragma("schema_version") == 0:
            _lay_out(connection)
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "full")
        connection.pragma("secure_delete", "on")
    return connection


def open_reader(path: Path, *, wait: int) -> apsw.Connection:
    """A connection that cannot write; on a read-only medium, one that takes no locks either."""
    sealed = not os.access(path.parent, os.W_OK) and not _beside(path, "-wal").exists()
    query = "mode=ro&immutable=1" if sealed else "mode=ro"
    connection = apsw.Connection(_uri(path, query), flags=_READER | apsw.SQLITE_OPEN_URI)
    _settle(connection, wait)
    return connection


def open_memory() -> apsw.Connection:
    """A database that is nowhere on disk yet."""
    connection = apsw.Connection(":memory:")
    _settle(connection, 0)
    _lay_out(connection)
    return connection


def _lay_out(connection: apsw.Connection) -> None:
    """What can be chosen only before the first page is written."""
    connection.pragma("auto_vacuum", "incremental")
    connection.pragma("application_id", APPLICATION_ID)


def _settle(connection: apsw.Connection, wait: int) -> None:
    connection.set_busy_timeout(wait)
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
