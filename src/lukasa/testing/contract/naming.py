"""Names, aliases and the five write operations, and how an entry is found by what it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lukasa.errors import DuplicateError, NotFoundError, UsageError
from lukasa.testing.contract.sight import contents, refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from lukasa.memory import Store
    from lukasa.testing.contract.sight import Reopened
    from lukasa.testing.frozen import FrozenClock

NFC, NFD = "caf\u00e9", "cafe\u0301"


class NameContract:
    """Add, Rename, Alias, Write and Remove: what each changes, keeps and refuses."""

    def test_add_refuses_a_taken_name_or_alias(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("deploy", "prod release steps")
        ana.alias("deploy", "ship")
        for taken in ("deploy", "ship", " deploy "):
            with refused(DuplicateError, ana, match="taken"):
                ana.add(taken, "other")
        with refused(DuplicateError, ana):
            ana.add("deploy", "prod release steps")

    def test_rename_keeps_all_but_the_name(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        ana.add("deploy", "prod release steps", kind="note", tags=["a"])
        before = ana.alias("deploy", "ship")
        clock.forward(days=1)
        after = ana.rename("deploy", "release")
        assert (after.name, after.aliases, after.id) == ("release", ("ship",), before.id)
        kept = ("created_at", "kind", "content", "tags", "number", "expires_at")
        assert [getattr(after, part) for part in kept] == [getattr(before, part) for part in kept]
        assert ana.find("deploy") is None
        assert ana.add("deploy", "the old name is free").name == "deploy"

    def test_rename_to_its_own_alias_swaps_them(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("deploy", "steps")
        for name in ("ship", "push"):
            ana.alias("deploy", name)
        swapped = ana.rename("deploy", "ship")
        assert (swapped.name, swapped.aliases) == ("ship", ("deploy", "push"))
        assert {ana.get(name).id for name in ("ship", "deploy", "push")} == {swapped.id}
        assert ana.get("ship") == swapped

    def test_a_name_given_by_update_swaps_too(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("deploy", "steps")
        ana.alias("deploy", "ship")
        swapped = ana.update("deploy", name="ship")
        assert (swapped.name, swapped.aliases) == ("ship", ("deploy",))
        assert ana.get("deploy") == swapped

    def test_rename_refuses_what_is_taken(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("one", "1")
        ana.add("two", "2")
        ana.alias("two", "deux")
        for taken in ("one", "two", "deux"):
            with refused(DuplicateError, ana):
                ana.rename("one", taken)
            if taken != "one":
                with refused(DuplicateError, ana):
                    ana.update("one", name=taken)

    def test_an_entry_without_a_name_is_given_one(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("x")
        ana.alias(entry.number, "nick")
        assert ana.get("nick").name is None
        assert ana.rename("nick", "named").aliases == ("nick",)
        assert ana.update("named", name=None).name is None
        assert (ana.find("named"), ana.get("nick").id) == (None, entry.id)

    def test_alias_adds_one_and_keeps_the_others(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("deploy", "steps")
        ana.alias("deploy", "ship")
        assert ana.alias("ship", "push").aliases == ("ship", "push")
        ana.add("other", "x")
        for taken in ("deploy", "ship", "push", "other"):
            with refused(DuplicateError, ana):
                ana.alias("deploy", taken)

    def test_aliases_have_a_limit(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("deploy", "steps")
        for number in range(32):
            ana.alias("deploy", f"alias {number}")
        with refused(UsageError, ana, match="32"):
            ana.alias("deploy", "one more")

    def test_write_replaces_the_text_alone(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        before = ana.add("deploy", "The user prefers steps", tags=["a"])
        clock.forward(days=1)
        after = ana.write("deploy", "The goal is a script")
        kept = ("id", "number", "created_at", "kind", "entry_class", "name", "tags", "importance")
        assert [getattr(after, part) for part in kept] == [getattr(before, part) for part in kept]
        assert (after.content, after.updated_at) == ("The goal is a script", clock.now())

    def test_remove_by_name_or_alias_frees_all(self, store: Store) -> None:
        ana = store.agent("ana")
        for name, by in (("deploy", "deploy"), ("deploy", "ship")):
            ana.add(name, "steps")
            ana.alias(name, "ship")
            ana.remove(by)
            assert (ana.find("deploy"), ana.find("ship"), contents(ana)) == (None, None, [])

    def test_a_name_has_one_to_two_hundred_characters(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("there", "x")
        attempts: tuple[Callable[[str], object], ...] = (
            lambda name: ana.add(name, "y"),
            lambda name: ana.remember("y", name=name),
            lambda name: ana.rename("there", name),
            lambda name: ana.alias("there", name),
            lambda name: ana.update("there", name=name),
        )
        for attempt in attempts:
            for name in ("", "  ", "x" * 201):
                with refused(UsageError, ana, match="1 to 200"):
                    attempt(name)

    def test_any_unicode_is_a_name(self, store: Store) -> None:
        ana = store.agent("ana")
        for name in ("x" * 200, "\u6771\u4eac", "a b\tc", "'\"%_\\", "\U0001f600", "--", ":name", "a\u2028b"):
            assert ana.add(name, f"about {name!r}").name == ana.get(name).name

    def test_names_are_equal_when_they_look_equal(self, store: Store) -> None:
        ana = store.agent("ana")
        assert ana.add(NFD, "coffee").name == NFC
        assert ana.get(NFD).id == ana.get(NFC).id
        with refused(DuplicateError, ana):
            ana.add(NFC, "other")
        with refused(DuplicateError, ana):
            ana.alias(NFC, NFD)

    def test_case_makes_another_name(self, store: Store) -> None:
        ana = store.agent("ana")
        assert ana.add("Deploy", "a").id != ana.add("deploy", "b").id

    def test_two_spaces_may_use_the_same_name(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        mine, ours = ana.add("deploy", "mine"), ana.add("deploy", "ours", scope="project/apollo")
        assert ana.get("deploy").id == mine.id
        assert ana.get("deploy", scope="project/apollo").id == ours.id
        ana.remove("deploy")
        assert ana.get("deploy").id == ours.id

    def test_an_unknown_name_is_not_found_by_any_operation(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("there", "x")
        for attempt in (
            lambda: ana.get("nowhere"),
            lambda: ana.rename("nowhere", "y"),
            lambda: ana.alias("nowhere", "y"),
            lambda: ana.write("nowhere", "y"),
            lambda: ana.remove("nowhere"),
            lambda: ana.update("nowhere", pinned=True),
            lambda: ana.complete("nowhere"),
            lambda: ana.link("there", "about", "nowhere"),
            lambda: ana.link("nowhere", "about", "there"),
            lambda: ana.unlink("there", "about", "nowhere"),
            lambda: ana.supersede("there", "nowhere"),
            lambda: ana.history("nowhere"),
            lambda: ana.links("nowhere"),
            lambda: ana.undo("nowhere"),
            lambda: ana.forget("nowhere"),
        ):
            with refused(NotFoundError, ana, match="nowhere"):
                attempt()

    def test_the_nearest_names_are_said(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("deployment", "x")
        ana.alias("deployment", "deployed")
        ana.add("zebra", "y")
        with pytest.raises(NotFoundError) as caught:
            ana.get("deploymnt")
        assert caught.value.near[0] == "deployment"
        assert "deployed" in caught.value.near
        assert "zebra" not in str(caught.value)


class FindContract:
    """A name, an alias, an id or a number means one entry, everywhere."""

    def test_an_alias_works_everywhere(self, store: Store) -> None:
        ana = store.agent("ana")
        first = ana.add("deploy", "steps")
        ana.alias("deploy", "ship")
        ana.add("other", "x")
        ana.alias("other", "else")
        assert ana.get("ship").id == first.id
        assert ana.write("ship", "new steps").content == "new steps"
        assert ana.update("ship", pinned=True).pinned
        assert ana.complete("ship").status == "completed"
        assert ana.undo("ship").status == "open"
        assert ana.link("ship", "about", "else").from_id == first.id
        assert len(ana.links("ship")) == 1
        ana.unlink("ship", "about", "else")
        assert len(ana.history("ship")) == 6
        assert ana.supersede("else", "ship").id == first.id
        assert ana.rename("ship", "release").name == "release"
        assert ana.forget("ship").entries == 1

    def test_id_number_and_their_spellings(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("x")
        for ref in (entry.id, entry.number, str(entry.number), f"#{entry.number}", f" {entry.id} "):
            assert ana.get(ref) == ana.find(ref) == entry

    def test_a_name_goes_before_a_number_of_the_same_spelling(self, store: Store) -> None:
        ana = store.agent("ana")
        first = ana.remember("x")
        named = ana.add(str(first.number), "named like a number")
        assert ana.get(str(first.number)).id == named.id
        assert ana.get(first.number).id == first.id

    def test_what_means_nothing_is_not_found(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("something", "x")
        numbers = (0, -1, 2**63, -(2**63), 2**64, 10**30)
        texts = ("", " ", "#", "#-1", "9" * 40, "\u0661", "a\0b", "\ud800", "%", "x?")
        for ref in (*numbers, *texts):
            assert ana.find(ref) is None
            with refused(NotFoundError, ana):
                ana.get(ref)

    def test_half_a_surrogate_pair_is_no_question_mark(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("why?", "x")
        assert ana.find("why\ud800") is None

    def test_numbers_rise_and_are_never_given_again(self, store: Store, reopened: Reopened) -> None:
        ana = store.agent("ana")
        first, second = ana.remember("one"), ana.remember("two")
        assert second.number > first.number
        assert second.id > first.id
        ana.forget(second.id)
        store.close()
        third = reopened().agent("ana").remember("three")
        assert third.number > second.number
        assert third.id > second.id
        assert store.agent("bob").remember("four").number > third.number

    def test_a_failed_operation_leaves_nothing_in_memory(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("deploy", "steps")
        with pytest.raises(DuplicateError):
            ana.add("deploy", "other words")
        assert contents(ana, hidden=True) == ["steps"]
        assert ana.remember("other words").seen == 1
