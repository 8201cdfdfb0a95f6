"""Forgetting one entry, the least worth keeping, or all of an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lukasa.config import Settings
from lukasa.errors import NotFoundError
from lukasa.testing.contract.sight import contents, everything

if TYPE_CHECKING:
    from lukasa.memory import Store
    from lukasa.testing.contract.sight import Reopened
    from lukasa.testing.frozen import FrozenClock


class ForgetContract:
    """Forgetting erases an entry and all that hangs on it, and says what it did."""

    def test_the_receipt_counts_what_went(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("home", "She lives in Rome", tags=["city"])
        ana.alias("home", "abode")
        other = ana.remember("other")
        ana.link("home", "about", other.id)
        ana.link(other.id, "supports", "home")
        entry = ana.get("home")
        receipt = ana.forget("abode")
        assert (receipt.entries, receipt.names, receipt.links, receipt.history) == (1, 2, 2, 2)
        assert receipt.tags == 1 + len(entry.concepts)
        assert (receipt.dry_run, str(entry.number) in receipt.subject) == (False, True)
        assert "Rome" not in repr(receipt)

    def test_nothing_of_it_is_left(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.add("home", "She lives in Rome", tags=["city"])
        ana.write("home", "She lives in Oslo")
        ana.remember("other")
        ana.forget(entry.number)
        for ref in ("home", entry.id, entry.number):
            assert ana.find(ref) is None
            with pytest.raises(NotFoundError):
                ana.history(ref)
        seen = repr(everything(ana))
        assert not any(word in seen for word in ("Rome", "Oslo", "home", "city", entry.id))
        assert store.stats().entries == 1

    def test_forgetting_twice_is_not_found(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("x")
        ana.forget(entry.id)
        with pytest.raises(NotFoundError):
            ana.forget(entry.id)

    def test_an_expired_or_superseded_entry_can_be_forgotten(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        old, new = ana.remember("old"), ana.remember("new", expires_at="1d")
        ana.supersede(old.id, new.id)
        clock.forward(days=2)
        ana.forget(old.id)
        ana.forget(new.id)
        assert contents(ana, hidden=True) == []


class ErasureContract:
    """A whole agent: its memory and its channels, and nothing of anybody else."""

    def test_a_dry_run_says_what_would_go_and_changes_nothing(self, store: Store) -> None:
        ana, bob = store.agent("ana"), store.agent("bob")
        ana.add("home", "Rome", tags=["city"])
        ana.remember("said", scope="channel/agent:ana:session:s1")
        bob.remember("bob's")
        before = everything(ana, bob)
        rehearsal = store.forget_agent("ana", dry_run=True)
        assert (rehearsal.dry_run, rehearsal.entries, rehearsal.names) == (True, 2, 1)
        assert everything(ana, bob) == before
        real = store.forget_agent("ana")
        assert (real.dry_run, real.entries, real.tags, real.history) == (
            False, rehearsal.entries, rehearsal.tags, rehearsal.history,
        )  # fmt: skip

    def test_the_same_agent_made_again_sees_nothing(self, store: Store, reopened: Reopened) -> None:
        ana = store.agent("ana")
        entry = ana.add("home", "Rome")
        said = ana.remember("said", scope="channel/agent:ana:session:s1")
        store.forget_agent("ana")
        for handle in (ana, store.agent("ana"), reopened().agent("ana")):
            assert contents(handle, hidden=True) == []
            assert handle.spaces == ("agent/ana",)
            for ref in ("home", entry.id, entry.number, said.id, said.number):
                assert handle.find(ref) is None
        assert store.agents() == []
        again = ana.add("home", "Rome")
        assert again.number > said.number
        assert len(ana.history("home")) == 1

    def test_others_are_not_touched(self, store: Store) -> None:
        shares = ["project/apollo"]
        ana, bob = store.agent("ana", shares=shares), store.agent("bob", shares=shares)
        ours = ana.remember("ours", scope="project/apollo")
        mine = ana.remember("mine")
        ana.link(mine.id, "about", ours.id)
        bob.add("home", "Rome")
        before = everything(bob)
        receipt = store.forget_agent("ana")
        assert everything(bob) == before
        assert any("1 entries" in line and "project/apollo" in line for line in receipt.remains)
        assert ana.links(ours.id) == ()

    def test_what_a_shared_entry_was_superseded_by_is_let_go(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        mine, ours = ana.remember("mine"), ana.remember("ours", scope="project/apollo")
        ana.supersede(mine.id, ours.id)
        store.agent("bob", shares=["project/apollo"]).forget(ours.id)
        assert ana.get(mine.id).superseded_by is None

    def test_an_agent_that_was_never_there(self, store: Store) -> None:
        store.agent("ana").remember("x")
        assert store.forget_agent("nobody").entries == 0
        assert [agent.agent for agent in store.agents()] == ["ana"]

    def test_progress_counts_up(self, store: Store) -> None:
        ana = store.agent("ana")
        for number in range(3):
            ana.remember(f"entry {number}")
        told: list[int] = []
        store.forget_agent("ana", progress=told.append)
        assert told == [1, 2, 3]


class CapContract:
    """A capped space keeps what is most worth keeping."""

    def test_without_a_cap_all_is_kept(self, store: Store) -> None:
        ana = store.agent("ana")
        for number in range(5):
            ana.remember(f"entry {number}")
        assert len(contents(ana)) == 5

    def test_the_least_important_goes_first_and_the_newest_stays(self, reopened: Reopened) -> None:
        ana = reopened(Settings(max_memories=3)).agent("ana")
        for number, importance in enumerate((0.9, 0.1, 0.8, 0.0)):
            ana.remember(f"entry {number}", importance=importance)
        assert contents(ana, hidden=True) == ["entry 3", "entry 2", "entry 0"]

    def test_what_is_expired_or_superseded_goes_before_all_else(
        self, reopened: Reopened, clock: FrozenClock
    ) -> None:
        ana = reopened(Settings(max_memories=3)).agent("ana")
        ana.remember("kept", importance=0.1)
        ana.remember("expired", importance=1.0, expires_at="1d")
        clock.forward(days=2)
        old = ana.remember("old", importance=1.0)
        new = ana.remember("new", importance=0.2)
        assert contents(ana, hidden=True) == ["new", "old", "kept"]
        ana.supersede(old.id, new.id)
        ana.remember("newest", importance=0.2)
        assert contents(ana, hidden=True) == ["newest", "new", "kept"]

    def test_pinned_and_identity_never_go(self, reopened: Reopened) -> None:
        ana = reopened(Settings(max_memories=2)).agent("ana")
        ana.remember("pinned", pinned=True, importance=0.0)
        ana.remember("Her name is Ana", importance=0.0)
        ana.remember("plain", importance=1.0)
        assert contents(ana) == ["plain", "Her name is Ana", "pinned"]
        ana.remember("newer", importance=0.0)
        assert contents(ana) == ["newer", "Her name is Ana", "pinned"]

    def test_ties_go_by_age_then_by_number(self, reopened: Reopened, clock: FrozenClock) -> None:
        ana = reopened(Settings(max_memories=3)).agent("ana")
        ana.remember("second")
        ana.remember("third")
        clock.forward(seconds=-10)
        ana.remember("first")
        clock.forward(seconds=20)
        ana.remember("fourth")
        assert contents(ana) == ["fourth", "third", "second"]
        ana.remember("fifth")
        assert contents(ana) == ["fifth", "fourth", "third"]

    def test_seeing_one_again_takes_no_room(self, reopened: Reopened) -> None:
        ana = reopened(Settings(max_memories=2)).agent("ana")
        for text in ("one", "two", "one", "two"):
            ana.remember(text)
        assert contents(ana) == ["two", "one"]

    def test_one_agent_takes_no_room_from_another(self, reopened: Reopened) -> None:
        opened = reopened(Settings(max_memories=1))
        ana, bob = opened.agent("ana"), opened.agent("bob")
        ana.remember("ana's", importance=0.0)
        for number in range(3):
            bob.remember(f"bob's {number}", importance=1.0)
        assert (contents(ana), contents(bob)) == (["ana's"], ["bob's 2"])
