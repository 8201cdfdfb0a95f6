"""PostgreSQL through psycopg 3: one schema, a pool of connections.

Always true: each thread's transaction has a connection of its own; a read transaction sees one
snapshot (repeatable read); after a fork the child makes a pool of its own and leaves the
parent's sockets alone. The schema is named by `?schema=` in the URL, `lukasa` by default, so
that many stores can share one database.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, LiteralString, cast
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from lukasa.db.database import Dialect, Row, Value
from lukasa.db.migrate import Migration, pending
from lukasa.db.queries import Query, load
from lukasa.errors import (
    ConflictError,
    LukasaError,
    MissingExtraError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreForeignError,
    StoreNotWritableError,
    UsageError,
)

try:
    import psycopg
    from psycopg import errors as sql_errors
    from psycopg import sql
    from psycopg.rows import TupleRow, tuple_row
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError as error:
    raise MissingExtraError(wanted="A PostgreSQL store", extra="postgres") from error

if TYPE_CHECKING:
    from collections.abc import Generator

    from lukasa.clock import Clock

Connection = psycopg.Connection[TupleRow]


class _Local(threading.local):
    """The connection of the transaction that this thread is in, and whether it may write."""

    active: Connection | None = None
    writes: bool = False


class PostgresDatabase:
    """One schema of a PostgreSQL database behind the `Database` protocol."""

    def __init__(self, url: str, *, clock: Clock, size: int = 10) -> None:
        self._url, self._schema = _split(url)
        self._clock = clock
        self._size = size
        self._queries = load("postgres")
        self._local = _Local()
        self._gate = threading.Lock()
        self._pool: ConnectionPool[Connection] | None = None
        self._pid = 0
        self._forked: list[ConnectionPool[Connection]] = []
        with _translated(self.location):
            self._bring_up_to_date()

    @property
    def dialect(self) -> Dialect:
        """Always postgres."""
        return "postgres"

    @property
    def location(self) -> str:
        """The URL, without its password."""
        parts = urlsplit(self._url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, f"schema={self._schema}", ""))

    def rows(self, query: str, /, **values: Value) -> list[Row]:
        """Every row that the named query gives."""
        found = self._queries[query]
        with _translated(self.location):
            active = self._active()
            if active is not None:
                return _run(active, found, values)
            with self._connections().connection() as connection:
                return _run(connection, found, values)

    def row(self, query: str, /, **values: Value) -> Row | None:
        """The first row that the named query gives, or None."""
        found = self.rows(query, **values)
        return found[0] if found else None

    @contextmanager
    def transaction(self, *, write: bool = True) -> Generator[None]:
        """All or nothing for this thread; `write=False` holds one moment to read from."""
        active = self._active()
        with _translated(self.location):
            if active is None:
                yield from self._outermost(write)
            elif write and not self._local.writes:
                raise StoreError(
                    "A write was wanted inside a read transaction.", fix="Open it with write=True."
                )
            else:
                with active.transaction():
                    yield

    def _outermost(self, write: bool) -> Generator[None]:
        with self._connections().connection() as connection, connection.transaction():
            connection.execute(_BEGIN_WRITE if write else _BEGIN_READ)
            self._local.active, self._local.writes = connection, write
            try:
                yield
            finally:
                self._local.active, self._local.writes = None, False

    def problems(self) -> list[str]:
        """What the engine itself finds wrong: nothing to ask here; PostgreSQL checks as it reads."""
        return []

    def scrub(self) -> list[str]:
        """Wipe what deleted rows left behind; say what could not be wiped now, and what would."""
        if self._active() is not None:
            return []
        with _translated(self.location), self._connections().connection() as connection:
            for table in ("entries", "names", "tags", "edges", "history"):
                connection.execute(sql.SQL("VACUUM {}").format(sql.Identifier(self._schema, table)))
        return ["the server's write-ahead log and its backups, which its own retention clears"]

    def close(self) -> None:
        """Let go of every connection. A later call opens them again."""
        with self._gate:
            if self._pool is not None and self._pid == os.getpid():
                self._pool.close()
            self._pool = None

    def _active(self) -> Connection | None:
        """The connection of this thread's transaction; one that a fork carried in is not ours."""
        return self._local.active if self._pid == os.getpid() else None

    def _connections(self) -> ConnectionPool[Connection]:
        """This process's pool; a pool from before a fork is kept, unused, so that nothing closes it."""
        if self._pool is not None and self._pid == os.getpid():
            return self._pool
        with self._gate:
            if self._pool is None or self._pid != os.getpid():
                if self._pool is not None:
                    self._forked.append(self._pool)
                    self._local = _Local()
                self._pool, self._pid = self._new_pool(), os.getpid()
            return self._pool

    def _new_pool(self) -> ConnectionPool[Connection]:
        return ConnectionPool(
            self._url,
            connection_class=psycopg.Connection[TupleRow],
            kwargs={
                "autocommit": True,
                "row_factory": tuple_row,
                "options": f"-c search_path={self._schema},public -c timezone=UTC",
            },
            min_size=1,
            max_size=self._size,
            open=True,
            timeout=15,
        )

    # -- schema -------------------------------------------------------------------------------

    def _bring_up_to_date(self) -> None:
        with self._connections().connection() as connection:
            steps = pending("postgres", self._ledger(connection), self.location)
            if not steps:
                return
            self._check_ours(connection, steps[0])
            for step in steps:
                self._apply(connection, step)

    def _check_ours(self, connection: Connection, first: Migration) -> None:
        if first.version == 1 and _run(connection, self._queries["schema_tables"], {"schema": self._schema}):
            raise StoreForeignError(
                f"The schema {self._schema} holds tables of something else; it was left as it is.",
                fix="Name another: add ?schema=NAME to the URL.",
            )

    def _apply(self, connection: Connection, step: Migration) -> None:
        """One migration with its ledger row, unless another process was faster."""
        with connection.transaction():
            _run(connection, self._queries["lock_schema"], {"schema": self._schema})
            connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(self._schema)))
            if step.version <= len(self._ledger(connection)):
                return
            connection.execute(cast("LiteralString", step.sql), prepare=False)
            _run(
                connection,
                self._queries["add_migration"],
                {
                    "version": step.version,
                    "name": step.name,
                    "checksum": step.checksum,
                    "now": self._clock.now(),
                },
            )

    def _ledger(self, connection: Connection) -> list[Row]:
        if not _run(connection, self._queries["ledger_exists"], {}):
            return []
        return _run(connection, self._queries["list_migrations"], {})


