"""Kinds by their words, classes by kind, life spans by class: the rules alone, without a store.

What the contract suite shows on each engine is not repeated; here is every form of a rule, what only
looks like one, and what holds for any text at all.
"""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.clock import DAY
from lukasa.config import Retention
from lukasa.entries.kinds import (
    CLASSES,
    KINDS,
    RELATIONS,
    STATUSES,
    EntryClass,
    Kind,
    Status,
    check_class,
    check_kind,
    check_relation,
    check_status,
    class_of,
    expiry,
    infer_kind,
    one_of,
)
from lukasa.errors import UsageError

FORMS: dict[str, tuple[str, ...]] = {
    "todo": ("[todo]", "[TODO]x", "todo:x", "ToDo: buy milk", "[Todo] she prefers tea"),
    "preference": (
        "prefers tea",
        "They preferred the train.",
        "Her preferences: none",
        "A preference for short answers",
        "My favourite is blue",
        "His favorites are here",
        "She dislikes noise",
        "He hates mornings",
        "Ana loves hiking",
        "Bo enjoys chess",
        "We would rather walk",
        "She likes tea more",
        "I like better the old one",
        "The user likes jazz",
        "I really like it",
        "They like cats",
        '"PREFERS" (in capitals)',
    ),
    "decision": ("DECIDED: Rust", "It was decided.", "Decisions are in the log", "A decision-making body"),
    "goal": ("Goals for May", "goal: 10 km", "She aims to win", "We aim to ship", "A goal-driven team"),
    "identity": (
        "My name is Ana",
        "The dog's name is Rex",
        "His full name is Bo Li",
        "I am an engineer",
        "I'm a nurse",
        "I\u2019m a nurse",
        "She is a pilot",
        "The user is an actor",
        "He works as a cook",
        "Her pronouns are she/her",
        "The user is called Ana",
        "I am called Bo",
        "I'm called Bo",
    ),
    "event": (
        "2026-04-02: the server failed",
        "We met on 3 May",
        "She flew on May 3rd",
        "The 2nd of September she came",
        "On sept 2 it broke",
        "Dec 24 we held the party",
        "Yesterday the disk was replaced",
        "Tonight a meeting happens",
        "This morning Ana called",
        "Last Friday they left",
        "Last year he won",
        "On Monday there was a meeting",
        "3 weeks ago we paid",
        "An appointment on 5 june",
    ),
    "observation": (
        "We noticed a leak",
        "Observed: slow tests",
        "An observation of mine",
        "It seems to hang",
        "The disk appears to be full",
        "I spotted a typo",
    ),
}
ONLY_ALIKE = (
    # Parts of other words
    "She is undecided",
    "The indecision lasts",
    "The goalkeeper saved it",
    "A goalless draw",
    "the observability stack is Grafana",
    "the identity provider is Okta",
    "An unnoticed change",
    "Preferential treatment",
    "unlikely better",
    "The claims to fame",
    "a reminder",
    # Words that begin like a month, beside a number
    "Maybe 3 replicas failed",
    "The marathon 42 started",
    "12 decimals were used",
    "2 separate services crashed",
    "10 novel ideas failed",
    "5 augmented readers broke",
    # A date, and what only ends like a past
    "We need it on Monday",
    "The speed today is fine",
    "The feed of 2026-05-01",
    "A hundred rows today",
    # A date alone, something that happened alone
    "2026-05-01 is a Friday",
    "They met in Rome",
    "Version 3 was released",
    # Not at the beginning
    "See todo: x",
    "The [todo] mark",
    "A [bulletin] board",
    "todo list",
    "todos: x",
    # Things have no identity
    "The function is called twice",
    "The API is called hourly",
    "It is a car",
)


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in FORMS.items() for text in texts])
def test_each_form_of_a_rule_is_known(kind: str, text: str) -> None:
    assert infer_kind(text)[0] == kind


@pytest.mark.parametrize("text", ONLY_ALIKE)
def test_what_only_looks_alike_is_a_fact(text: str) -> None:
    assert infer_kind(text) == ("fact", "semantic")


@pytest.mark.parametrize(
    "month", ["Jan", "February", "mar", "April", "may", "June", "jul", "August", "Sept", "OCT"]
)
def test_each_month_makes_a_date(month: str) -> None:
    assert infer_kind(f"It broke {month} 5")[0] == "event"
    assert infer_kind(f"It broke 5th of {month}")[0] == "event"


