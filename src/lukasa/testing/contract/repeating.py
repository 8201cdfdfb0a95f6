"""The same thing said again: one entry, never two rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lukasa.clock import DAY
from lukasa.errors import DuplicateError
from lukasa.testing.contract.sight import contents, refused

if TYPE_CHECKING:
    from lukasa.memory import Store
    from lukasa.testing.frozen import FrozenClock


class RepeatContract:
    """The same text in the same space, kind and name is one entry, seen once more."""

    def test_the_same_text_is_one_entry_seen_twice(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        first = ana.remember("The sky is blue")
        clock.forward(days=1)
        again = ana.remember("  The sky is blue\n")
        assert (again.id, again.number, again.seen) == (first.id, first.number, 2)
        assert (again.created_at, again.updated_at) == (first.created_at, clock.now())
        assert ana.get(first.id) == again
        assert contents(ana) == ["The sky is blue"]

    def test_another_kind_name_space_or_agent_is_another_entry(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        entries = [
            ana.remember("x"),
            ana.remember("x", kind="note"),
            ana.remember("x", name="x"),
            ana.remember("x", scope="project/apollo"),
            store.agent("bob").remember("x"),
        ]
        assert len({entry.id for entry in entries}) == len(entries)

    def test_a_named_entry_said_again_is_one_entry(self, store: Store) -> None:
        ana = store.agent("ana")
        first = ana.remember("steps", name="deploy")
        assert ana.remember("steps", name="deploy").id == first.id
        with refused(DuplicateError, ana, match="deploy"):
            ana.remember("other steps", name="deploy")

    def test_tags_are_united(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.remember("x", tags=["a", "b"])
        assert ana.remember("x", tags=["b", "c"]).tags == ("a", "b", "c")
        assert ana.remember("x").tags == ("a", "b", "c")
        assert ana.list(tags=["a", "c"]).entries[0].seen == 3

    def test_what_is_new_is_taken_in_and_can_be_undone(self, store: Store) -> None:
        ana = store.agent("ana")
        first = ana.remember("x", summary="old")
        again = ana.remember("x", summary="new", importance=0.9, metadata={"a": 1})
        assert (again.summary, again.importance, again.metadata) == ("new", 0.9, {"a": 1})
        undone = ana.undo(first.id)
        assert (undone.summary, undone.importance, undone.metadata, undone.seen) == ("old", 0.5, {}, 2)

    def test_its_life_begins_anew(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        ana.remember("I noticed a leak")
        clock.forward(days=60)
        assert ana.remember("I noticed a leak").expires_at == clock.now() + 90 * DAY

    @pytest.mark.parametrize("given", [None, "2026-05-03"])
    def test_after_expiry_it_is_an_answer_again(
        self, store: Store, clock: FrozenClock, given: str | None
    ) -> None:
        ana = store.agent("ana")
        first = ana.remember("I noticed a leak", expires_at=given)
        clock.forward(days=100)
        assert contents(ana) == []
        again = ana.remember("I noticed a leak")
        assert (again.id, again.expires_at) == (first.id, clock.now() + 90 * DAY)
        assert contents(ana) == ["I noticed a leak"]

    def test_a_given_date_that_is_ahead_stays(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        first = ana.remember("I noticed a leak", expires_at="5d")
        clock.forward(days=1)
        assert ana.remember("I noticed a leak").expires_at == first.expires_at

    def test_a_given_class_keeps_its_span(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        ana.remember("The lamp is on", entry_class="episodic")
        clock.forward(days=1)
        again = ana.remember("The lamp is on")
        assert (again.entry_class, again.expires_at) == ("episodic", clock.now() + 90 * DAY)

    def test_after_completion_it_is_open_again(self, store: Store) -> None:
        ana = store.agent("ana")
        first = ana.remember("todo: x")
        ana.complete(first.id)
        again = ana.remember("todo: x")
        assert (again.id, again.status, again.completed_at, again.expires_at) == (
            first.id,
            "open",
            None,
            None,
        )

    def test_undoing_that_it_is_open_again_gives_its_end_back(self, store: Store) -> None:
        ana = store.agent("ana")
        done = ana.complete(ana.remember("todo: x").id)
        ana.remember("todo: x")
        undone = ana.undo(done.id)
        assert (undone.status, undone.expires_at) == ("completed", done.expires_at)

    def test_after_superseding_it_is_a_new_entry(self, store: Store) -> None:
        ana = store.agent("ana")
        old, new = ana.remember("She lives in Rome"), ana.remember("She lives in Oslo")
        ana.supersede(old.id, new.id)
        back = ana.remember("She lives in Rome")
        assert back.id != old.id
        assert contents(ana) == ["She lives in Rome", "She lives in Oslo"]

    def test_after_forgetting_it_is_a_new_entry(self, store: Store) -> None:
        ana = store.agent("ana")
        first = ana.remember("x", tags=["a"])
        ana.forget(first.id)
        again = ana.remember("x")
        assert (again.id != first.id, again.number > first.number, again.tags, again.seen) == (
            True,
            True,
            (),
            1,
        )

    def test_a_change_never_makes_two_of_the_same(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.remember("one")
        two = ana.remember("two")
        named = ana.remember("one", name="uno")
        with refused(DuplicateError, ana, match="says the same"):
            ana.write(two.id, "one")
        with refused(DuplicateError, ana, match="says the same"):
            ana.update(two.id, content="one")
        with refused(DuplicateError, ana, match="says the same"):
            ana.update(named.id, name=None)
