"""A file that is locked, damaged, foreign or cut short is refused by a clear error, and left as it is."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import apsw
import pytest

import lukasa
from lukasa.db.sqlite import SqliteDatabase
from lukasa.errors import (
    NotFoundError,
    SecretError,
    StoreBusyError,
    StoreDamagedError,
    StoreForeignError,
    UsageError,
)

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Generator
    from pathlib import Path

    from lukasa.testing import FrozenClock

    Process = subprocess.Popen[str]

PAGE = 4096
ENTRIES = 60


@pytest.fixture
def file(path: Path, clock: FrozenClock) -> Path:
    """A store of many pages, closed, alone in its folder."""
    with lukasa.open(path, clock=clock) as store:
        for number in range(ENTRIES):
            store.agent("ana").remember(f"Note {number} of the sick files. " * 40, name=f"note {number}")
    return path


def folder_of(path: Path) -> dict[str, bytes]:
    return {other.name: other.read_bytes() for other in path.parent.iterdir()}


@contextmanager
def refused(path: Path, kind: type[lukasa.LukasaError], found: str, fix: str) -> Generator[None]:
    """What is done inside is refused by an error that names the file and a fix; the folder stays."""
    before = folder_of(path)
    with pytest.raises(kind) as caught:
        yield
    assert type(caught.value) is kind
    assert str(path) in caught.value.message
    assert found in caught.value.message
    assert fix in caught.value.fix
    assert folder_of(path) == before


def read_all(path: Path) -> list[str | None]:
    with lukasa.open(path) as store:
        return [entry.name for entry in store.agent("ana").list(limit=ENTRIES).entries]


def another_application(path: Path, application: int) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        connection.pragma("application_id", application)
        connection.execute("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('tea')")


FOREIGN: dict[str, Callable[[Path], object]] = {
    "a word": lambda path: path.write_text("tea", encoding="utf-8"),
    "a text": lambda path: path.write_text("Dear diary, today I drank tea.\n" * 400, encoding="utf-8"),
    "bytes": lambda path: path.write_bytes(bytes(range(256)) * 64),
    "a database of no application": lambda path: another_application(path, 0),
    "a database of another application": lambda path: another_application(path, 0x5EA),
}


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_not_a_store_is_refused_and_left_as_it_is(path: Path, kind: str, *, read_only: bool) -> None:
    path.parent.mkdir()
    FOREIGN[kind](path)
    with refused(path, StoreForeignError, "not a Lukasa store", "another path"):
        lukasa.open(path, read_only=read_only)


def test_a_folder_in_its_place_is_refused(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(UsageError, match=r"found a folder at .*memory\.lukasa\. Name a file"):
        lukasa.open(path)
    assert list(path.iterdir()) == []


def test_an_empty_file_is_damage_that_says_how_to_begin_anew(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with refused(path, StoreDamagedError, "it is empty (delete it", "Restore it"):
        lukasa.open(path)


@pytest.mark.parametrize("kept", [16, 99, 100, PAGE - 1, PAGE, 3 * PAGE + 7, -PAGE, -1])
def test_a_file_that_was_cut_short_is_refused(file: Path, kept: int) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:kept])
    with refused(file, StoreDamagedError, "short", "Restore it from a backup"):
        lukasa.open(file)
    file.write_bytes(whole)
    assert len(read_all(file)) == ENTRIES


def test_garbage_behind_the_first_page_is_refused(file: Path) -> None:
    size = file.stat().st_size
    file.write_bytes(file.read_bytes()[:PAGE] + b"\xa5" * (size - PAGE))
    with refused(file, StoreDamagedError, "is damaged", "Restore it from a backup"):
        lukasa.open(file)


def test_garbage_in_the_first_page_is_refused(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:100] + b"\xa5" * (PAGE - 100) + whole[PAGE:])
    with refused(file, StoreDamagedError, "is damaged", "Restore it from a backup"):
        lukasa.open(file)


def test_garbage_in_the_middle_is_found_by_reading_and_by_check(file: Path, clock: FrozenClock) -> None:
    whole = file.read_bytes()
    middle = len(whole) // PAGE // 2 * PAGE
    file.write_bytes(whole[:middle] + b"\xa5" * 8 * PAGE + whole[middle + 8 * PAGE :])
    with refused(file, StoreDamagedError, "is damaged", "Restore it from a backup"):
        read_all(file)
    with closing(SqliteDatabase(str(file), clock=clock)) as database:
        problems = database.problems()
    assert problems


def test_a_damaged_file_takes_no_write(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: 12 * PAGE] + b"\xa5" * (len(whole) - 12 * PAGE))

    def write() -> None:
        with lukasa.open(file) as store:
            for number in range(ENTRIES):
                store.agent("ana").write(f"note {number}", "Another text.")

    with refused(file, StoreDamagedError, "is damaged", "Restore it from a backup"):
        write()


def test_a_store_without_its_ledger_is_damaged(file: Path) -> None:
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("DROP TABLE migrations")
    with refused(file, StoreDamagedError, "lost its ledger", "Restore it"):
        lukasa.open(file)


# -- held by another process ------------------------------------------------------------------

HOLD = """
    import sys
    import apsw

    connection = apsw.Connection(sys.argv[1])
    connection.execute(sys.argv[2]).fetchall()
    print("held", flush=True)
    sys.stdin.readline()
    connection.close()
"""
HOLD_BIRTH = """
    import sys
    import lukasa

    with lukasa.open(sys.argv[1]) as store, store.transaction():
        store.agent("ana").remember("The tea is in the blue tin.", name="tea")
        print("held", flush=True)
        sys.stdin.readline()
