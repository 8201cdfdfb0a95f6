"""SQLite through APSW: one file, one writer at a time, a reader for each thread.

Always true: a commit is on disk when `transaction` returns (WAL, synchronous=FULL); readers are
opened read-only, so nothing is written outside a transaction; the file appears only with the
first committed write (see `birth`). SQLite's locks must not be carried into a child, so every
connection is closed just before a fork and opened again when next needed, on both sides.
"""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from lukasa.db import birth, sqlite_file
from lukasa.db.database import Dialect, Row, Value
from lukasa.db.migrate import Migration, pending
from lukasa.db.queries import load
from lukasa.db.sqlite_errors import meaning, translated
from lukasa.errors import StoreError, StoreNotWritableError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from lukasa.clock import Clock

_open_stores: weakref.WeakSet[SqliteDatabase] = weakref.WeakSet()


class Link:
    """One connection with the lock that guards it, and how deep in transactions it is."""

    def __init__(self, connection: apsw.Connection, *, writes: bool) -> None:
        self.connection = connection
        self.writes = writes
        self.lock = threading.RLock()
        self.depth = 0
        self.closed = False
        self.columns: dict[str, dict[str, int]] = {}

    def run(self, name: str, sql: str, values: dict[str, Value]) -> list[Row]:
        """The rows of one statement."""
        cursor = self.connection.execute(sql, values)
        try:
            names = self.columns.get(name) or self._name_columns(name, cursor)
        except apsw.ExecutionCompleteError:
            return []
        return [Row(names, values) for values in cursor]

    def _name_columns(self, name: str, cursor: apsw.Cursor) -> dict[str, int]:
        names = {column[0]: index for index, column in enumerate(cursor.get_description())}
        self.columns[name] = names
        return names

    def close(self) -> None:
        """Let go of the file."""
        self.closed = True
        self.connection.close()


class _Local(threading.local):
    """What one thread holds: its reader, and the link of the transaction that it is in."""

    reader: Link | None = None
    active: Link | None = None


