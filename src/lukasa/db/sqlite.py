"""SQLite through APSW: one file, one writer at a time, a reader for each thread.

Always true: a commit is on disk when `transaction` returns (WAL, synchronous=FULL); readers are told
not to write, so nothing is written outside a transaction; the file appears only with the first
committed write (see `birth`). SQLite's locks must not be carried into a child, so every connection is
closed just before a fork, none is opened during it, and each is opened again when next needed. What
could not be closed (the forking thread's own transaction) is refused in the child, with its file.
"""

from __future__ import annotations

import os
import threading
import weakref
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from lukasa.db import birth, sqlite_file, sqlite_schema
from lukasa.db.forks import keep_for_ever, refusal
from lukasa.db.queries import load
from lukasa.db.sqlite_errors import translated
from lukasa.db.sqlite_link import Link
from lukasa.errors import StoreBusyError, StoreDamagedError, StoreError, StoreNotWritableError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from lukasa.clock import Clock
    from lukasa.db.database import Dialect, Row, Value


class _Local(threading.local):
    """What one thread holds: its reader, and the link of the transaction that it is in."""

    reader: Link | None = None
    active: Link | None = None


class SqliteDatabase:
    """One SQLite file behind the `Database` protocol. `wait` is how long a lock is waited for, in ms."""

    def __init__(self, path: str, *, clock: Clock, read_only: bool = False, wait: int = 15_000) -> None:
        self._path = sqlite_file.placed(path)
        self._clock = clock
        self._read_only = read_only
        self._wait = wait
        self._texts = {name: query.sql for name, query in load("sqlite").items()}
        self._gate = threading.RLock()
        self._links: weakref.WeakSet[Link] = weakref.WeakSet()
        self._local = _Local()
        self._writer: Link | None = None
        self._current = False
        self._frozen: list[Link] = []
        self._left: list[Link] = []
        with _fork:
            _open_stores.add(self)
        if not self._born() and read_only:
            raise StoreNotWritableError(f"There is no store at {path} to read.", fix="Check the path.")

    @property
    def dialect(self) -> Dialect:
        """Always sqlite."""
        return "sqlite"

    @property
    def location(self) -> str:
        """The file's path."""
        return str(self._path)

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a transaction that writes."""
        return self._local.active is not None and self._local.active.writes

    def rows(self, query: str, /, **values: Value) -> list[Row]:
        """Every row that the named query gives."""
        sql = self._texts[query]
        active = self._local.active
        if active is not None:
            return active.run(query, sql, values)
        link = self._lock(self._reader)
        try:
            return link.run(query, sql, values)
        finally:
            link.lock.release()

    def row(self, query: str, /, **values: Value) -> Row | None:
        """The first row that the named query gives, or None."""
        found = self.rows(query, **values)
        return found[0] if found else None

    @contextmanager
    def transaction(self, *, write: bool = True, lasting: bool = True) -> Generator[None]:
        """All or nothing for this thread; `write=False` holds one moment to read from."""
        active = self._local.active
        if active is None:
            with self._write(lasting=lasting) if write else self._hold(self._reader, "BEGIN"):
                yield
        elif write and not active.writes:
            raise StoreError("A write was wanted inside a read transaction.", fix="Open it with write=True.")
        else:
            with active.nest():
                yield

    def problems(self) -> list[str]:
        """What the engine itself finds wrong with the stored bytes and keys."""
        link = self._local.active or self._reader()
        with link.lock:
            try:
                with translated(self.location):
                    found = [str(value) for (value,) in link.connection.execute("PRAGMA integrity_check")]
                    keys = [
                        f"row {row[1]} of {row[0]} has no {row[2]}"
                        for row in link.connection.execute("PRAGMA foreign_key_check")
                    ]
            except StoreDamagedError as error:
                return [error.message]
        return [text for text in found if text != "ok"] + keys

    def scrub(self) -> list[str]:
        """Wipe what deleted rows left behind; say what could not be wiped now, and what would."""
        remains = f"old pages in {self._path.name}-wal, until the last one who has the store open closes it"
        if self._local.active:
            return [remains]
        if not self._born():
            return []
        link = self._lock(self._write_link)
        try:
            with translated(self.location):
                busy = link.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                link.connection.execute("PRAGMA incremental_vacuum").fetchall()
        finally:
            link.lock.release()
        return [remains] if busy and busy[0] else []

    def close(self) -> None:
        """Let go of every connection. A later call opens them again."""
        with self._gate:
            for link in self._shut():
                link.lock.release()
            self._current = False

    # -- which connection ---------------------------------------------------------------------

    def _born(self) -> bool:
        """Whether the file is there; when it is seen first, it is brought up to date."""
        if self._current:
            return True
        with self._gate:
            if not self._current and sqlite_file.exists(self._path):
                self._bring_up_to_date()
                self._current = True
        return self._current

    def _bring_up_to_date(self) -> None:
        _refuse_carried(self._path)
        steps = sqlite_schema.missing_steps(self._path, wait=self._wait)
        if steps and self._read_only:
            raise StoreNotWritableError(
                f"The store {self.location} needs an upgrade to schema {steps[-1].version}, "
                "and was opened to be read only.",
                fix="Open it once to write.",
            )
        if steps:
            link = self._lock(self._write_link)
            try:
                sqlite_schema.bring_up_to_date(link, self._path, clock=self._clock, wait=self._wait)
            finally:
                link.lock.release()

    def _reader(self) -> Link:
        born = self._born()
        link = self._local.reader
        if link is None or link.closed or link.on_disk != born or _is_stale(link, self._path):
            link = self._local.reader = self._open_reader() if born else self._open_memory(writes=False)
        return link

    def _open_reader(self) -> Link:
        with self._gate, translated(self.location):
            _refuse_carried(self._path)
            connection, stamp = sqlite_file.open_reader(self._path, wait=self._wait)
            return self._known(Link(connection, location=self.location, writes=False, stamp=stamp))

    def _open_memory(self, *, writes: bool) -> Link:
        """The store as it is before its file."""
        with self._gate:
            connection = sqlite_schema.build_in_memory(self._clock)
            connection.pragma("query_only", not writes)
            return self._known(Link(connection, location=self.location, writes=writes, on_disk=False))

    def _write_link(self) -> Link:
        with self._gate, translated(self.location):
            _refuse_carried(self._path)
            if self._writer is None or self._writer.closed:
                connection = sqlite_file.open_writer(self._path, wait=self._wait)
                self._writer = self._known(Link(connection, location=self.location, writes=True))
            return self._writer

    def _known(self, link: Link) -> Link:
        self._links.add(link)
        return link

    def _lock(self, choose: Callable[[], Link]) -> Link:
        """The chosen link, locked; one that was closed meanwhile is chosen again."""
        while True:
            link = choose()
            if not link.lock.acquire(timeout=self._wait / 1000):
                raise StoreBusyError(
                    f"The store {self.location} is held by another thread.", fix="Try again."
                )
            if not link.closed:
                return link
            link.lock.release()

    # -- transactions -------------------------------------------------------------------------

    @contextmanager
    def _write(self, *, lasting: bool) -> Generator[None]:
        if self._read_only:
            raise StoreNotWritableError(
                f"The store {self.location} was opened to be read only.", fix="Open it to write."
            )
        if not self._born():
            with birth.turn(self._path, wait=self._wait):
                if not self._born():
                    with self._first_write():
                        yield
                    return
        with self._hold(self._write_link, "BEGIN IMMEDIATE", lasting=lasting):
            yield

    @contextmanager
    def _first_write(self) -> Generator[None]:
        """The write that makes the file, held in memory until it has succeeded."""
        link = self._open_memory(writes=True)
        with self._hold(lambda: link, "BEGIN"):
            yield
        with self._gate, translated(self.location), sqlite_file.disk(self._path):
            birth.publish(link.connection, self._path)
            link.close()

    @contextmanager
    def _hold(self, choose: Callable[[], Link], begin: str, *, lasting: bool = True) -> Generator[None]:
        """One outermost transaction on a link, which is this thread's until it ends."""
        link = self._lock(choose)
        try:
            self._local.active = link
            with nullcontext() if lasting else link.hurried(), link.outermost(begin):
                yield
        finally:
            self._local.active = None
            link.lock.release()

    # -- forks --------------------------------------------------------------------------------

    def _shut(self) -> list[Link]:
        """Close every connection that is not in a transaction, and keep their locks for the caller."""
        links = sorted(self._links, key=lambda link: link.writes)
        mine = self._local.active
        held = [link for link in links if link is not mine and link.lock.acquire(timeout=self._wait / 1000)]
        for link in held:
            if not link.closed:
                link.close()
        self._left = [link for link in links if not link.closed]
        self._links = weakref.WeakSet(self._left)
        return held

    def freeze(self) -> None:
        """Before a fork: nothing is open, and nothing can be opened."""
        self._gate.acquire()
        self._frozen = self._shut()

    def thaw(self) -> None:
        """After a fork, in the parent: on as before."""
        for link in self._frozen:
            link.lock.release()
        self._frozen, self._left = [], []
        self._gate.release()

    def begin_in_child(self) -> None:
        """After a fork, in the child: with no connection; one that was in use is left alone and refused."""
        self._gate = threading.RLock()
        self._links = weakref.WeakSet()
        self._writer = self._local.reader = None
        for link in self._left:
            link.carried = True
            keep_for_ever(link.connection)
            if link.on_disk:
                _carried.add(self._path)
        self._frozen, self._left = [], []


def _refuse_carried(path: Path) -> None:
    """SQLite keeps its locks by process and file: beside a carried connection, none can be relied on."""
    if path in _carried:
        raise refusal(str(path))


def _is_stale(link: Link, path: Path) -> bool:
    """A file that is read without locks was changed: what was read of it before is worth nothing."""
    if link.stamp is None:
        return False
    with sqlite_file.disk(path):
        return link.stamp != sqlite_file.seal(path)


_open_stores: weakref.WeakSet[SqliteDatabase] = weakref.WeakSet()
_carried: set[Path] = set()
_fork = threading.RLock()
_frozen_stores: list[SqliteDatabase] = []


def _before_fork() -> None:
    _fork.acquire()
    for store in list(_open_stores):
        store.freeze()
        _frozen_stores.append(store)


def _after_fork_in_parent() -> None:
    while _frozen_stores:
        _frozen_stores.pop().thaw()
    _fork.release()


def _after_fork_in_child() -> None:
    global _fork  # noqa: PLW0603 - the parent's lock may have waiters that are not here
    while _frozen_stores:
        _frozen_stores.pop().begin_in_child()
    _fork = threading.RLock()


os.register_at_fork(
    before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child
)
