"""Migrations: from nothing, from a stored older store, raced, refused and killed, on each engine.

`stored/` holds stores of earlier schemas, as their release left them; this release must open each.
"""

from __future__ import annotations

import shutil
import signal
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import parse_qs, urlsplit

import apsw
import psycopg
import pytest

import lukasa
from lukasa.db import is_postgres, open_database
from lukasa.db.migrate import known
from lukasa.errors import StoreError, StoreNotWritableError, StoreVersionError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from lukasa.db.database import Dialect
    from lukasa.testing import FrozenClock

    Process = subprocess.Popen[str]

STORED = Path(__file__).parent / "stored"
KEPT = [("agent/ana", 1, "ana", 7, 0), ("project/apollo", 3, None, 2, 0)]
SPACES = "SELECT space, number, agent_id, version, entries FROM spaces ORDER BY space"
LEDGER = "SELECT version, name, checksum, applied_at FROM migrations ORDER BY version"
NEWEST = len(known("sqlite"))


class Outside(Protocol):
    """A store as it looks from outside of Lukasa."""

    location: str
    sign: str
    dialect: Dialect

    def run(self, statements: str) -> list[tuple[object, ...]]: ...

    def everything(self) -> object: ...


class SqliteOutside:
    """A file."""

    dialect: Dialect = "sqlite"

    def __init__(self, location: str) -> None:
        self.location = self.sign = location
        self.path = Path(location)

    def run(self, statements: str) -> list[tuple[object, ...]]:
        with closing(apsw.Connection(self.location)) as connection:
            return [tuple(row) for row in connection.execute(statements)]

    def everything(self) -> object:
        """Each file of its folder, byte by byte."""
        return {path.name: path.read_bytes() for path in self.path.parent.iterdir()}


class PostgresOutside:
    """A schema."""

    dialect: Dialect = "postgres"

    def __init__(self, location: str, server: str) -> None:
        self.location = location
        self.schema = parse_qs(urlsplit(location).query)["schema"][0]
        self.sign = f"schema={self.schema}"
        self._server = server

    def run(self, statements: str) -> list[tuple[object, ...]]:
        options = f"-c search_path={self.schema}"
        with psycopg.connect(self._server, autocommit=True, options=options) as connection:
            cursor = connection.execute(statements.encode())
            while cursor.nextset():
                pass
            return [] if cursor.description is None else cursor.fetchall()

    def everything(self) -> object:
        """Its tables, and the rows of those that every schema has."""
        tables = self.run("SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1")
        return tables, self.run(LEDGER), self.run(SPACES), self.run("SELECT last_value FROM entry_number")


@pytest.fixture
def outside(location: str, request: pytest.FixtureRequest) -> Outside:
    """Where a store will be, on each engine."""
    if is_postgres(location):
        return PostgresOutside(location, request.getfixturevalue("postgres_server"))
    return SqliteOutside(location)


@pytest.fixture
def old(outside: Outside) -> Outside:
    """A store of schema 0001, with rows, on each engine."""
    return restored(outside)


@pytest.fixture
def old_file(path: Path) -> SqliteOutside:
    """A store file of schema 0001, alone in its folder."""
    path.parent.mkdir()
    found = SqliteOutside(str(path))
    restored(found)
    return found


def restored(outside: Outside) -> Outside:
    if isinstance(outside, PostgresOutside):
        outside.run(f"CREATE SCHEMA {outside.schema}")
    outside.run((STORED / f"0001_{outside.dialect}.sql").read_text(encoding="utf-8"))
    return outside


def versions(outside: Outside) -> list[object]:
    return [row[0] for row in outside.run(LEDGER)]


def is_sound(location: str) -> bool:
    with lukasa.open(location) as store:
        return store.check().problems == ()


def test_a_new_store_has_each_migration_in_its_ledger(outside: Outside, clock: FrozenClock) -> None:
    with closing(open_database(outside.location, clock=clock)) as database, database.transaction():
        database.rows("add_space", space="agent/ana", number=1, owner="ana", added=0, now=1)
    steps = [(step.version, step.name, step.checksum, clock.now()) for step in known(outside.dialect)]
    assert outside.run(LEDGER) == steps


def test_an_older_store_is_brought_up_to_date_with_its_rows(old: Outside, clock: FrozenClock) -> None:
    before = old.run(LEDGER)
    assert versions(old) == [1]
    open_database(old.location, clock=clock).close()
    steps = [(step.version, step.name, step.checksum, clock.now()) for step in known(old.dialect)[1:]]
    assert old.run(LEDGER) == [*before, *steps]
    assert old.run(SPACES) == KEPT


def test_an_older_store_can_be_used_at_once_and_its_counters_go_on(old: Outside, clock: FrozenClock) -> None:
    with lukasa.open(old.location, clock=clock) as store:
        kept = store.agent("ana").remember("The tea is in the blue tin.", name="tea")
        assert kept.number == 42
        assert store.agent("ana").get("tea").content == "The tea is in the blue tin."
        assert store.check().problems == ()


