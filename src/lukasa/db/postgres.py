"""PostgreSQL through psycopg 3: one schema, a pool of connections.

Always true: each thread's transaction has a connection of its own; a read transaction sees one
snapshot (repeatable read); outside a write transaction the server itself refuses to write; after a
fork the child makes a pool of its own and never speaks on the parent's sockets. The schema is named
by `?schema=` in the URL, `lukasa` by default, so that many stores can share one database.
"""

from __future__ import annotations

import os
import select
import threading
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, LiteralString, cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from lukasa.db.database import Dialect, Row, Value
from lukasa.db.forks import keep_for_ever, refusal
from lukasa.db.migrate import Migration, pending
from lukasa.db.queries import Query, load
from lukasa.errors import (
    MissingExtraError,
    StoreError,
    StoreForeignError,
    StoreNotWritableError,
    UsageError,
)

try:
    import psycopg
    from psycopg import sql
    from psycopg.pq import TransactionStatus
    from psycopg.rows import TupleRow, tuple_row
    from psycopg_pool import ConnectionPool, PoolClosed

    from lukasa.db.postgres_errors import translated
except ImportError as error:
    raise MissingExtraError(wanted="A PostgreSQL store", extra="postgres") from error

if TYPE_CHECKING:
    from collections.abc import Generator

    from lukasa.clock import Clock

Connection = psycopg.Connection[TupleRow]
Pool = ConnectionPool[Connection]

_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"
_HURRIED = "SET LOCAL synchronous_commit = off"
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
_TABLES = ("entries", "names", "tags", "edges", "history", "chunks", "vectors", "recall_events", "outbox")


class _Held:
    """The connection of one thread's transaction, whether it may write, and how deep it is."""

    def __init__(self, connection: Connection, *, location: str, writes: bool) -> None:
        self.connection = connection
        self.location = location
        self.writes = writes
        self.depth = 0
        self._process = os.getpid()

    def check(self) -> None:
        """Refuse to go on in a transaction that a fork carried into this process."""
        if os.getpid() != self._process:
            raise refusal(self.location)

    @contextmanager
    def outermost(self, *, lasting: bool = True) -> Generator[None]:
        """One whole transaction."""
        with self._ended_by("COMMIT", "ROLLBACK"):
            # Inside: an interrupt that comes with its answer must not leave it open.
            self._do(_WRITE if self.writes else _READ)
            if not lasting:
                self._do(_HURRIED)
            yield

    @contextmanager
    def nest(self) -> Generator[None]:
        """A transaction inside another, which can be undone alone."""
        name = f"level_{self.depth}"
        self._do(f"SAVEPOINT {name}")
        with self._ended_by(f"RELEASE {name}", f"ROLLBACK TO {name}; RELEASE {name}"):
            yield

    @contextmanager
    def _ended_by(self, commit: str, rollback: str) -> Generator[None]:
        self.depth += 1
        try:
            yield
            self._do(commit)
        except BaseException:
            if self._is_open():
                self._do(rollback)
            raise
        finally:
            self.depth -= 1

    def _is_open(self) -> bool:
        mine = os.getpid() == self._process and not self.connection.closed
        return mine and self.connection.info.transaction_status != TransactionStatus.IDLE

    def _do(self, text: str) -> None:
        self.check()
        with translated(self.location):
            self.connection.execute(cast("LiteralString", text))


class _Local(threading.local):
    """The transaction that this thread is in."""

    active: _Held | None = None


