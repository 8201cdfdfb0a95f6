"""Links between entries, and what superseding does to the one that is superseded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.entries.kinds import RELATIONS
from lukasa.errors import DuplicateError, NotFoundError, UsageError
from lukasa.testing.contract.sight import contents, refused

if TYPE_CHECKING:
    from lukasa.entries.entry import Entry
    from lukasa.handle import Handle
    from lukasa.memory import Store
    from lukasa.testing.frozen import FrozenClock


def pair(handle: Handle) -> tuple[Entry, Entry]:
    """An older entry and a newer one."""
    return handle.remember("She lives in Rome"), handle.remember("She lives in Oslo")


class LinkContract:
    """A link joins two entries in sight, once for each relation."""

    def test_each_relation_joins_two_entries(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        one, two = pair(ana)
        for relation in RELATIONS:
            made = ana.link(one.id, relation, two.id, weight=0.5, provenance="the chat")
            assert (made.from_id, made.to_id, made.weight) == (one.id, two.id, 0.5)
            assert (made.provenance, made.created_at) == ("the chat", clock.now())
        assert ana.links(one.id) == ana.links(two.id)
        assert sorted(link.relation for link in ana.links(one.id)) == sorted(RELATIONS)

    def test_an_unknown_relation_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        one, two = pair(ana)
        for attempt in (ana.link, ana.unlink):
            with refused(UsageError, ana, match="supports, contradicts"):
                attempt(one.id, "knows", two.id)

    def test_an_entry_is_not_linked_to_itself(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("one", "x")
        ana.alias("one", "uno")
        for relation in RELATIONS:
            with refused(UsageError, ana, match="itself"):
                ana.link("one", relation, "uno")

    def test_the_same_link_again_changes_weight_and_provenance(
        self, store: Store, clock: FrozenClock
    ) -> None:
        ana = store.agent("ana")
        one, two = pair(ana)
        first = ana.link(one.id, "about", two.id)
        clock.forward(days=1)
        again = ana.link(one.id, "about", two.id, weight=0.1, provenance="p")
        assert (again.weight, again.provenance, again.created_at) == (0.1, "p", first.created_at)
        assert ana.links(one.id) == (again,)

    def test_the_other_way_round_is_another_link(self, store: Store) -> None:
        ana = store.agent("ana")
        one, two = pair(ana)
        ana.link(one.id, "supports", two.id)
        ana.link(two.id, "supports", one.id)
        assert len(ana.links(one.id)) == 2

    def test_a_weight_is_clamped(self, store: Store) -> None:
        ana = store.agent("ana")
        one, two = pair(ana)
        assert ana.link(one.id, "about", two.id, weight=5).weight == 1.0
        assert ana.link(one.id, "about", two.id, weight=-5).weight == 0.0

    def test_unlink_takes_one_away(self, store: Store) -> None:
        ana = store.agent("ana")
        one, two = pair(ana)
        ana.link(one.id, "about", two.id)
        ana.link(one.id, "supports", two.id)
        ana.unlink(one.id, "about", two.id)
        assert [link.relation for link in ana.links(one.id)] == ["supports"]
        with refused(NotFoundError, ana):
            ana.unlink(one.id, "about", two.id)
        with refused(NotFoundError, ana):
            ana.unlink(two.id, "supports", one.id)

    def test_a_link_may_cross_into_a_shared_space(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        mine, ours = ana.remember("mine"), ana.remember("ours", scope="project/apollo")
        made = ana.link(mine.id, "about", ours.id)
        assert (made.space, made.to_space) == ("agent/ana", "project/apollo")
        back = ana.link(ours.id, "supports", mine.id)
        assert set(ana.links(ours.id)) == {made, back}

    def test_a_link_is_seen_only_with_both_its_ends(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        bob = store.agent("bob", shares=["project/apollo"])
        mine, ours = ana.remember("mine"), ana.remember("ours", scope="project/apollo")
        ana.link(mine.id, "about", ours.id)
        ana.link(ours.id, "about", mine.id)
        assert (len(ana.links(ours.id)), bob.links(ours.id)) == (2, ())
        assert store.agent("ana").links(mine.id) == ()

    def test_links_go_when_an_end_is_forgotten(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        bob = store.agent("bob", shares=["project/apollo"])
        mine, ours = ana.remember("mine"), ana.remember("ours", scope="project/apollo")
        ana.link(mine.id, "about", ours.id)
        ana.link(ours.id, "supports", mine.id)
        bob.forget(ours.id)
        assert ana.links(mine.id) == ()


class SupersedeContract:
    """Superseding closes the old entry's validity: it is history, not an answer."""

    def test_the_old_entry_is_history(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        old, new = pair(ana)
        clock.forward(days=1)
        assert ana.supersede(old.id, new.id) == new
        assert [link.relation for link in ana.links(old.id)] == ["supersedes"]
        closed = ana.get(old.id)
        assert (closed.superseded_by, closed.superseded_at) == (new.id, clock.now())
        assert contents(ana) == ["She lives in Oslo"]
        assert len(contents(ana, hidden=True)) == 2
        assert ana.history(old.id)[-1].operation == "superseded"

    def test_a_link_supersedes_as_well(self, store: Store) -> None:
        ana = store.agent("ana")
        old, new = pair(ana)
        ana.link(new.id, "supersedes", old.id)
        assert ana.get(old.id).superseded_by == new.id

    def test_unlinking_makes_it_valid_again(self, store: Store) -> None:
        ana = store.agent("ana")
        old, new = pair(ana)
        ana.supersede(old.id, new.id)
        ana.unlink(new.id, "supersedes", old.id)
        assert (ana.get(old.id).superseded_at, ana.get(old.id).superseded_by) == (None, None)
        assert len(contents(ana)) == 2

    def test_the_same_again_changes_nothing(self, store: Store) -> None:
        ana = store.agent("ana")
        old, new = pair(ana)
        ana.supersede(old.id, new.id)
        revision = ana.get(old.id).revision
        ana.supersede(old.id, new.id)
        assert ana.get(old.id).revision == revision

    def test_a_circle_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        one, two = pair(ana)
        three = ana.remember("She lives in Lima")
        ana.supersede(one.id, two.id)
        ana.supersede(two.id, three.id)
        for old, new in ((two, one), (three, two), (three, one)):
            with refused(UsageError, ana, match="supersede each other"):
                ana.supersede(old.id, new.id)

    def test_the_last_of_two_successors_stands_for_both(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        old, second = pair(ana)
        third = ana.remember("She lives in Lima")
        ana.supersede(old.id, second.id)
        clock.forward(seconds=1)
        ana.supersede(old.id, third.id)
        assert ana.get(old.id).superseded_by == third.id
        ana.unlink(third.id, "supersedes", old.id)
        assert ana.get(old.id).superseded_by == second.id
        ana.unlink(second.id, "supersedes", old.id)
        assert ana.get(old.id).superseded_at is None

    def test_an_earlier_successor_goes_without_a_trace(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        old, second = pair(ana)
        third = ana.remember("She lives in Lima")
        ana.supersede(old.id, second.id)
        clock.forward(seconds=1)
        closed = ana.supersede(old.id, third.id) and ana.get(old.id)
        ana.unlink(second.id, "supersedes", old.id)
        assert ana.get(old.id) == closed

    def test_forgetting_the_successor_leaves_history(self, store: Store) -> None:
        ana = store.agent("ana")
        old, new = pair(ana)
        ana.supersede(old.id, new.id)
        ana.forget(new.id)
        left = ana.get(old.id)
        assert (left.superseded_by, left.superseded_at is None) == (None, False)
        assert contents(ana) == []

    def test_forgetting_the_last_of_two_successors_names_the_other(self, store: Store) -> None:
        ana = store.agent("ana")
        old, second = pair(ana)
        third = ana.remember("She lives in Lima")
        ana.supersede(old.id, second.id)
        ana.supersede(old.id, third.id)
        ana.forget(third.id)
        assert ana.get(old.id).superseded_by == second.id

    def test_restoring_what_was_said_anew_meanwhile_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        old, new = pair(ana)
        ana.supersede(old.id, new.id)
        ana.remember("She lives in Rome")
        with refused(DuplicateError, ana, match="says the same"):
            ana.unlink(new.id, "supersedes", old.id)

    def test_undo_does_not_bring_it_back(self, store: Store) -> None:
        ana = store.agent("ana")
        old, new = pair(ana)
        ana.write(old.id, "She lives in Roma")
        ana.supersede(old.id, new.id)
        undone = ana.undo(old.id)
        assert (undone.content, undone.superseded_by) == ("She lives in Rome", new.id)

    def test_a_shared_entry_is_not_superseded_by_a_private_one(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo", "project/gemini"])
        mine, ours = ana.remember("mine"), ana.remember("ours", scope="project/apollo")
        theirs = ana.remember("theirs", scope="project/gemini")
        for new in (mine, theirs):
            with refused(UsageError, ana, match="not everybody"):
                ana.supersede(ours.id, new.id)
        assert ana.supersede(mine.id, ours.id).id == ours.id
        assert ana.get(mine.id).superseded_by == ours.id
