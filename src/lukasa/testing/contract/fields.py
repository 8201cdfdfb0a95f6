"""The door: each part of an entry is made clean or refused, and a secret does not pass."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from lukasa.config import Settings
from lukasa.errors import SecretError, UsageError
from lukasa.secrets import SecretWarning
from lukasa.testing.contract.sight import everything, refused

if TYPE_CHECKING:
    from lukasa.entries.fields import Fields
    from lukasa.handle import Handle
    from lukasa.memory import Store
    from lukasa.testing.contract.sight import Reopened

CATEGORIES = {
    "My Notes": "my_notes",
    "A/B-Test 42": "a_b_test_42",
    "---": "general",
    "": "general",
    "__a__": "a",
    "caf\u00e9": "caf",
}


def with_in_each_field(text: str) -> list[Fields]:
    """The text in each field that takes one, by itself."""
    return [
        {"name": text},
        {"summary": text},
        {"context": text},
        {"category": text},
        {"tags": ["fine", text]},
        {"metadata": {"a": [{"b": text}]}},
        {"metadata": {text: 1}},
        {"source_type": text},
        {"source_id": text},
        {"session_id": text},
    ]


UNSTORABLE = ("a\0b", "half \ud800 pair", "\udfff")


class FieldContract:
    """What comes in is trimmed, normalised and within its limits."""

    def test_content_is_trimmed_and_kept_as_it_is(self, store: Store) -> None:
        ana = store.agent("ana")
        for text in (
            "two\r\nlines",
            "tabs\there",
            "\u65e5\u672c \U0001f600 e\u0301",
            "'; DROP TABLE entries; --",
            "%_\\:x",
        ):
            entry = ana.remember(f" \n{text}\t ")
            assert (entry.content, ana.get(entry.id)) == (text, entry)

    def test_blank_content_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("there", "something")
        for text in ("", "  ", "\n\t\u3000"):
            with refused(UsageError, ana, match="white space"):
                ana.remember(text)
            with refused(UsageError, ana, match="white space"):
                ana.write("there", text)

    def test_content_has_a_limit(self, store: Store) -> None:
        ana = store.agent("ana")
        longest = ana.remember("\u6771" * 100_000)
        assert len(ana.get(longest.id).content) == 100_000
        with refused(UsageError, ana, match="100,001 characters; at most 100,000"):
            ana.remember("x" * 100_001)
        with refused(UsageError, ana, match="100,001"):
            ana.write(longest.id, "x" * 100_001)

    def test_text_that_no_engine_can_keep_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        one, two = ana.remember("one"), ana.remember("two")
        for bad in UNSTORABLE:
            for fields in with_in_each_field(bad):
                with refused(UsageError, ana):
                    ana.remember("x", **fields)
                with refused(UsageError, ana):
                    ana.update(one.id, **fields)
            with refused(UsageError, ana):
                ana.remember(bad)
            with refused(UsageError, ana):
                ana.link(one.id, "about", two.id, provenance=bad)

    def test_defaults(self, store: Store) -> None:
        entry = store.agent("ana").remember("x")
        assert (entry.importance, entry.confidence, entry.category) == (0.5, 0.7, "general")
        assert (entry.tags, entry.name, entry.pinned, entry.status, entry.seen) == (
            (),
            None,
            False,
            "open",
            1,
        )

    def test_scores_are_clamped(self, store: Store) -> None:
        ana = store.agent("ana")
        for value, kept in ((-1.0, 0.0), (0.25, 0.25), (7.0, 1.0), (math.inf, 1.0), (-math.inf, 0.0)):
            entry = ana.remember(f"a {value}", importance=value, confidence=value)
            assert (entry.importance, entry.confidence) == (kept, kept)
            changed = ana.update(ana.remember(f"b {value}").id, importance=value, confidence=value)
            assert ana.get(changed.id).importance == kept

    def test_what_is_not_a_number_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        one, two = ana.remember("one"), ana.remember("two")
        attempts: list[Fields] = [
            {"importance": math.nan},
            {"confidence": math.nan},
            {"metadata": {"a": math.nan}},
        ]
        for fields in attempts:
            with refused(UsageError, ana):
                ana.remember("x", **fields)
            with refused(UsageError, ana):
                ana.update(one.id, **fields)
        with refused(UsageError, ana, match="NaN"):
            ana.link(one.id, "about", two.id, weight=math.nan)

    def test_categories_have_one_spelling(self, store: Store) -> None:
        ana = store.agent("ana")
        assert {
            text: ana.remember(f"in {text!r}", category=text).category for text in CATEGORIES
        } == CATEGORIES

    def test_a_filter_by_category_spells_it_the_same_way(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.remember("one", category="A/B-Test 42")
        ana.remember("two")
        assert [entry.content for entry in ana.list(category="a b test 42").entries] == ["one"]
        assert [entry.content for entry in ana.list(category="---").entries] == ["two"]
        assert [entry.content for entry in ana.list(category="").entries] == ["two"]

    def test_tags_are_trimmed_lowered_cut_and_kept_once_in_order(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("x", tags=[" Rust ", "b", "rust", "", "A" * 70])
        assert ana.get(entry.id).tags == ("rust", "b", "a" * 64)

    def test_at_most_sixteen_tags(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("x", tags=[f"t{number}" for number in range(20)])
        assert ana.get(entry.id).tags == tuple(f"t{number}" for number in range(16))

    def test_one_text_is_no_list_of_tags(self, store: Store) -> None:
        ana = store.agent("ana")
        with refused(UsageError, ana, match="list of tags"):
            ana.remember("x", tags="rust")
        with refused(UsageError, ana, match="list of tags"):
            ana.list(tags="rust")

    def test_concept_tags_come_from_the_text(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("OpenAI quota monitoring endpoint")
        assert sorted(ana.get(entry.id).concepts) == ["endpoint", "monitoring", "openai", "quota"]
        assert entry.tags == ()
        assert "src/main.rs" in ana.remember("The bug is in src/main.rs near baz-qux").concepts
        assert ana.remember("what is the where of 2026-05-01 and 42").concepts == ()

    def test_concept_tags_follow_the_text(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("OpenAI quota")
        changed = ana.write(entry.id, "Grafana dashboard")
        assert changed.concepts == ana.get(entry.id).concepts == ("grafana", "dashboard")

    def test_a_given_tag_is_no_concept_as_well(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("OpenAI quota", tags=["OpenAI"])
        assert (entry.tags, entry.concepts) == (("openai",), ("quota",))
        assert ana.update(entry.id, tags=[]).concepts == ("openai", "quota")

    def test_metadata_comes_back_as_it_went_in(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember(
            "x", metadata={"a": [1, 2.5, None, True, {"\u00fc": "\U0001f600"}], "big": 2**80}
        )
        assert ana.get(entry.id).metadata == {
            "a": [1, 2.5, None, True, {"\u00fc": "\U0001f600"}],
            "big": 2**80,
        }


TOKEN = "ghp_" + "aB3dE5fG7hI9" * 3


def _seen(*handles: Handle) -> str:
    return repr(everything(*handles)).lower()


class SecretContract:
    """A secret is stopped at every part of the door; the error names its kind, never its value."""

    def test_it_is_blocked_in_each_field(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("there already")
        for fields in with_in_each_field(TOKEN):
            with refused(SecretError, ana, match="GitHub"):
                ana.remember("x", **fields)
            with refused(SecretError, ana, match="GitHub"):
                ana.update(entry.id, **fields)

    def test_the_error_never_repeats_it(self, store: Store) -> None:
        ana = store.agent("ana")
        with pytest.raises(SecretError) as caught:
            ana.remember(f"my token is {TOKEN}.")
        assert TOKEN not in str(caught.value)
        assert caught.value.where == "content"

    def test_it_is_blocked_in_every_operation_that_takes_text(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("one", "one")
        ana.add("two", "two")
        attempts = (
            lambda: ana.remember(TOKEN),
            lambda: ana.add("three", TOKEN),
            lambda: ana.add(TOKEN, "three"),
            lambda: ana.write("one", TOKEN),
            lambda: ana.update("one", content=TOKEN),
            lambda: ana.rename("one", TOKEN),
            lambda: ana.alias("one", TOKEN),
            lambda: ana.link("one", "about", "two", provenance=TOKEN),
        )
        for attempt in attempts:
            with refused(SecretError, ana):
                attempt()

    def test_redacting_stores_the_rest(self, reopened: Reopened) -> None:
        ana = reopened(Settings(secrets="redact")).agent("ana")
        other = ana.remember("other")
        for number, fields in enumerate(with_in_each_field(TOKEN)):
            ana.remember(f"{number}: {TOKEN} is there", **fields)
        ana.link(ana.remember("last").id, "about", other.id, provenance=TOKEN)
        assert "3: [redacted: github token] is there" in _seen(ana)
        assert TOKEN.lower() not in _seen(ana)

    def test_warning_stores_it_and_says_so(self, reopened: Reopened) -> None:
        ana = reopened(Settings(secrets="warn")).agent("ana")
        with pytest.warns(SecretWarning, match="content") as said:
            entry = ana.remember(f"token {TOKEN}")
        assert TOKEN in entry.content
        assert TOKEN not in str(said[0].message)

    def test_hashes_and_ids_are_no_secrets(self, store: Store) -> None:
        ana = store.agent("ana")
        text = "commit 5f2b1d9c0a7e4f6b8d3c2a1908f7e6d5c4b3a291 of 123e4567-e89b-12d3-a456-426614174000"
        assert ana.remember(text).content == text
