"""The statement-fault sweep: whichever statement of a writing operation fails, nothing has changed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

import lukasa
from lukasa.config import Settings
from lukasa.db import open_database
from lukasa.handle import Reader
from lukasa.ids import new_id
from lukasa.testing import FarEmbedder, Faulty, InjectedError, state

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lukasa.testing import FrozenClock

SHARED = "project/apollo"
CHANNEL = "channel/agent:ana:session:s1"
OWN_ENTRIES = 5  # what `planted` puts into ana's own space


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One writing operation of the public API, on the world that `planted` makes."""

    covers: str
    run: Callable[[World], object]


@dataclass(frozen=True, kw_only=True)
class World:
    store: lukasa.Store
    ana: lukasa.Handle
    file: Path


def several(world: World) -> None:
    """Two operations that are kept together."""
    with world.store.transaction():
        world.ana.write("home", "Oslo")
        world.ana.forget("new")


OPERATIONS = {
    "remember": Operation(
        covers="Handle.remember", run=lambda w: w.ana.remember("new", tags=["a"], name="n")
    ),
    "remember in a new space": Operation(
        covers="Handle.remember", run=lambda w: w.ana.remember("new", scope="channel/agent:ana:session:s9")
    ),
    "remember again": Operation(covers="Handle.remember", run=lambda w: w.ana.remember("Rome", tags=["z"])),
    "remember over the cap": Operation(covers="Handle.remember", run=lambda w: w.ana.remember("newer")),
    "add": Operation(covers="Handle.add", run=lambda w: w.ana.add("n", "new", metadata={"a": 1})),
    "update": Operation(
        covers="Handle.update",
        run=lambda w: w.ana.update("home", content="Oslo", name="abode", tags=["b"], kind="event"),
    ),
    "update cleared": Operation(
        covers="Handle.update", run=lambda w: w.ana.update("home", name=None, tags=[], summary=None)
    ),
    "write": Operation(covers="Handle.write", run=lambda w: w.ana.write("home", "Oslo and Bergen")),
    "rename": Operation(covers="Handle.rename", run=lambda w: w.ana.rename("home", "abode")),
    "rename to its alias": Operation(covers="Handle.rename", run=lambda w: w.ana.rename("home", "house")),
    "alias": Operation(covers="Handle.alias", run=lambda w: w.ana.alias("home", "abode")),
    "complete": Operation(covers="Handle.complete", run=lambda w: w.ana.complete("chore", status="open")),
    "link": Operation(covers="Handle.link", run=lambda w: w.ana.link("home", "about", "chore")),
    "link that supersedes": Operation(
        covers="Handle.link", run=lambda w: w.ana.link("new", "supersedes", "home")
    ),
    "supersede": Operation(covers="Handle.supersede", run=lambda w: w.ana.supersede("home", "plan")),
    "unlink": Operation(covers="Handle.unlink", run=lambda w: w.ana.unlink("new", "supersedes", "old")),
    "undo": Operation(covers="Handle.undo", run=lambda w: w.ana.undo("home")),
    "forget": Operation(covers="Handle.forget", run=lambda w: w.ana.forget("new")),
    "forget what is linked": Operation(covers="Handle.forget", run=lambda w: w.ana.forget("plan")),
    "remove": Operation(covers="Handle.remove", run=lambda w: w.ana.remove("house")),
    "forget an agent": Operation(covers="Store.forget_agent", run=lambda w: w.store.forget_agent("ana")),
    "import": Operation(covers="Store.import_", run=lambda w: w.store.import_(w.file)),
    "import as one agent's": Operation(
        covers="Store.import_", run=lambda w: w.store.import_(w.file, agent="zoe")
    ),
    "recall": Operation(covers="Reader.recall", run=lambda w: w.ana.recall("Rome")),
    "context": Operation(covers="Reader.context", run=lambda w: w.ana.context("Is it Rome?", floor=0.0)),
    "several as one": Operation(covers="Store.transaction", run=several),
}
READS = {
    "Handle": set[str](),
    "Reader": {"agent", "spaces", "get", "find", "list", "links", "history", "opening", "stats", "why"},
    "Store": {
        *(
            "agent",
            "agents",
            "check",
            "close",
            "export",
            "index_state",
            "location",
            "model",
            "schema",
            "stats",
        )
    },
}
# These go on where they stopped: a failure leaves a sound store that answers, and the next run ends the work.
RESUMED: dict[str, dict[str, Callable[[lukasa.Store], object]]] = {
    "Store.reindex": {
        "by another model": lambda store: store.reindex(model="hashed:64"),
        "in another language": lambda store: store.reindex(language="german"),
        "without a model": lambda store: store.reindex(model="none"),
    },
    "Store.embed_pending": {"of a remote model": lambda store: store.embed_pending()},
}