@pytest.mark.parametrize("text", ["[bulletin]", "[BULLETIN] two builds", "[Bulletin]: she prefers tea"])
def test_a_bulletin_is_known_by_its_beginning(text: str) -> None:
    assert infer_kind(text) == ("event", "bulletin")


def test_an_earlier_rule_always_goes_before_a_later_one() -> None:
    parts = ("todo: x", "she prefers tea", "it was decided", "the goal is May", "my name is Ana")
    parts += ("on 2026-01-01 we met", "I noticed it")
    kinds = ("todo", "preference", "decision", "goal", "identity", "event", "observation")
    for (first, one), (second, two) in itertools.combinations(enumerate(parts), 2):
        assert infer_kind(f"{one}; {two}")[0] == kinds[first]
        if first:  # what a todo is, its beginning says
            assert infer_kind(f"{two}; {one}")[0] == kinds[min(first, second)]


def test_the_words_of_a_long_text_count_in_its_beginning_only() -> None:
    assert infer_kind("x" * 1_000 + " it was decided")[0] == "decision"
    assert infer_kind("x" * 2_000 + " it was decided")[0] == "fact"


@given(st.text())
def test_any_text_has_a_kind_and_the_class_of_that_kind(text: str) -> None:
    kind, entry_class = infer_kind(text)
    assert kind in KINDS
    assert entry_class == class_of(kind) or (kind, entry_class) == ("event", "bulletin")
    assert kind not in {"note", "archive"}, "nobody's words make a note or an archive"


@given(
    st.sampled_from([text for texts in FORMS.values() for text in texts]), st.sampled_from("?!.,;)\u2026\n")
)
def test_what_follows_a_text_does_not_hide_its_kind(text: str, mark: str) -> None:
    assert infer_kind(f"{text} {mark}") == infer_kind(text) == infer_kind(text.upper())


@pytest.mark.parametrize(
    "piece", ["likes a ", "a", "1 ", "2026-", "last ", "my x name ", "i am ", "ed ", "\u00e9", "'s ", "\n"]
)
def test_hostile_text_takes_little_time(piece: str) -> None:
    start = time.process_time()
    infer_kind(piece * (100_000 // len(piece)))
    assert time.process_time() - start < 0.5


def test_every_kind_has_a_class() -> None:
    assert {kind: class_of(kind) for kind in KINDS} == {
        **dict.fromkeys(("identity", "preference", "fact", "note", "archive"), "semantic"),
        **dict.fromkeys(("goal", "decision", "todo"), "procedural"),
        **dict.fromkeys(("event", "observation"), "episodic"),
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry_class", CLASSES)
@pytest.mark.parametrize("status", STATUSES)
def test_a_span_follows_from_a_finished_todo_then_from_the_class(
    kind: Kind, entry_class: EntryClass, status: Status
) -> None:
    days = {"semantic": None, "procedural": None, "episodic": 7, "bulletin": 11}[entry_class]
    if kind == "todo" and status != "open":
        days = 3
    found = expiry(
        kind=kind,
        entry_class=entry_class,
        status=status,
        now=1_000,
        retention=Retention(episodic_days=7, bulletin_days=11, completed_days=3),
    )
    assert found == (None if days is None else 1_000 + days * DAY)


@pytest.mark.parametrize(
    ("check", "words"),
    [(check_kind, KINDS), (check_class, CLASSES), (check_status, STATUSES), (check_relation, RELATIONS)],
)
def test_a_word_of_a_fixed_set_is_taken_exactly_or_refused_with_the_set(
    check: type[str], words: tuple[str, ...]
) -> None:
    assert [check(word) for word in words] == list(words)
    for wrong in ("", " ", words[0].upper(), f" {words[0]}", f"{words[0]}s", "\u00e9"):
        with pytest.raises(UsageError) as caught:
            check(wrong)
        assert repr(wrong) in caught.value.message
        assert ", ".join(words) in caught.value.fix


def test_done_is_said_for_completed() -> None:
    assert check_status("done") == "completed"


@pytest.mark.parametrize(
    ("what", "said"), [("event", "An event was wanted"), ("shell", "A shell was wanted")]
)
def test_what_was_wanted_is_said_in_words(what: str, said: str) -> None:
    with pytest.raises(UsageError, match=f"^{said}, found 'x'."):
        one_of(what, "x", ("a",))
