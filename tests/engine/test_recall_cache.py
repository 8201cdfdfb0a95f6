"""What recall keeps in memory is never older, newer or larger than it may be, on each engine."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import lukasa
from lukasa.config import Recalling, Settings
from lukasa.db import open_database
from lukasa.recall import lexical
from lukasa.recall.cache import IndexCache
from lukasa.text.terms import key_of, terms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from subprocess import Popen

    from lukasa.db import Database
    from lukasa.memory import Handle
    from lukasa.recall.index import SpaceIndex
    from lukasa.testing import FrozenClock

    from .conftest import Start

PLAIN = Settings(embedding="hashed:16")
SPACE = "agent/ana"
MODEL = 1


@pytest.fixture
def opened(location: str, clock: FrozenClock) -> Iterator[lukasa.Store]:
    with lukasa.open(location, clock=clock, settings=PLAIN) as store:
        yield store


@pytest.fixture
def ana(opened: lukasa.Store) -> Handle:
    return opened.agent("ana")


def found(handle: Handle, query: str) -> list[str]:
    return [hit.entry.content for hit in handle.recall(query, mode="keyword", observe=False)]


def scores(handle: Handle, query: str) -> list[tuple[str, float]]:
    return [(hit.entry.id, hit.score) for hit in handle.recall(query, limit=50, observe=False)]


def index_of(db: Database, cache: IndexCache, space: str = SPACE) -> SpaceIndex:
    with db.transaction(write=False):
        (index,) = cache.indexes(db, [space], MODEL)
    return index


def test_another_process_writes_and_is_seen(
    ana: Handle, location: str, start: Start, ends_well: Callable[[Popen[str]], list[str]]
) -> None:
    ana.remember("The lighthouse is white.")
    assert found(ana, "lighthouse") == ["The lighthouse is white."]
    program = """
        import sys, lukasa
        from lukasa.config import Settings
        with lukasa.open(sys.argv[1], settings=Settings(embedding="hashed:16")) as store:
            ana = store.agent("ana")
            ana.forget(ana.recall("lighthouse").hits[0].entry.id)
            ana.remember("The harbour is old.")
    """
    ends_well(start(program, location))
    assert found(ana, "lighthouse") == []
    assert found(ana, "harbour") == ["The harbour is old."]


def test_what_was_taken_back_is_never_an_answer(opened: lukasa.Store, ana: Handle) -> None:
    ana.remember("The kettle is new.")

    def borrow() -> None:
        with opened.transaction():
            ana.remember("The samovar is borrowed.")
            assert found(ana, "samovar") == ["The samovar is borrowed."]
            raise KeyError

    with pytest.raises(KeyError):
        borrow()
    assert found(ana, "samovar") == []
    # This takes the version that was taken back.
    ana.remember("The teapot is blue.")
    assert found(ana, "samovar") == []
    assert found(ana, "teapot") == ["The teapot is blue."]


def test_a_reader_keeps_the_moment_of_its_transaction(location: str, clock: FrozenClock, ana: Handle) -> None:
    ana.remember("The first mast.")
    cache = IndexCache(megabytes=10)
    with closing(open_database(location, clock=clock)) as db:
        with db.transaction(write=False):
            (before,) = cache.indexes(db, [SPACE], MODEL)
            ana.remember("The second mast.")
            (during,) = cache.indexes(db, [SPACE], MODEL)
        after = index_of(db, cache)
    assert (before.count, during.count, after.count) == (1, 1, 2)
    assert before is during


def test_many_small_changes_give_the_same_as_loading_anew(
    ana: Handle, location: str, clock: FrozenClock
) -> None:
    ids: list[str] = []
    for number in range(60):
        clock.forward(seconds=1)
        ids.append(ana.remember(f"Note {number} of the deck, the mast and rope {number % 7}.").id)
        if number % 5 == 4:
            ana.forget(ids.pop(number % 3))
            ana.update(ids[0], content=f"The anchor was changed {number} times.")
        scores(ana, "mast")
    grown = scores(ana, "the mast and rope 3")
    with lukasa.open(location, clock=clock, settings=PLAIN) as anew:
        assert scores(anew.agent("ana"), "the mast and rope 3") == grown
    assert len(grown) > 8
    with closing(open_database(location, clock=clock)) as db:
        index = index_of(db, IndexCache(megabytes=10))
        assert index.count == len(ids)


def test_segments_stay_few_and_rows_are_not_lost(ana: Handle, location: str, clock: FrozenClock) -> None:
    cache = IndexCache(megabytes=10)
    with closing(open_database(location, clock=clock)) as db:
        for number in range(100):
            ana.remember(f"Crate {number} holds tin {number % 10}.")
            index_of(db, cache)
        index = index_of(db, cache)
        assert sum(segment.size for segment in index.segments) == index.size
        assert index.count == 100
        assert len(index.segments) <= 8
        anew = index_of(db, IndexCache(megabytes=10))
        keys = [key_of(term) for term in terms_of("crate tin 3")]
        assert sorted(lexical.bm25(index, keys)) == sorted(lexical.bm25(anew, keys))


def test_the_bound_holds_and_those_asked_least_lately_go_first(location: str, clock: FrozenClock) -> None:
    names = [f"tenant{number}" for number in range(20)]
    settings = Settings(embedding="hashed:1024")
    with lukasa.open(location, clock=clock, settings=settings) as store, store.transaction():
        for name in names:
            for number in range(30):
                store.agent(name).remember(f"{name} keeps list {number}.")
    with closing(open_database(location, clock=clock)) as db:
        one = index_of(db, IndexCache(megabytes=10), f"agent/{names[0]}").nbytes
        assert 1 < (1 << 20) // one < len(names), "the test is about more than fits"
        cache = IndexCache(megabytes=1)
        kept = index_of(db, cache, f"agent/{names[0]}")
        for name in names:
            index_of(db, cache, f"agent/{name}")
            assert cache.nbytes <= 1 << 20
            assert index_of(db, cache, f"agent/{names[0]}") is kept
        assert cache.nbytes > (1 << 20) - 2 * one
        assert [index_of(db, cache, f"agent/{name}").count for name in names] == [30] * len(names)


def test_a_space_larger_than_the_bound_is_answered_and_not_kept(location: str, clock: FrozenClock) -> None:
    settings = Settings(embedding="hashed:16", recall=Recalling(cache_mb=0))
    with lukasa.open(location, clock=clock, settings=settings) as store:
        store.agent("ana").remember("The gull is loud.")
        assert found(store.agent("ana"), "gull") == ["The gull is loud."]
        assert found(store.agent("ana"), "gull") == ["The gull is loud."]


def test_after_a_fork_each_side_sees_what_the_other_writes(
    ana: Handle, in_child: Callable[[Callable[[], object]], str]
) -> None:
    ana.remember("The pier is long.")
    assert found(ana, "pier") == ["The pier is long."]

    def in_the_child() -> list[str]:
        seen = found(ana, "pier")
        ana.remember("The pier was mended.")
        return seen + sorted(found(ana, "mended"))

    assert in_child(in_the_child) == str(["The pier is long.", "The pier was mended."])
    assert found(ana, "mended") == ["The pier was mended."]


def test_a_child_is_not_held_up_by_a_thread_that_it_does_not_have(
    ana: Handle, in_child: Callable[[Callable[[], object]], str]
) -> None:
    ana.remember("The buoy is red.")
    done = threading.Event()

    def recall_on_and_on() -> None:
        while not done.is_set():
            found(ana, "buoy")

    busy = threading.Thread(target=recall_on_and_on)
    busy.start()
    try:
        for _ in range(5):
            assert in_child(lambda: found(ana, "buoy")) == str(["The buoy is red."])
    finally:
        done.set()
        busy.join()


def test_threads_share_one_cache_without_disturbing_each_other(opened: lukasa.Store) -> None:
    with opened.transaction():
        for number in range(200):
            opened.agent("ana").remember(f"Barrel {number} of {'salt' if number % 2 else 'lime'}.")
    wrong: list[object] = []

    def ask(word: str) -> None:
        for _ in range(20):
            answers = found(opened.agent("ana"), word)
            if len(answers) != 8 or not all(word in answer for answer in answers):
                wrong.append(answers)

    threads = [threading.Thread(target=ask, args=(word,)) for word in ("salt", "lime", "salt", "lime")]
    for thread in threads:
        thread.start()
    for number in range(20):
        opened.agent("ana").remember(f"Sack {number}.")
    for thread in threads:
        thread.join()
    assert wrong == []
