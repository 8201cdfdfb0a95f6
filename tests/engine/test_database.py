"""The seam's contract, word for word from `db.database`, on each engine."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

import pytest

from lukasa.errors import (
    ConflictError,
    LukasaError,
    StoreDamagedError,
    StoreError,
    StoreNotWritableError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from lukasa.db import Database, Value


Answer = TypeVar("Answer")


class StopHereError(Exception):
    """What a test undoes a transaction with."""


@contextmanager
def undone(database: Database) -> Generator[None]:
    """A transaction whose block fails at its end."""
    with suppress(StopHereError), database.transaction():
        yield
        raise StopHereError


def add(database: Database, *spaces: str) -> None:
    for space in spaces:
        number = database.row("next_space")
        assert number is not None
        database.rows("add_space", space=space, number=number.integer("number"), owner=None, added=0, now=1)


def spaces(database: Database) -> list[str]:
    return [row.text("space") for row in database.rows("list_spaces", after="", limit=1000)]


def test_rows_come_in_the_order_of_the_query(database: Database) -> None:
    with database.transaction():
        add(database, "project/b", "project/a")
    rows = database.rows("list_spaces", after="", limit=10)
    assert [row.text("space") for row in rows] == ["project/a", "project/b"]
    assert [row.integer("created_at") for row in rows] == [1, 1]
    assert [row.maybe_text("agent_id") for row in rows] == [None, None]


def test_row_is_the_first_or_none(database: Database) -> None:
    with database.transaction():
        add(database, "project/b", "project/a")
    first = database.row("list_spaces", after="", limit=10)
    assert first is not None
    assert first.text("space") == "project/a"
    assert database.row("list_spaces", after="project/z", limit=10) is None


def test_a_column_of_another_type_is_damage(database: Database) -> None:
    row = database.rows("list_migrations")[0]
    assert (row.integer("version"), row.text("name")) == (1, "store")
    with pytest.raises(StoreDamagedError, match="should hold an integer, found str"):
        row.integer("name")


def test_a_transaction_is_kept_when_its_block_ends(database: Database) -> None:
    with database.transaction():
        add(database, "project/a", "project/b")
        assert spaces(database) == ["project/a", "project/b"]
    assert spaces(database) == ["project/a", "project/b"]


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    with undone(database):
        add(database, "project/a")
    assert spaces(database) == []


def test_an_inner_failure_undoes_its_part_alone(database: Database) -> None:
    with database.transaction():
        add(database, "project/outer")
        with undone(database):
            add(database, "project/inner")
            with database.transaction():
                add(database, "project/innermost")
        with database.transaction():
            add(database, "project/second")
    assert spaces(database) == ["project/outer", "project/second"]


def test_an_outer_failure_undoes_the_inner_part_too(database: Database) -> None:
    with undone(database), database.transaction():
        add(database, "project/inner")
    assert spaces(database) == []


def test_a_refused_row_inside_leaves_the_outer_part_usable(database: Database) -> None:
    with database.transaction():
        add(database, "project/outer")
        with pytest.raises(ConflictError), database.transaction():
            database.rows("add_space", space="project/b", number=1, owner=None, added=0, now=1)
        add(database, "project/after")
    assert spaces(database) == ["project/after", "project/outer"]


def test_a_write_inside_a_read_transaction_is_refused(database: Database) -> None:
    with database.transaction(write=False):
        with pytest.raises(StoreError, match="inside a read transaction"), database.transaction():
            pytest.fail("it was let in")
        with pytest.raises(LukasaError):
            add(database, "project/a")
    assert spaces(database) == []


@pytest.mark.parametrize("born", [False, True])
def test_nothing_is_written_outside_a_transaction(database: Database, *, born: bool) -> None:
    if born:
        with database.transaction():
            add(database, "project/a")
    kept = spaces(database)
    with pytest.raises(StoreNotWritableError):
        database.rows("add_space", space="project/b", number=9, owner=None, added=0, now=1)
    assert spaces(database) == kept


def test_a_read_transaction_may_stand_inside_a_write(database: Database) -> None:
    with database.transaction():
        add(database, "project/a")
        with database.transaction(write=False):
            assert spaces(database) == ["project/a"]


def elsewhere(work: Callable[[], Answer]) -> Answer:
    """The answer of another thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result(timeout=30)