def test_a_copy_of_the_older_file_lies_beside_it(old_file: SqliteOutside, clock: FrozenClock) -> None:
    before = old_file.run(LEDGER), old_file.run(SPACES), old_file.run("SELECT sql FROM sqlite_schema")
    with closing(open_database(old_file.location, clock=clock)) as database:
        assert len(database.rows("list_migrations")) == NEWEST
    copy = SqliteOutside(f"{old_file.location}.before-0002")
    assert sorted(path.name for path in old_file.path.parent.iterdir()) == [
        old_file.path.name,
        copy.path.name,
    ]
    assert (copy.run(LEDGER), copy.run(SPACES), copy.run("SELECT sql FROM sqlite_schema")) == before
    assert copy.path.stat().st_mode & 0o777 == 0o600


def test_the_copy_is_a_store_that_can_be_gone_back_to(old_file: SqliteOutside, clock: FrozenClock) -> None:
    open_database(old_file.location, clock=clock).close()
    copy = f"{old_file.location}.before-0002"
    assert is_sound(copy)
    assert SqliteOutside(copy).run(SPACES) == KEPT


def test_a_store_that_is_up_to_date_is_neither_copied_nor_changed(
    old_file: SqliteOutside, clock: FrozenClock
) -> None:
    open_database(old_file.location, clock=clock).close()
    (old_file.path.parent / f"{old_file.path.name}.before-0002").unlink()
    before = old_file.everything()
    open_database(old_file.location, clock=clock).close()
    assert old_file.everything() == before


@pytest.mark.parametrize("changed", ["checksum = 'another'", "name = 'shop'", "version = 7"])
def test_a_changed_migration_is_refused_and_nothing_touched(
    old: Outside, clock: FrozenClock, changed: str
) -> None:
    old.run(f"UPDATE migrations SET {changed} WHERE version = 1")
    before = old.everything()
    with pytest.raises(StoreVersionError, match=r"is not the one of this release.*export it") as caught:
        open_database(old.location, clock=clock)
    assert old.sign in str(caught.value)
    assert old.everything() == before


def test_a_newer_schema_is_refused_and_nothing_touched(old: Outside, clock: FrozenClock) -> None:
    open_database(old.location, clock=clock).close()
    old.run(f"INSERT INTO migrations VALUES ({NEWEST + 1}, 'later', 'unknown here', 5)")
    before = old.everything()
    with pytest.raises(StoreVersionError, match=f"schema {NEWEST + 1}.*Install a newer Lukasa") as caught:
        open_database(old.location, clock=clock)
    assert old.sign in str(caught.value)
    assert old.everything() == before


def test_an_older_store_is_not_changed_by_one_who_only_reads(old: Outside, clock: FrozenClock) -> None:
    before = old.everything()
    with pytest.raises(StoreNotWritableError, match=r"schema.*Open it once to write"):
        open_database(old.location, clock=clock, read_only=True)
    assert old.everything() == before


def test_a_migration_that_fails_leaves_the_older_schema_whole(old: Outside, clock: FrozenClock) -> None:
    old.run("CREATE TABLE tags (of_somebody_else TEXT)")
    with pytest.raises(StoreError, match="already exists"):
        open_database(old.location, clock=clock)
    assert versions(old) == [1]
    with pytest.raises((apsw.SQLError, psycopg.errors.UndefinedTable)):
        old.run("SELECT count(*) FROM entries")
    old.run("DROP TABLE tags")
    assert is_sound(old.location)
    assert old.run(SPACES) == KEPT


def test_nothing_is_migrated_where_the_copy_cannot_be_made(
    old_file: SqliteOutside, clock: FrozenClock
) -> None:
    before = old_file.path.read_bytes()
    taken = Path(f"{old_file.location}.before-0002")
    taken.mkdir()
    (taken / "theirs").touch()
    with pytest.raises(StoreNotWritableError, match=r"before-0002.*Check the folder"):
        open_database(old_file.location, clock=clock)
    assert old_file.path.read_bytes() == before
    assert sorted(path.name for path in old_file.path.parent.iterdir()) == [old_file.path.name, taken.name]


OPEN = """
    import sys
    from lukasa.clock import SystemClock
    from lukasa.db import open_database

    print("ready", flush=True)
    sys.stdin.readline()
    database = open_database(sys.argv[1], clock=SystemClock())
    print(len(database.rows("list_migrations")))
    database.close()
"""


