"""After a fork parent and child both go on, with open readers, writers and threads, on each engine."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from lukasa.db import Database, Row, open_database
from lukasa.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from lukasa.testing import FrozenClock

    InChild = Callable[[Callable[[], object]], str]

# A pool has threads of its own, and Python 3.12 warns of every fork beside threads.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

TURNS = 15


def add(database: Database, *spaces: str) -> None:
    with database.transaction():
        for space in spaces:
            number = database.row("next_space")
            assert number is not None
            database.rows(
                "add_space", space=space, number=number.integer("number"), owner=None, added=0, now=1
            )


def spaces(database: Database) -> list[str]:
    return [row.text("space").removeprefix("project/") for row in all_spaces(database)]


def all_spaces(database: Database) -> list[Row]:
    return database.rows("list_spaces", after="", limit=1_000_000)


def assert_sound(database: Database) -> None:
    numbers = [row.integer("number") for row in all_spaces(database)]
    assert len(numbers) == len(set(numbers))
    assert database.problems() == []


@contextmanager
def busy_threads(work: Callable[[int], None]) -> Generator[None]:
    """Three threads that repeat the work until the block ends; each has done it once before it begins."""
    stop = threading.Event()
    begun = threading.Barrier(4)

    def repeat(thread: int) -> int:
        turn = 0
        while turn == 0 or not stop.is_set():
            work(thread * 100_000 + turn)
            if turn == 0:
                begun.wait(60)
            turn += 1
        return turn

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(repeat, thread) for thread in range(3)]
        try:
            begun.wait(60)
            yield
        finally:
            stop.set()
        assert all(thread.result(timeout=60) > 0 for thread in running)


def test_parent_and_child_both_read_and_write_on(database: Database, in_child: InChild) -> None:
    add(database, "project/before")
    assert spaces(database) == ["before"]

    def child() -> str:
        add(database, "project/child")
        return " ".join(spaces(database))

    assert in_child(child) == "before child"
    add(database, "project/parent")
    assert spaces(database) == ["before", "child", "parent"]
    assert_sound(database)


def test_parent_and_child_write_at_the_same_time(database: Database, in_child: InChild) -> None:
    add(database, "project/before")

    def many(who: str) -> int:
        for turn in range(TURNS):
            add(database, f"project/{who}-{turn:02}")
            assert f"{who}-{turn:02}" in spaces(database)
        return len([space for space in spaces(database) if space.startswith(who)])

    def after_the_childs_first() -> int:
        while "child-00" not in spaces(database):
            pass
        return many("parent")

    with ThreadPoolExecutor(1) as pool:
        parent = pool.submit(after_the_childs_first)
        assert in_child(lambda: many("child")) == str(TURNS)
        assert parent.result(timeout=60) == TURNS
    assert len(spaces(database)) == 2 * TURNS + 1
    assert_sound(database)


def test_what_the_parent_did_before_is_not_undone_by_the_childs_end(
    database: Database, in_child: InChild
) -> None:
    add(database, "project/before")
    for turn in range(4):
        assert in_child(lambda: len(spaces(database))) == str(turn + 1)
        add(database, f"project/after-{turn}")
    assert spaces(database) == ["after-0", "after-1", "after-2", "after-3", "before"]
    assert_sound(database)


def test_a_child_that_closes_the_store_closes_its_own_alone(database: Database, in_child: InChild) -> None:
    add(database, "project/before")

    def child() -> str:
        database.close()
        add(database, "project/child")
        database.close()
        return "closed"

    with database.transaction(write=False):
        assert spaces(database) == ["before"]
    assert in_child(child) == "closed"
    add(database, "project/parent")
    assert spaces(database) == ["before", "child", "parent"]


def test_children_of_children_write_too(database: Database, in_child: InChild) -> None:
    add(database, "project/before")

    def child() -> str:
        add(database, "project/child")
        said = in_child(lambda: add(database, "project/grandchild"))
        return f"{said} {len(spaces(database))}"

    assert in_child(child) == "None 3"
    assert spaces(database) == ["before", "child", "grandchild"]
    assert_sound(database)


def test_threads_of_the_child_write_beside_each_other(database: Database, in_child: InChild) -> None:
    add(database, "project/before")

    def child() -> int:
        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(add, database, f"project/{turn:02}") for turn in range(TURNS)]:
                done.result(timeout=60)
        return len(spaces(database))

    assert in_child(child) == str(TURNS + 1)
    assert len(spaces(database)) == TURNS + 1
    assert_sound(database)


def test_a_fork_beside_threads_that_write_loses_nothing(database: Database, in_child: InChild) -> None:
    written: list[str] = []

    def write(turn: int) -> None:
        add(database, f"project/thread-{turn:06}")
        written.append(f"thread-{turn:06}")

    def child(number: int) -> int:
        add(database, f"project/child-{number}")
        return sum(space.startswith("child") for space in spaces(database))

    with busy_threads(write):
        for number in range(5):
            assert in_child(lambda number=number: child(number)) == str(number + 1)
    assert spaces(database) == sorted([*written, *(f"child-{number}" for number in range(5))])
    assert_sound(database)


def test_a_fork_beside_threads_that_read_disturbs_none_of_them(database: Database, in_child: InChild) -> None:
    add(database, "project/before")

    def read(_turn: int) -> None:
        with database.transaction(write=False):
            assert "before" in spaces(database)
            assert spaces(database) == spaces(database)
        assert "before" in spaces(database)

    with busy_threads(read):
        for number in range(5):
            assert in_child(lambda number=number: add(database, f"project/child-{number}")) == "None"
    assert len(spaces(database)) == 6


def test_a_store_without_a_file_yet_is_born_in_the_child_or_in_the_parent(
    database: Database, in_child: InChild
) -> None:
    assert spaces(database) == []
    assert in_child(lambda: add(database, "project/child")) == "None"
    assert spaces(database) == ["child"]
    add(database, "project/parent")
    assert spaces(database) == ["child", "parent"]
    assert_sound(database)


@pytest.mark.parametrize("born", [False, True])
def test_a_child_forked_inside_a_write_is_refused_and_the_parent_goes_on(
    database: Database, in_child: InChild, *, born: bool
) -> None:
    if born:
        add(database, "project/before")
    kept = spaces(database)
    with database.transaction():
        add(database, "project/a")
        assert in_child(lambda: add(database, "project/child")).startswith("StoreError: This process was for")
        assert in_child(lambda: spaces(database)).startswith("StoreError: This process was for")
        add(database, "project/b")
    assert spaces(database) == ["a", "b", *kept]
    assert_sound(database)


def test_a_child_forked_inside_a_read_is_refused_and_the_parent_goes_on(
    database: Database, in_child: InChild
) -> None:
    add(database, "project/before")
    with database.transaction(write=False):
        assert spaces(database) == ["before"]
        assert "Fork outside of transactions" in in_child(lambda: spaces(database))
        assert spaces(database) == ["before"]
    add(database, "project/parent")
    assert in_child(lambda: spaces(database)) == "['before', 'parent']"


@pytest.mark.parametrize("raises", [False, True])
def test_a_child_that_leaves_the_parents_transaction_neither_commits_nor_undoes_it(
    database: Database, *, raises: bool
) -> None:
    add(database, "project/before")
    parent, status = os.getpid(), -1
    try:
        with database.transaction():
            add(database, "project/a")
            if child := os.fork():
                status = os.waitpid(child, 0)[1]
                add(database, "project/b")
            elif raises:
                raise KeyboardInterrupt  # noqa: TRY301 - it is how the child leaves
    except BaseException as error:
        if os.getpid() == parent:
            raise
        os._exit(0 if type(error) is (KeyboardInterrupt if raises else StoreError) else 3)
    if os.getpid() != parent:
        os._exit(4)
    assert status == 0
    assert spaces(database) == ["a", "b", "before"]
    assert_sound(database)


def test_each_store_of_a_process_survives_the_fork(
    location: str, database: Database, clock: FrozenClock, in_child: InChild
) -> None:
    second = open_database(location, clock=clock)
    add(database, "project/first")
    add(second, "project/second")

    def child() -> str:
        add(second, "project/of child by second")
        add(database, "project/of child by first")
        return str(spaces(second) == spaces(database))

    assert in_child(child) == "True"
    add(second, "project/third")
    second.close()
    assert spaces(database) == ["first", "of child by first", "of child by second", "second", "third"]