class PostgresDatabase:
    """One schema of a PostgreSQL database behind the `Database` protocol; `wait` as for SQLite."""

    def __init__(
        self, url: str, *, clock: Clock, read_only: bool = False, size: int = 10, wait: int = 15_000
    ) -> None:
        self._url, self._schema, self._options = _split(url)
        self._clock = clock
        self._read_only = read_only
        self._size = size
        self._wait = wait
        self._queries = load("postgres")
        self._local = _Local()
        self._gate = threading.Lock()
        self._pool: Pool | None = None
        with translated(self.location):
            self._bring_up_to_date()
        _open_stores.add(self)

    @property
    def dialect(self) -> Dialect:
        """Always postgres."""
        return "postgres"

    @property
    def location(self) -> str:
        """The URL, without its password."""
        parts = urlsplit(self._url)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}?schema={self._schema}"

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a transaction that writes."""
        return self._local.active is not None and self._local.active.writes

    def rows(self, query: str, /, **values: Value) -> list[Row]:
        """Every row that the named query gives."""
        found = self._queries[query]
        active = self._local.active
        if active is not None:
            active.check()
            with translated(self.location):
                return _run(active.connection, found, values)
        with self._connection() as connection, translated(self.location):
            return _run(connection, found, values)

    def row(self, query: str, /, **values: Value) -> Row | None:
        """The first row that the named query gives, or None."""
        found = self.rows(query, **values)
        return found[0] if found else None

    @contextmanager
    def transaction(self, *, write: bool = True, lasting: bool = True) -> Generator[None]:
        """All or nothing for this thread; `write=False` holds one moment to read from."""
        active = self._local.active
        if write and self._read_only:
            raise StoreNotWritableError(
                f"The store {self.location} was opened to be read only.", fix="Open it to write."
            )
        if active is None:
            with self._outermost(write, lasting=lasting):
                yield
        elif write and not active.writes:
            raise StoreError("A write was wanted inside a read transaction.", fix="Open it with write=True.")
        else:
            with active.nest():
                yield

    @contextmanager
    def _outermost(self, write: bool, *, lasting: bool) -> Generator[None]:
        with self._connection() as connection:
            held = _Held(connection, location=self.location, writes=write)
            self._local.active = held
            try:
                with held.outermost(lasting=lasting):
                    yield
            finally:
                self._local.active = None

    def problems(self) -> list[str]:
        """What the engine itself finds wrong: nothing to ask here; PostgreSQL checks as it reads."""
        return []

    def scrub(self) -> list[str]:
        """Wipe what deleted rows left behind; say what could not be wiped now, and what would."""
        remains = ["the server's write-ahead log and its backups, which its own retention clears"]
        if self._local.active is not None:
            return ["dead rows, until the server's next VACUUM", *remains]
        with self._connection() as connection, translated(self.location):
            for table in _TABLES:
                connection.execute(sql.SQL("VACUUM {}").format(sql.Identifier(self._schema, table)))
        return remains

    def close(self) -> None:
        """Let go of every connection. A later call opens them again."""
        with self._gate:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    # -- connections --------------------------------------------------------------------------

    @contextmanager
    def _connection(self) -> Generator[Connection]:
        """A connection of the pool's, for as long as the block runs in the process that took it."""
        process = os.getpid()
        pool, connection = self._take()
        try:
            yield connection
        finally:
            if os.getpid() == process:
                pool.putconn(connection)

    def _take(self) -> tuple[Pool, Connection]:
        with translated(self.location):
            while True:
                pool = self._pool or self._open_pool()
                try:
                    return pool, pool.getconn()
                except PoolClosed:
                    # Another thread closed the store at this moment: it opens again.
                    continue

    def _open_pool(self) -> Pool:
        with self._gate:
            if self._pool is None:
                self._pool = ConnectionPool(
                    self._url,
                    connection_class=psycopg.Connection[TupleRow],
                    kwargs=self._settings(),
                    check=_check_alive,
                    min_size=1,
                    max_size=self._size,
                    open=True,
                    timeout=15,
                )
            return self._pool

    def _settings(self) -> dict[str, object]:
        # Those of the URL may set another wait, and nothing else of ours.
        options = (
            f"-c lock_timeout={self._wait} {self._options} -c timezone=UTC "
            f'-c search_path="{self._schema}",public -c default_transaction_read_only=on'
        )
        return {"autocommit": True, "row_factory": tuple_row, "options": options}

    def begin_in_child(self) -> None:
        """After a fork, in the child: with no connection. The parent's are left alone."""
        self._gate = threading.Lock()
        if self._pool is not None:
            keep_for_ever(self._pool)
            self._pool = None

    # -- schema -------------------------------------------------------------------------------

    def _bring_up_to_date(self) -> None:
        # Not through the pool, which would hide a wrong password behind a long wait.
        settings = self._settings() | {"connect_timeout": 15}
        with psycopg.connect(self._url, **settings) as connection:  # pyright: ignore[reportArgumentType, reportCallIssue, reportUnknownVariableType]
            steps = pending("postgres", self._ledger(connection), self.location)
            if steps and self._read_only:
                raise StoreNotWritableError(
                    f"The store {self.location} needs schema {steps[-1].version}, "
                    "and was opened to be read only.",
                    fix="Open it once to write.",
                )
            for step in steps:
                self._apply(connection, step)

    def _apply(self, connection: Connection, step: Migration) -> None:
        """One migration with its ledger row, unless another process was faster."""
        held = _Held(connection, location=self.location, writes=True)
        with held.outermost():
            _run(connection, self._queries["lock_schema"], {"schema": self._schema})
            ledger = self._ledger(connection)
            if step.version <= len(ledger):
                return
            if not ledger:
                self._claim_schema(connection)
            connection.execute(cast("LiteralString", step.sql), prepare=False)
            _run(connection, self._queries["add_migration"], step.ledger_row(self._clock.now()))

    def _claim_schema(self, connection: Connection) -> None:
        """Make the schema, unless it is something else's."""
        if _run(connection, self._queries["schema_tables"], {"schema": self._schema}):
            raise StoreForeignError(
                f"The schema {self._schema} holds tables of something else; it was left as it is.",
                fix="Name another: add ?schema=NAME to the URL.",
            )
        if not _run(connection, self._queries["schema_exists"], {"schema": self._schema}):
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(self._schema)))

    def _ledger(self, connection: Connection) -> list[Row]:
        if not _run(connection, self._queries["ledger_exists"], {"schema": self._schema}):
            return []
        return _run(connection, self._queries["list_migrations"], {})


def _split(url: str) -> tuple[str, str, str]:
    """The URL as the driver takes it, the schema that it named, and its own options for the server."""
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query))
    schema = given.pop("schema", "lukasa")
    options = given.pop("options", "")
    if not schema.isidentifier() or not schema.isascii():
        raise UsageError(f"A schema name was wanted, found {schema!r}.", fix="Use letters, digits and _.")
    # Not by urlunsplit, which takes the slashes away where no host is named; nor may a space become a plus.
    rest = f"?{urlencode(given, quote_via=quote)}" if given else ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}{rest}", schema, options


def _check_alive(connection: Connection) -> None:
    """An idle connection that has something to say was closed by the server; only then is it asked."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        ConnectionPool.check_connection(connection)


def _run(connection: Connection, query: Query, values: dict[str, Value]) -> list[Row]:
    cursor = connection.execute(cast("LiteralString", query.percent_style), values)
    if cursor.description is None:
        return []
    columns = {column.name: index for index, column in enumerate(cursor.description)}
    return [Row(columns, row) for row in cursor]


_open_stores: weakref.WeakSet[PostgresDatabase] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for store in list(_open_stores):
        store.begin_in_child()


os.register_at_fork(after_in_child=_after_fork_in_child)