"""
WRITING = "BEGIN IMMEDIATE"
ALONE = "PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE; DELETE FROM tags"


@pytest.fixture
def hold(start: Callable[..., Process]) -> Callable[..., Process]:
    """Another process that holds the file until it is told to let go."""

    def begin(program: str, *arguments: str) -> Process:
        process = start(program, *arguments)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    return begin


def let_go(process: Process) -> None:
    assert process.communicate("\n", timeout=60) == ("", "")
    assert process.returncode == 0


def add(database: SqliteDatabase, space: str) -> None:
    with database.transaction():
        number = database.row("next_space")
        assert number is not None
        database.rows("add_space", space=space, number=number.integer("number"), owner=None, added=0, now=1)


def spaces(database: SqliteDatabase) -> list[str]:
    return [row.text("space") for row in database.rows("list_spaces", after="", limit=1000)]


def test_a_writer_that_comes_second_hears_that_the_store_is_busy(
    file: Path, clock: FrozenClock, hold: Callable[..., Process]
) -> None:
    other = hold(HOLD, str(file), WRITING)
    with closing(SqliteDatabase(str(file), clock=clock, wait=50)) as database:
        kept = spaces(database)
        with refused(file, StoreBusyError, "held by another writer", "Try again"):
            add(database, "project/second")
        assert spaces(database) == kept
        let_go(other)
        add(database, "project/second")
        assert spaces(database) == [*kept, "project/second"]


def test_a_writer_that_waits_gets_its_turn(
    file: Path, clock: FrozenClock, hold: Callable[..., Process]
) -> None:
    other = hold(HOLD, str(file), WRITING)
    with closing(SqliteDatabase(str(file), clock=clock)) as database, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(add, database, "project/second")
        assert not waiting.done()
        let_go(other)
        waiting.result(timeout=60)
        assert "project/second" in spaces(database)


def test_a_store_that_somebody_has_to_himself_is_busy_also_for_readers(
    file: Path, clock: FrozenClock, hold: Callable[..., Process]
) -> None:
    other = hold(HOLD, str(file), ALONE)
    with refused(file, StoreBusyError, "held by another", "Try again"):
        SqliteDatabase(str(file), clock=clock, wait=50)
    let_go(other)
    assert len(read_all(file)) == ENTRIES


def test_a_store_that_is_being_born_elsewhere_is_busy(
    path: Path, clock: FrozenClock, hold: Callable[..., Process]
) -> None:
    path.parent.mkdir()
    with closing(SqliteDatabase(str(path), clock=clock, wait=50)) as database:
        other = hold(HOLD_BIRTH, str(path))
        with refused(path, StoreBusyError, "being made by another writer", "Try again"):
            add(database, "project/second")
        assert not path.exists()
        let_go(other)
        add(database, "project/second")
        assert spaces(database) == ["agent/ana", "project/second"]


# -- what is on the disk when all went well, or nothing did -----------------------------------------


def test_a_store_that_is_only_read_makes_no_file(path: Path) -> None:
    with lukasa.open(path) as store:
        assert store.agent("ana").list().entries == ()
        assert store.check().problems == ()
    assert not path.parent.exists()


def remember_and_fail(store: lukasa.Store) -> None:
    with store.transaction():
        store.agent("ana").remember("The tea is in the blue tin.")
        store.agent("ana").get("sugar")


def test_a_first_write_that_fails_makes_no_file_and_no_folder(path: Path) -> None:
    with lukasa.open(path) as store:
        with pytest.raises(SecretError):
            store.agent("ana").remember("My key is ghp_" + "a1B2c3D4e5F6" * 3)
        with pytest.raises(UsageError):
            store.agent("ana").remember("")
        with pytest.raises(NotFoundError):
            remember_and_fail(store)
        assert not path.parent.exists()
        store.agent("ana").remember("The tea is in the blue tin.")
        assert path.exists()


def test_the_file_and_the_folders_that_are_made_are_private(
    path: Path, in_child: Callable[[Callable[[], object]], str]
) -> None:
    def modes() -> str:
        os.umask(0)
        with lukasa.open(path.parent / "deeper" / path.name) as store:
            store.agent("ana").remember("The tea is in the blue tin.")
            store.agent("ana").remember("Ana plays the flute.")
            found = [*path.parent.rglob("*"), path.parent]
            return str(sorted({(item.is_dir(), oct(item.stat().st_mode & 0o777)) for item in found}))

    assert in_child(modes) == "[(False, '0o600'), (True, '0o700')]"


def test_a_clean_close_leaves_one_file(file: Path, clock: FrozenClock) -> None:
    def work(store: lukasa.Store, number: int) -> None:
        assert store.agent("ana").get(f"note {number}").number == number + 1
        store.agent("ana").remember(f"Thread {number} was here.")

    with lukasa.open(file, clock=clock) as store, ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, store, number) for number in range(20)]:
            done.result(timeout=60)
        assert f"{file.name}-wal" in folder_of(file)
        second = lukasa.open(file)
        assert second.agent("ana").get("note 1").name == "note 1"
        second.close()
    assert list(folder_of(file)) == [file.name]


def test_a_copy_of_the_one_file_is_the_whole_store(file: Path, tmp_path: Path) -> None:
    copy = shutil.copy(file, tmp_path / "copy.lukasa")
    assert read_all(tmp_path / copy) == read_all(file)
    assert len(read_all(file)) == ENTRIES
