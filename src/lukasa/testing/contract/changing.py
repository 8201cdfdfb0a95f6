"""Update, undo, history, and what was known then."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from lukasa.errors import ConflictError, DuplicateError, NotFoundError, UsageError
from lukasa.testing.contract.sight import refused

if TYPE_CHECKING:
    from lukasa.entries.fields import Fields
    from lukasa.memory import Store
    from lukasa.testing.frozen import FrozenClock

CLEARED: Fields = {
    "name": None,
    "summary": None,
    "context": None,
    "source_type": None,
    "source_id": None,
    "session_id": None,
    "metadata": None,
    "category": None,
    "tags": [],
}
SET: Fields = {
    "name": "deploy",
    "summary": "short",
    "context": "said at lunch",
    "source_type": "chat",
    "source_id": "42",
    "session_id": "s1",
    "metadata": {"a": 1},
    "category": "work",
    "tags": ["a", "b"],
}


class UpdateContract:
    """Any part can be changed or cleared, alone, and only against the revision that was read."""

    def test_every_part_can_be_set_alone(self, store: Store) -> None:
        ana = store.agent("ana")
        for part, value in SET.items():
            entry = ana.remember(f"without {part}")
            fields: Fields = {part: value}  # type: ignore[misc]
            changed = ana.update(entry.id, **fields)
            assert getattr(changed, part) == (("a", "b") if part == "tags" else value)
            assert ana.get(entry.id) == changed
            others = [other for other in SET if other != part]
            assert [getattr(changed, other) for other in others] == [
                getattr(entry, other) for other in others
            ]

    def test_every_part_can_be_cleared(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.update(ana.remember("x", **SET).id, **CLEARED)
        assert ana.get(entry.id) == entry
        assert (entry.name, entry.summary, entry.context, entry.metadata, entry.tags) == (
            None,
            None,
            None,
            {},
            (),
        )
        assert (entry.source_type, entry.source_id, entry.session_id) == (None, None, None)
        assert entry.category == "general"

    def test_updating_without_tags_keeps_them(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("x", tags=["a", "b"])
        assert ana.update(entry.id, content="y").tags == ("a", "b")

    def test_nothing_given_is_an_error(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("x")
        for revision in (None, entry.revision):
            with refused(UsageError, ana, match="something to change"):
                ana.update(entry.id, revision=revision)

    def test_a_forgotten_entry_is_not_found(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("x")
        ana.forget(entry.id)
        for ref in (entry.id, entry.number):
            with pytest.raises(NotFoundError):
                ana.update(ref, pinned=True)

    def test_the_revision_that_was_read_must_still_stand(self, store: Store) -> None:
        ana = store.agent("ana")
        first = ana.remember("x")
        second = ana.update(first.id, pinned=True, revision=first.revision)
        assert second.revision == first.revision + 1
        with refused(ConflictError, ana, match="revision 2, not 1"):
            ana.update(first.id, pinned=False, revision=first.revision)
        with refused(ConflictError, ana):
            ana.write(first.id, "y", revision=first.revision)
        assert ana.write(first.id, "y", revision=second.revision).revision == 3

    def test_seeing_it_again_is_no_new_revision(self, store: Store) -> None:
        ana = store.agent("ana")
        assert ana.remember("x").revision == ana.remember("x").revision == 1

    def test_several_operations_are_kept_together_or_not_at_all(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("one", "x")
        with refused(DuplicateError, ana), store.transaction():
            ana.write("one", "y")
            ana.remember("z")
            ana.add("one", "taken")
        with store.transaction():
            ana.write("one", "y")
            with refused(DuplicateError, ana):
                ana.add("one", "taken")
            ana.remember("z")
        assert (ana.get("one").content, ana.list().entries[0].content) == ("y", "z")


class HistoryContract:
    """Every change is kept, with who and when, and any moment can be asked for."""

    def test_every_change_is_there(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        bob = store.agent("bob", shares=["project/apollo"])
        ana.add("plan", "todo: one", scope="project/apollo")
        start = clock.now()
        clock.forward(seconds=1)
        bob.write("plan", "todo: two")
        ana.rename("plan", "scheme")
        bob.alias("scheme", "plot")
        ana.update("scheme", pinned=True)
        bob.complete("scheme")
        ana.undo("scheme")
        found = bob.history("scheme")
        assert [change.operation for change in found] == [
            "add",
            "write",
            "rename",
            "alias",
            "update",
            "complete",
            "undo",
        ]
        assert [change.actor for change in found] == ["ana", "bob", "ana", "bob", "ana", "bob", "ana"]
        assert [change.revision for change in found] == list(range(1, 8))
        assert [change.at for change in found] == [start] + [start + 1_000] * 6
        assert (found[0].before, found[-1].undoes) == (None, 6)
        assert "todo: one" in str(found[1].before)

    def test_it_is_known_what_was_known_then(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        moments: list[int] = []
        ana.add("home", "Rome", tags=["city"])
        for text in ("Oslo", "Lima"):
            moments.append(clock.now())
            clock.forward(days=1)
            ana.write("home", text)
        ana.alias("home", "abode")
        assert [ana.get("abode", as_of=moment).content for moment in moments] == ["Rome", "Oslo"]
        then = ana.get("home", as_of=moments[0])
        assert (then.tags, then.aliases, then.revision, then.updated_at) == (("city",), (), 1, moments[0])
        assert ana.get("home", as_of=clock.now()) == ana.get("home")

    def test_a_moment_has_many_spellings(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        ana.add("home", "Rome")
        clock.forward(days=1)
        ana.write("home", "Oslo")
        moment = datetime(2026, 5, 1, 12, tzinfo=UTC)
        for spelling in (moment, moment.isoformat(), "2026-05-01T15:00:00+03:00"):
            assert ana.get("home", as_of=spelling).content == "Rome"
        for beyond in (2**70, -(2**70), "later"):
            with pytest.raises(UsageError, match="time"):
                ana.get("home", as_of=beyond)

    def test_before_its_beginning_it_was_not_there(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        ana.add("home", "Rome")
        with pytest.raises(NotFoundError, match="at that time"):
            ana.get("home", as_of=clock.now() - 1)

    def test_what_was_superseded_later_was_an_answer_then(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        old, new = ana.remember("Rome"), ana.remember("Oslo")
        then = clock.now()
        clock.forward(days=1)
        ana.supersede(old.id, new.id)
        assert ana.get(old.id, as_of=then).superseded_at is None


class UndoContract:
    """Undo takes the last change back; again, the one before it."""

    def test_each_change_can_be_taken_back_in_turn(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        entry = ana.remember("todo: x", tags=["a"])
        states = [entry]
        for change in (
            lambda: ana.write(entry.id, "todo: y"),
            lambda: ana.rename(entry.id, "chore"),
            lambda: ana.alias(entry.id, "task"),
            lambda: ana.complete(entry.id),
            lambda: ana.update(entry.id, tags=["b"], kind="event", metadata={"a": 1}, pinned=True),
        ):
            clock.forward(seconds=1)
            states.append(change())
        parts = (
            "content",
            "name",
            "aliases",
            "tags",
            "concepts",
            "kind",
            "entry_class",
            "status",
            "metadata",
        )
        times = ("expires_at", "completed_at", "created_at", "pinned", "number")
        for wanted in reversed(states[:-1]):
            undone = ana.undo(entry.id)
            assert undone == ana.get(entry.id)
            assert [getattr(undone, part) for part in parts + times] == [
                getattr(wanted, part) for part in parts + times
            ]
        with refused(UsageError, ana, match="no change to undo"):
            ana.undo(entry.id)

    def test_a_new_change_after_an_undo_is_the_next_to_go(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("n", "a")
        for text in ("b", "c"):
            ana.write("n", text)
        assert ana.undo("n").content == "b"
        ana.write("n", "d")
        assert [ana.undo("n").content for _ in range(2)] == ["b", "a"]

    def test_undo_frees_the_name_it_takes_back(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("old", "x")
        ana.rename("old", "new")
        ana.undo("new")
        assert (ana.get("old").content, ana.find("new")) == ("x", None)

    def test_undo_to_a_name_that_was_taken_meanwhile_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.add("old", "x")
        ana.rename("old", "new")
        ana.add("old", "y")
        with refused(DuplicateError, ana, match="taken"):
            ana.undo(entry.id)
        ana.remove("old")
        assert ana.undo(entry.id).name == "old"

    def test_undo_to_a_text_that_was_said_meanwhile_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("x")
        ana.write(entry.id, "y")
        ana.remember("x")
        with refused(DuplicateError, ana, match="says the same"):
            ana.undo(entry.id)

    def test_undo_keeps_the_life_that_seeing_it_again_gave(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        entry = ana.remember("I noticed a leak")
        ana.update(entry.id, pinned=True)
        clock.forward(days=50)
        again = ana.remember("I noticed a leak")
        assert ana.undo(entry.id).expires_at == again.expires_at