def test_processes_that_open_an_older_store_at_once_migrate_it_once(
    old: Outside, start: Callable[..., Process], ends_well: Callable[[Process], list[str]]
) -> None:
    processes = [start(OPEN, old.location) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    assert [ends_well(process) for process in processes] == [[str(NEWEST)]] * 3
    assert versions(old) == list(range(1, NEWEST + 1))
    assert old.run(SPACES) == KEPT
    assert is_sound(old.location)


DIE_BETWEEN = """
    import os, signal, sys
    from lukasa.db import open_database

    class Deadly:
        '''Asked for the time when the tables are made and the ledger's row is not.'''
        def now(self):
            os.kill(os.getpid(), signal.SIGKILL)

    open_database(sys.argv[1], clock=Deadly())
"""


def test_killed_between_the_tables_and_the_ledger_the_store_is_the_old_one(
    old: Outside, start: Callable[..., Process]
) -> None:
    assert start(DIE_BETWEEN, old.location).wait(60) == -signal.SIGKILL
    assert versions(old) == [1]
    with pytest.raises((apsw.SQLError, psycopg.errors.UndefinedTable)):
        old.run("SELECT count(*) FROM entries")
    assert is_sound(old.location)
    assert versions(old) == list(range(1, NEWEST + 1))
    assert old.run(SPACES) == KEPT


# Each child runs in a folder of its own, and is killed just before the n-th time that SQLite writes, cuts or
# flushes a file; the first that is not killed ends it.
DIE_AT_EACH_WRITE = """
    import os, shutil, signal, sys
    import apsw
    import lukasa
    from lukasa.testing import FrozenClock

    left = 0

    def count():
        global left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    class DeadlyFile(apsw.VFSFile):
        def __init__(self, name, flags):
            super().__init__("unix", name, flags)

        def xWrite(self, data, offset):
            count()
            super().xWrite(data, offset)

        def xTruncate(self, size):
            count()
            super().xTruncate(size)

        def xSync(self, flags):
            count()
            super().xSync(flags)

    class Deadly(apsw.VFS):
        def __init__(self):
            super().__init__("deadly", "unix", makedefault=True)

        def xOpen(self, name, flags):
            return DeadlyFile(name, flags)

    def work(path):
        with lukasa.open(path, clock=FrozenClock()) as store:
            store.agent("ana").remember("The tea is in the blue tin.", name="tea")

    folder, old = sys.argv[1:]
    work(f"{folder}/warm")  # all that is imported late is there
    status, turn = None, 0
    while status != 0:
        turn += 1
        os.mkdir(f"{folder}/{turn}")
        if old:
            shutil.copy(old, f"{folder}/{turn}/memory.lukasa")
        child = os.fork()
        if not child:
            left, deadly = turn, Deadly()
            work(f"{folder}/{turn}/memory.lukasa")
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        assert status in (0, signal.SIGKILL), status
    print(turn)
"""


def killed_everywhere(
    start: Callable[..., Process], ends_well: Callable[[Process], list[str]], folder: Path, old: str
) -> list[Path]:
    """The stores that each of the killed children left, and the last, which was not killed."""
    folder.mkdir()
    turns = int(ends_well(start(DIE_AT_EACH_WRITE, str(folder), old))[0])
    assert turns > 20
    return [folder / str(turn) / "memory.lukasa" for turn in range(1, turns + 1)]


@pytest.mark.slow
def test_killed_at_any_write_of_a_migration_the_file_is_old_or_new(
    old_file: SqliteOutside,
    start: Callable[..., Process],
    ends_well: Callable[[Process], list[str]],
    tmp_path: Path,
) -> None:
    found: set[int] = set()
    for file in killed_everywhere(start, ends_well, tmp_path / "killed", old_file.location):
        # Looked at in a copy: the store itself is to be opened by Lukasa first.
        left = SqliteOutside(str(shutil.copytree(file.parent, file.parent / "copied") / file.name))
        ledger = versions(left)
        # Each migration is a transaction of its own: whole ones may be there, none in part.
        assert ledger in [list(range(1, newest + 1)) for newest in range(1, NEWEST + 1)]
        found.add(len(ledger))
        tables = left.run("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'entries'")
        assert len(tables) == (len(ledger) > 1)
        shutil.rmtree(left.path.parent)
        left = SqliteOutside(str(file))
        assert is_sound(left.location)
        assert versions(left) == list(range(1, NEWEST + 1))
        assert [row[:3] for row in left.run(SPACES)] == [row[:3] for row in KEPT]
        copy = SqliteOutside(f"{left.location}.before-0002")
        assert versions(copy) == [1]
        assert copy.run(SPACES) == KEPT
        # Killed between two migrations, the next to open it took a copy of its own.
        between = {f"{file.name}.before-{len(ledger) + 1:04}"} if 1 < len(ledger) < NEWEST else set[str]()
        assert {path.name for path in file.parent.iterdir()} == {file.name, copy.path.name, *between}
    assert found == set(range(1, NEWEST + 1))


@pytest.mark.slow
def test_killed_at_any_write_of_its_birth_a_store_is_whole_or_not_there(
    start: Callable[..., Process], ends_well: Callable[[Process], list[str]], tmp_path: Path
) -> None:
    found: set[bool] = set()
    for file in killed_everywhere(start, ends_well, tmp_path / "killed", ""):
        found.add(file.exists())
        if file.exists():
            assert is_sound(str(file))
        with lukasa.open(file) as store:
            assert [entry.name for entry in store.agent("ana").list().entries] == ["tea"] * file.exists()
            store.agent("ana").remember("Ana plays the flute.", name="flute")
            assert store.check().problems == ()
        assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert found == {False, True}