@pytest.mark.parametrize("born", [False, True])
def test_reads_outside_see_committed_state_only(database: Database, *, born: bool) -> None:
    if born:
        with database.transaction():
            add(database, "project/a")
    kept = spaces(database)
    with database.transaction():
        add(database, "project/b")
        assert elsewhere(lambda: spaces(database)) == kept
    assert elsewhere(lambda: spaces(database)) == [*kept, "project/b"]


@pytest.mark.parametrize("born", [False, True])
def test_a_read_transaction_sees_one_moment(database: Database, *, born: bool) -> None:
    if born:
        with database.transaction():
            add(database, "project/a")

    def write() -> None:
        with database.transaction():
            add(database, "project/b")

    with database.transaction(write=False):
        before = spaces(database)
        elsewhere(write)
        assert spaces(database) == before
    assert spaces(database) == [*before, "project/b"]


def test_eight_threads_read_and_write_at_once(database: Database) -> None:
    failures: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            for turn in range(12):
                with database.transaction():
                    add(database, f"project/{thread}-{turn:02}")
                seen = [space for space in spaces(database) if space.startswith(f"project/{thread}-")]
                assert len(seen) == turn + 1
                with database.transaction(write=False):
                    assert spaces(database) == spaces(database)
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    numbers = [row.integer("number") for row in database.rows("list_spaces", after="", limit=1000)]
    assert len(numbers) == len(set(numbers)) == 96


def test_a_second_row_of_a_unique_value_is_a_conflict(database: Database) -> None:
    with database.transaction():
        add(database, "project/a")
    with pytest.raises(ConflictError, match="refused a row"), database.transaction():
        database.rows("add_space", space="project/b", number=1, owner=None, added=0, now=1)
    assert spaces(database) == ["project/a"]


def test_a_row_that_breaks_a_rule_is_a_conflict(database: Database) -> None:
    with pytest.raises(ConflictError), database.transaction():
        database.rows("add_space", space="project/a", number=1, owner=None, added=-1, now=1)
    with pytest.raises(ConflictError), database.transaction():
        database.rows("add_tags", space="project/a", id="nobody", origin="user", tags='["x"]')
    assert spaces(database) == []


@pytest.mark.parametrize("values", [{"number": 2**63}, {"number": -(2**70)}, {"space": "half \ud800"}])
def test_a_value_that_does_not_fit_is_an_error_of_ours(
    database: Database, values: dict[str, int | str]
) -> None:
    whole: dict[str, Value] = {"space": "project/a", "number": 1, "owner": None, "added": 0, "now": 1}
    with pytest.raises(UsageError, match="no room"), database.transaction():
        database.rows("add_space", **whole | values)


def test_an_error_of_the_callers_own_passes_unchanged(database: Database) -> None:
    error = FileNotFoundError("not the store's")
    with pytest.raises(FileNotFoundError) as caught, database.transaction(), database.transaction():
        raise error
    assert caught.value is error


@pytest.mark.parametrize("write", [False, True])
def test_an_interrupt_undoes_the_transaction_and_frees_the_store(database: Database, *, write: bool) -> None:
    with suppress(KeyboardInterrupt), database.transaction(write=write):
        if write:
            add(database, "project/a")
        raise KeyboardInterrupt
    assert elsewhere(lambda: spaces(database)) == []

    def write_elsewhere() -> None:
        with database.transaction():
            add(database, "project/b")

    elsewhere(write_elsewhere)
    assert spaces(database) == ["project/b"]


def test_a_closed_store_opens_again(database: Database) -> None:
    with database.transaction():
        add(database, "project/a")
    database.close()
    assert spaces(database) == ["project/a"]
    database.close()
    with database.transaction():
        add(database, "project/b")
    database.close()
    database.close()
    assert spaces(database) == ["project/a", "project/b"]


def test_closing_while_other_threads_read_disturbs_none_of_them(database: Database) -> None:
    with database.transaction():
        add(database, "project/a")
    stop = threading.Event()

    def read() -> int:
        count = 0
        while not stop.is_set():
            assert spaces(database) == ["project/a"]
            count += 1
        return count

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        for _ in range(20):
            database.close()
        stop.set()
        assert sum(reader.result(timeout=30) for reader in readers) > 0


def test_closing_inside_a_transaction_does_not_end_it(database: Database) -> None:
    with database.transaction():
        add(database, "project/a")
        database.close()
        add(database, "project/b")
    assert spaces(database) == ["project/a", "project/b"]