_BEGIN_WRITE = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"
_BEGIN_READ = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


def _split(url: str) -> tuple[str, str]:
    """The URL as the driver takes it, and the schema that it named."""
    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    schema = options.pop("schema", "lukasa")
    if not schema.isidentifier() or not schema.isascii():
        raise UsageError(f"A schema name was wanted, found {schema!r}.", fix="Use letters, digits and _.")
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(options), "")), schema


def _run(connection: Connection, query: Query, values: dict[str, Value]) -> list[Row]:
    cursor = connection.execute(cast("LiteralString", query.percent_style), values)
    if cursor.description is None:
        return []
    columns = {column.name: index for index, column in enumerate(cursor.description)}
    return [Row(columns, row) for row in cursor]


_MEANINGS: tuple[tuple[type[Exception], type[LukasaError], str, str], ...] = (
    (
        sql_errors.IntegrityError,
        ConflictError,
        "refused a row that breaks its rules",
        "Read it again and retry.",
    ),
    (sql_errors.DeadlockDetected, StoreBusyError, "is held by another writer", "Try again."),
    (sql_errors.SerializationFailure, StoreBusyError, "is held by another writer", "Try again."),
    (sql_errors.LockNotAvailable, StoreBusyError, "is held by another writer", "Try again."),
    (
        sql_errors.ReadOnlySqlTransaction,
        StoreNotWritableError,
        "is read-only",
        "Connect to the primary server.",
    ),
    (
        sql_errors.InsufficientPrivilege,
        StoreNotWritableError,
        "may not be written",
        "Grant the role its rights.",
    ),
    (sql_errors.DiskFull, StoreNotWritableError, "could not grow: the disk is full", "Free some space."),
    (sql_errors.DataCorrupted, StoreDamagedError, "is damaged", "Restore it from a backup or an export."),
    (PoolTimeout, StoreBusyError, "gave no connection in time", "Check that the server runs; try again."),
    (psycopg.OperationalError, StoreError, "did not answer", "Check that the server runs, and the URL."),
)


@contextmanager
def _translated(location: str) -> Generator[None]:
    """Lets no driver error out: each becomes the one of ours that says what to do."""
    try:
        yield
    except (psycopg.Error, PoolTimeout) as error:
        for kind, ours, said, fix in _MEANINGS:
            if isinstance(error, kind):
                raise ours(f"The store {location} {said} ({error}).", fix=fix) from error
        raise StoreError(f"The store {location} failed: {error}.", fix="Run `lukasa check`.") from error
