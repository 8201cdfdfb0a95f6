"""Isolation: a handle reaches its agent's spaces and what it was bound to, by no way anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lukasa.errors import LukasaError, NotFoundError, UsageError
from lukasa.testing.contract.sight import contents, everything, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lukasa.entries.entry import Entry
    from lukasa.entries.reading import Ref
    from lukasa.handle import Handle
    from lukasa.memory import Store

MARK = "quagga"
MALFORMED = (
    "", " ", "ana", "agent", "agent/", "/ana", "project/", "team/x", "Project/apollo", "project/a b",
    "project/\u00e9", "agent/b*", "agent/%", "channel/x", "channel/agent:ana", "channel/agent:ana:session:",
    "project/apollo\n", "project/" + "x" * 201, "agent/" + "x" * 121, "agent/ana/bob",
)  # fmt: skip


def attempts(handle: Handle, ref: Ref, own: Ref) -> Iterator[tuple[str, Callable[[], object]]]:
    """Every operation that takes a reference, on `ref`; `own` is an entry of the handle's."""
    yield "get", lambda: handle.get(ref)
    yield "get as of", lambda: handle.get(ref, as_of="2100-01-01")
    yield "update", lambda: handle.update(ref, pinned=True)
    yield "write", lambda: handle.write(ref, "taken over")
    yield "rename", lambda: handle.rename(ref, "taken over")
    yield "alias", lambda: handle.alias(ref, "taken over")
    yield "complete", lambda: handle.complete(ref)
    yield "link from", lambda: handle.link(ref, "about", own)
    yield "link to", lambda: handle.link(own, "about", ref)
    yield "unlink", lambda: handle.unlink(own, "about", ref)
    yield "links", lambda: handle.links(ref)
    yield "supersede", lambda: handle.supersede(ref, own)
    yield "supersede by", lambda: handle.supersede(own, ref)
    yield "history", lambda: handle.history(ref)
    yield "undo", lambda: handle.undo(ref)
    yield "forget", lambda: handle.forget(ref)


def planted(bob: Handle) -> Entry:
    """An entry of bob's with his mark in every part of it."""
    bob.add(
        f"{MARK} name", f"The {MARK} is bob's", tags=[MARK], summary=f"{MARK} summary", context=MARK,
        category=MARK, source_type=MARK, source_id=MARK, session_id=MARK, metadata={MARK: MARK},
    )  # fmt: skip
    bob.alias(f"{MARK} name", f"{MARK} alias")
    other = bob.remember(f"Another {MARK}")
    bob.link(f"{MARK} name", "about", other.id, provenance=MARK)
    return bob.write(f"{MARK} name", f"The {MARK} ran")