class SqliteDatabase:
    """One SQLite file behind the `Database` protocol."""

    def __init__(self, path: str, *, clock: Clock, read_only: bool = False, wait: int = 15_000) -> None:
        self._path = Path(path).expanduser()
        self._clock = clock
        self._read_only = read_only
        self._wait = wait
        self._texts = {name: query.sql for name, query in load("sqlite").items()}
        self._gate = threading.RLock()
        self._links: weakref.WeakSet[Link] = weakref.WeakSet()
        self._local = _Local()
        self._writer: Link | None = None
        self._unborn: Link | None = None
        self._current = False
        self._orphan: Link | None = None
        if not self._born() and read_only:
            raise StoreNotWritableError(f"There is no store at {path} to read.", fix="Check the path.")
        _open_stores.add(self)

    @property
    def dialect(self) -> Dialect:
        """Always sqlite."""
        return "sqlite"

    @property
    def location(self) -> str:
        """The file's path."""
        return str(self._path)

    def rows(self, query: str, /, **values: Value) -> list[Row]:
        """Every row that the named query gives."""
        sql = self._texts[query]
        try:
            while True:
                link = self._local.active or self._reader()
                with link.lock:
                    if not link.closed:
                        return link.run(query, sql, values)
        except apsw.Error as error:
            raise meaning(self.location, error) from error

    def row(self, query: str, /, **values: Value) -> Row | None:
        """The first row that the named query gives, or None."""
        found = self.rows(query, **values)
        return found[0] if found else None

    @contextmanager
    def transaction(self, *, write: bool = True) -> Generator[None]:
        """All or nothing for this thread; `write=False` holds one moment to read from."""
        active = self._local.active
        if active is None:
            yield from self._write() if write else self._hold(self._reader, "BEGIN")
        elif write and not active.writes:
            raise StoreError("A write was wanted inside a read transaction.", fix="Open it with write=True.")
        else:
            yield from self._nest(active)

    def problems(self) -> list[str]:
        """What the engine itself finds wrong with the stored bytes and keys."""
        link = self._reader()
        with link.lock, translated(self.location):
            found = [str(value) for (value,) in link.connection.execute("PRAGMA integrity_check")]
            keys = [
                f"row {row[1]} of {row[0]} has no {row[2]}"
                for row in link.connection.execute("PRAGMA foreign_key_check")
            ]
        return [text for text in found if text != "ok"] + keys

    def scrub(self) -> list[str]:
        """Wipe what deleted rows left behind; say what could not be wiped now, and what would."""
        if self._local.active or not self._born():
            return []
        link = self._write_link()
        with link.lock, translated(self.location):
            busy = link.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            link.connection.execute("PRAGMA incremental_vacuum").fetchall()
        if busy and busy[0]:
            return [
                f"old pages in {self._path.name}-wal, until no reader needs them: run `lukasa check` later"
            ]
        return []

    def close(self) -> None:
        """Let go of every connection. A later call opens them again."""
        for link in self.shut():
            link.lock.release()

    # -- which connection ---------------------------------------------------------------------

    def _born(self) -> bool:
        """Whether the file is there; when it is seen first, it is brought up to date."""
        if self._current:
            return True
        with self._gate:
            if not self._current and sqlite_file.exists(self._path):
                self._bring_up_to_date()
                self._current = True
                self._unborn = None
        return self._current

    def _reader(self) -> Link:
        if not self._born():
            return self._memory()
        link = self._local.reader
        if link is None or link.closed:
            link = self._new_link(sqlite_file.open_reader(self._path, wait=self._wait), writes=False)
            self._local.reader = link
        return link

    def _write_link(self) -> Link:
        if self._orphan:
            raise StoreError("This process was forked inside a transaction.", fix="Fork outside of it.")
        if self._read_only:
            raise StoreNotWritableError(
                f"The store {self.location} was opened to be read only.", fix="Open it to write."
            )
        with self._gate:
            if self._writer is None or self._writer.closed:
                with translated(self.location):
                    self._writer = self._new_link(
                        sqlite_file.open_writer(self._path, wait=self._wait), writes=True
                    )
            return self._writer

    def _memory(self) -> Link:
        """The store as it is before its file: empty, of the newest schema, in memory."""
        with self._gate:
            if self._unborn is None:
                link = Link(sqlite_file.open_memory(), writes=True)
                for step in pending("sqlite", (), self.location):
                    self._apply(link, step)
                self._unborn = link
            return self._unborn

    def _new_link(self, connection: apsw.Connection, *, writes: bool) -> Link:
        link = Link(connection, writes=writes)
        with self._gate:
            self._links.add(link)
        return link

    # -- transactions -------------------------------------------------------------------------

    def _write(self) -> Generator[None]:
        if self._read_only or self._born():
            yield from self._hold(self._write_link, "BEGIN IMMEDIATE")
            return
        sqlite_file.make_folder(self._path.parent)
        with birth.turn(self._path.parent):
            if not self._born():
                yield from self._first_write()
                return
        yield from self._hold(self._write_link, "BEGIN IMMEDIATE")

    def _first_write(self) -> Generator[None]:
        """The write that makes the file, held in memory until it has succeeded."""
        memory = self._memory()
        try:
            yield from self._hold(self._memory, "BEGIN")
            with translated(self.location):
                birth.publish(memory.connection, self._path)
        finally:
            self._unborn = None

    def _hold(self, choose: Callable[[], Link], begin: str) -> Generator[None]:
        """One outermost transaction on a link, which is this thread's until it ends."""
        link = self._lock(choose)
        try:
            with translated(self.location):
                link.connection.execute(begin)
                self._local.active = link
                yield from self._end_with(link, "COMMIT", "ROLLBACK")
        finally:
            self._local.active = None
            link.lock.release()

    def _nest(self, link: Link) -> Generator[None]:
        link.depth += 1
        name = f"level_{link.depth}"
        try:
            with translated(self.location):
                link.connection.execute(f"SAVEPOINT {name}")
                yield from self._end_with(link, f"RELEASE {name}", f"ROLLBACK TO {name}; RELEASE {name}")
        finally:
            link.depth -= 1

    @staticmethod
    def _end_with(link: Link, commit: str, rollback: str) -> Generator[None]:
        try:
            yield
            link.connection.execute(commit)
        except BaseException:
            # A full disk or a damaged page makes SQLite roll back by itself.
            if link.connection.in_transaction:
                link.connection.execute(rollback)
            raise

    @staticmethod
    def _lock(choose: Callable[[], Link]) -> Link:
        """The chosen link, locked; one that a fork closed meanwhile is chosen again."""
        while True:
            link = choose()
            link.lock.acquire()
            if not link.closed:
                return link
            link.lock.release()

    # -- schema -------------------------------------------------------------------------------

    def _bring_up_to_date(self) -> None:
        reader = Link(self._first_reader(), writes=False)
        try:
            with translated(self.location):
                steps = pending("sqlite", self._ledger(reader), self.location)
        finally:
            reader.close()
        if steps:
            self._migrate(steps[0].version > 1)

    def _first_reader(self) -> apsw.Connection:
        with translated(self.location):
            return sqlite_file.open_reader(self._path, wait=self._wait)

    def _migrate(self, holds_something: bool) -> None:
        link = self._write_link()
        with link.lock, translated(self.location):
            link.connection.execute("BEGIN IMMEDIATE")
            try:
                steps = pending("sqlite", self._ledger(link), self.location)
                if steps and holds_something:
                    self._copy_before(steps[0])
            finally:
                link.connection.execute("ROLLBACK")
            for step in steps:
                self._apply(link, step)

    def _copy_before(self, step: Migration) -> None:
        copy = self._path.with_name(f"{self._path.name}.before-{step.version:04}")
        birth.copy_aside(self._path, copy, wait=self._wait)

    def _apply(self, link: Link, step: Migration) -> None:
        """One migration with its ledger row, unless another process was faster."""
        link.connection.execute("BEGIN IMMEDIATE")
        try:
            if step.version > len(self._ledger(link)):
                link.connection.execute(step.sql)
                self._record(link, step)
            link.connection.execute("COMMIT")
        except BaseException:
            link.connection.execute("ROLLBACK")
            raise

    def _record(self, link: Link, step: Migration) -> None:
        link.run(
            "add_migration",
            self._texts["add_migration"],
            {"version": step.version, "name": step.name, "checksum": step.checksum, "now": self._clock.now()},
        )

    def _ledger(self, link: Link) -> list[Row]:
        if not link.run("ledger_exists", self._texts["ledger_exists"], {}):
            return []
        return link.run("list_migrations", self._texts["list_migrations"], {})

    # -- forks --------------------------------------------------------------------------------

    def shut(self) -> list[Link]:
        """Close every connection, and keep their locks; the caller releases them."""
        with self._gate:
            links = sorted(self._links, key=lambda link: link.writes)
            mine = self._local.active
            held = [
                link for link in links if link is not mine and link.lock.acquire(timeout=self._wait / 1000)
            ]
            for link in held:
                if not link.closed:
                    link.close()
            self._links = weakref.WeakSet(link for link in links if not link.closed)
        return held

    def after_fork_in_child(self) -> None:
        """The child begins with no connection; one that was in use is left alone and refused."""
        self._gate = threading.RLock()
        self._orphan = self._local.active or next((link for link in self._links if not link.closed), None)
        self._links = weakref.WeakSet()
        self._writer = self._local.reader = self._local.active = None


_held: list[Link] = []


def _before_fork() -> None:
    for store in list(_open_stores):
        _held.extend(store.shut())


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().lock.release()


def _after_fork_in_child() -> None:
    _held.clear()
    for store in list(_open_stores):
        store.after_fork_in_child()


os.register_at_fork(
    before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
)