def planted(store: lukasa.Store, file: Path) -> World:
    """A store with something of everything that an operation can meet."""
    ana, bob = store.agent("ana", shares=[SHARED]), store.agent("bob", shares=[SHARED])
    rome = ana.remember("Rome", tags=["a"])
    ana.add("home", "Rome, in a flat", tags=["a", "b"], summary="s")
    ana.alias("home", "house")
    ana.add("chore", "todo: x")
    ana.add("old", "Lima")
    ana.add("new", "Quito")
    ana.supersede("old", "new")
    bob.add("plan", "ours", scope=SHARED)
    ana.link("home", "about", "plan")
    ana.link("plan", "supports", "home")
    ana.link(rome.id, "depends_on", "plan")
    ana.supersede("chore", "plan")
    ana.complete("chore")
    ana.remember("said", scope=CHANNEL)
    return World(store=store, ana=ana, file=file)


def write_records(path: Path) -> None:
    one, two = new_id(1), new_id(2)
    records: list[dict[str, object]] = [
        {"content": "one", "id": one, "space": "agent/zed", "name": "one", "tags": ["t"], "aliases": ["uno"]},
        {"content": "two", "id": two, "space": "project/new"},
        {
            "type": "link",
            "relation": "supersedes",
            "created_at": 0,
            "from_id": two,
            "space": "project/new",
            "to_id": one,
            "to_space": "agent/zed",
        },
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_failed_statement_changes_nothing(
    location: str, clock: FrozenClock, tmp_path: Path, name: str
) -> None:
    database = open_database(location, clock=clock)
    faulty = Faulty(database)
    cap = OWN_ENTRIES if name == "remember over the cap" else None
    with lukasa.Store(faulty, settings=Settings(max_memories=cap), clock=clock) as store:
        write_records(tmp_path / "in")
        world = planted(store, tmp_path / "in")
        clock.forward(seconds=1)
        before, failures = state(database), 0
        while not succeeds(faulty, failures + 1, world, name):
            failures += 1
            assert state(database) == before, f"statement {failures} failed and left something"
        assert failures > 2, "an operation that changes something runs several statements"
        assert state(database) != before
        assert store.check().problems == ()


def succeeds(faulty: Faulty, statement: int, world: World, name: str) -> bool:
    """Runs the operation with that statement failing; whether there were fewer statements than that."""
    return ended(faulty, statement, lambda: OPERATIONS[name].run(world))


def test_every_writing_operation_is_swept() -> None:
    public = {
        f"{kind.__name__}.{name}"
        for kind in (lukasa.Handle, Reader, lukasa.Store)
        for name in vars(kind)
        if not name.startswith("_") and name not in READS[kind.__name__]
    }
    assert {operation.covers for operation in OPERATIONS.values()} | RESUMED.keys() == public


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for operations in RESUMED.values() for name in operations])
def test_a_failed_statement_of_what_goes_on_later_leaves_a_sound_store(
    location: str, clock: FrozenClock, name: str
) -> None:
    run = next(operations[name] for operations in RESUMED.values() if name in operations)
    far = FarEmbedder() if name == "of a remote model" else None
    faulty = Faulty(open_database(location, clock=clock))
    settings = Settings(embedding="hashed:32")
    with lukasa.Store(faulty, settings=settings, clock=clock, embedder=far) as store:
        failures, ends = 0, set[tuple[object, ...]]()
        while True:
            begin(store, failures)
            if ended(faulty, failures + 1, lambda: run(store)):
                break
            failures += 1
            assert store.check().problems == ()
            if far is None:
                assert "Rome" in store.agent("ana").recall("Rome", observe=False).hits[0].entry.content
            clock.forward(seconds=61)
            run(store)
            state = store.index_state()
            ends.add((state.model, state.language, state.coming, state.without_vector, state.pending))
        assert failures > 5
        assert len(ends) == 1, f"it ended in different ways: {ends}"
        assert ends.pop()[2:] == (None, 0, 0)
        assert store.check().problems == ()


def begin(store: lukasa.Store, turn: int) -> None:
    """A store by a small model, with something in it to do."""
    if store.index_state().language == "german":
        store.reindex(language="english")
    if turn and store.index_state().model in {None, "hashed:64@1"}:
        store.reindex(model="hashed:32")
    for agent, place in (("ana", "Rome"), ("bob", "Lima")):
        handle = store.agent(agent)
        # As many each time: a sweep over what grows would never end.
        if handle.find("home"):
            handle.forget("home")
        handle.add("home", f"The house in {place} has number {turn}.")


def ended(faulty: Faulty, statement: int, operation: Callable[[], object]) -> bool:
    """Runs an operation with that statement failing; whether there were fewer statements than that."""
    faulty.statements, faulty.fail_at = 0, statement
    try:
        operation()
    except InjectedError:
        return False
    finally:
        faulty.fail_at = 0
    return True