class IsolationContract:
    """Another agent's entry is not there: for no operation, reference, filter or error."""

    def test_no_operation_reaches_another_agents_entry(self, store: Store) -> None:
        ana, bob = store.agent("ana"), store.agent("bob")
        entry, own = planted(bob), ana.remember("ana's own")
        for ref in (entry.id, entry.number, f"#{entry.number}", f"{MARK} name", f"{MARK} alias"):
            assert ana.find(ref) is None
            for _, attempt in attempts(ana, ref, own.id):
                with refused(NotFoundError, ana, bob):
                    attempt()

    def test_no_filter_shows_it(self, store: Store) -> None:
        ana, bob = store.agent("ana"), store.agent("bob")
        planted(bob)
        ana.remember("ana's own")
        assert contents(ana, hidden=True) == ["ana's own"]
        assert ana.list(text=MARK, hidden=True).entries == ()
        assert ana.list(tags=[MARK]).entries == ana.list(category=MARK).entries == ()
        assert ana.list(source_type=MARK).entries == ana.list(session_id=MARK).entries == ()
        assert (ana.stats().entries, ana.stats().spaces) == (1, 1)

    def test_no_error_speaks_of_it(self, store: Store) -> None:
        ana, bob = store.agent("ana"), store.agent("bob")
        entry, own = planted(bob), ana.remember("ana's own")
        for ref in (entry.id, entry.number, "quagg name", "quagg alias"):
            for _, attempt in attempts(ana, ref, own.id):
                with pytest.raises(LukasaError) as caught:
                    attempt()
                assert MARK not in str(caught.value)
                assert "bob" not in str(caught.value)

    def test_the_same_names_texts_and_tags_are_free_for_each(self, store: Store) -> None:
        ana, bob = store.agent("ana"), store.agent("bob")
        entry = planted(bob)
        before = everything(bob)
        mine = ana.add(f"{MARK} name", entry.content, kind=entry.kind)
        assert (mine.seen, mine.id == entry.id) == (1, False)
        ana.rename(f"{MARK} name", f"{MARK} alias")
        ana.forget(mine.id)
        assert everything(bob) == before

    def test_another_agents_space_cannot_be_bound_or_named(self, store: Store) -> None:
        store.agent("bob").remember("bob's", scope="channel/agent:bob:session:s1")
        ana = store.agent("ana")
        for space in ("agent/bob", "channel/agent:bob:session:s1"):
            with pytest.raises(UsageError, match="another agent"):
                store.agent("ana", shares=[space])
            with pytest.raises(UsageError, match="another agent"):
                store.agent("ana", reads=[space])
            for attempt in self._scoped(ana, space):
                with refused(UsageError, ana, match="not bound"):
                    attempt()

    @staticmethod
    def _scoped(handle: Handle, scope: str) -> list[Callable[[], object]]:
        return [
            lambda: handle.remember("x", scope=scope),
            lambda: handle.add("x", "x", scope=scope),
            lambda: handle.get("x", scope=scope),
            lambda: handle.find("x", scope=scope),
            lambda: handle.list(scope=scope),
            lambda: handle.get("x", scope=scope, as_of=0),
        ]

    def test_a_malformed_scope_is_an_error_never_a_wider_search(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        ana.remember("x")
        for scope in MALFORMED:
            for attempt in self._scoped(ana, scope):
                with pytest.raises(UsageError):
                    attempt()
            with pytest.raises(UsageError):
                store.agent("ana", shares=[scope])
        assert contents(ana) == ["x"]

    def test_a_malformed_agent_is_an_error(self, store: Store) -> None:
        for agent in ("", " ", "a b", "a/b", "\u00e9", "x" * 121, "ana\n", "*", "%"):
            with pytest.raises(UsageError, match="agent id"):
                store.agent(agent)
            with pytest.raises(UsageError, match="agent id"):
                store.forget_agent(agent)

    def test_an_agent_whose_name_begins_like_another(self, store: Store) -> None:
        names = ("a", "ab", "a:session:b", "a_", "A")
        for name in names:
            store.agent(name).remember(f"of {name}")
            store.agent(name).remember(f"said to {name}", scope=f"channel/agent:{name}:session:s")
        for name in names:
            assert contents(store.agent(name)) == [f"said to {name}", f"of {name}"]


class ShareContract:
    """What is shared is seen by those that were bound to it, and written by those that may."""

    def test_a_share_is_seen_by_those_bound_to_it(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        ours = ana.remember("ours", scope="project/apollo")
        assert store.agent("bob", shares=["project/apollo"]).get(ours.id).agent_id == "ana"
        for stranger in (
            store.agent("bob"),
            store.agent("bob", shares=["project/apollo2"]),
            store.agent("ana"),
        ):
            assert stranger.find(ours.id) is None
            assert contents(stranger, hidden=True) == []

    def test_what_is_bound_for_reading_is_not_written(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        ana.add("plan", "ours", scope="project/apollo")
        ana.write("plan", "still ours")
        other = ana.remember("other", scope="project/apollo")
        ana.link("plan", "about", other.id)
        reader = store.agent("bob", reads=["project/apollo"])
        own = reader.remember("bob's own")
        assert len(reader.history("plan")) == 2
        assert len(reader.links("plan")) == 1
        reading = ("get", "get as of", "links", "history", "link to", "unlink", "supersede by")
        for name, attempt in attempts(reader, "plan", own.id):
            if name not in reading:
                with refused(UsageError, reader, ana, match="reading only"):
                    attempt()
        with refused(UsageError, reader, ana):
            reader.remember("x", scope="project/apollo")
        with refused(UsageError, reader, ana):
            reader.unlink("plan", "about", other.id)

    def test_ones_own_may_point_at_what_one_may_only_read(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        ours = ana.remember("ours", scope="project/apollo")
        reader = store.agent("bob", reads=["project/apollo"])
        own = reader.remember("bob's own")
        assert reader.link(own.id, "about", ours.id).to_id == ours.id
        assert len(reader.links(own.id)) == 1
        assert ana.links(ours.id) == ()

    def test_bound_for_both_is_bound_for_writing(self, store: Store) -> None:
        handle = store.agent("ana", shares=["project/apollo"], reads=["project/apollo"])
        assert handle.remember("x", scope="project/apollo").space == "project/apollo"
        assert handle.spaces == ("agent/ana", "project/apollo")

    def test_agents_write_each_others_shared_entries(self, store: Store) -> None:
        shares = ["global/shared"]
        ana, bob = store.agent("ana", shares=shares), store.agent("bob", shares=shares)
        ana.add("plan", "one", scope="global/shared")
        assert bob.write("plan", "two").agent_id == "ana"
        assert bob.remember("two", scope="global/shared", name="plan").seen == 2
        bob.forget("plan")
        assert contents(ana) == []

    def test_nearest_names_are_those_in_sight(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        ana.add("quagga", "mine")
        ana.add("quagger", "ours", scope="project/apollo")
        with pytest.raises(NotFoundError) as caught:
            store.agent("bob", reads=["project/apollo"]).get("quaggas")
        assert caught.value.near == ("quagger",)
