"""The door, part by part, for any input: what comes out can be stored, and would pass again unchanged."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.clock import to_millis
from lukasa.entries.fields import (
    MAX_CONTENT,
    MAX_DEPTH,
    MAX_NAME,
    MAX_TAG,
    MAX_TAGS,
    Door,
    Fields,
    clean,
    clean_category,
    clean_content,
    clean_json,
    clean_name,
    clean_score,
    clean_tags,
    clean_text,
    spell_tags,
    storable,
)
from lukasa.errors import SecretError, UsageError

if TYPE_CHECKING:
    from lukasa.db.database import Json

NOW = to_millis(datetime(2026, 5, 1, 12, tzinfo=UTC))
BLOCK, REDACT = Door(secrets="block", now=NOW), Door(secrets="redact", now=NOW)
# An AWS key id is shorter than the words that stand for it once it is taken out.
KEY = "AKIA" + "A1B2C3D4E5F6G7H8"
anything = st.text(st.characters(exclude_categories=()), max_size=40)
proper = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=80)
scores = st.one_of(st.floats(allow_nan=False), st.integers())
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | proper,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(proper, inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("My Notes", "my_notes"),
        ("A/B-Test 42", "a_b_test_42"),
        ("---", "general"),
        ("", "general"),
        ("already_so", "already_so"),
        ("a__b", "a_b"),
        ("_a_", "a"),
        ("tab\tand\nline", "tab_and_line"),
        ("\u00dcber", "ber"),
        ("caf\u00e9 au lait", "caf_au_lait"),
        ("\u6771\u4eac", "general"),
        ("\u0661\u0662", "general"),
        ("\u212aelvin", "kelvin"),  # the sign of the unit: its lower case is an ordinary k
        ("50%", "50"),
    ],
)
def test_a_category_keeps_letters_and_digits_and_joins_the_rest(text: str, category: str) -> None:
    assert clean_category(text) == category


@given(anything)
def test_a_category_is_always_of_one_spelling(text: str) -> None:
    category = clean_category(text)
    assert re.fullmatch(r"[a-z0-9]+(?:_[a-z0-9]+)*", category)
    assert clean_category(category) == clean_category(f" {text} ") == category


@given(st.lists(proper, max_size=30))
def test_tags_are_within_their_bounds_and_would_pass_again(given_tags: list[str]) -> None:
    tags = clean_tags(given_tags)
    assert clean_tags(tags) == tags
    assert len(tags) == len(set(tags)) <= MAX_TAGS
    assert all(1 <= len(tag) <= MAX_TAG and tag == tag.strip() == tag.lower() for tag in tags)
    assert tags == spell_tags(given_tags)[:MAX_TAGS], "those that were given first are kept"


@given(st.lists(st.sampled_from(["b", "a", " B", "A ", "c\n", "", " "]), max_size=12))
def test_tags_keep_the_order_in_which_they_came_first(given_tags: list[str]) -> None:
    plain = [tag.strip().lower() for tag in given_tags if tag.strip()]
    assert list(clean_tags(given_tags)) == sorted(set(plain), key=plain.index)


def test_a_tag_is_cut_before_it_is_compared() -> None:
    assert clean_tags(["x" * 64, "x" * 65, "x" * 63 + " y"]) == ("x" * 64, "x" * 63)


def test_no_tags_are_no_tags_but_a_text_is_refused() -> None:
    assert clean({"tags": []}, BLOCK) == {"tags": ()}
    with pytest.raises(UsageError, match=r"found 'rust'"):
        clean_tags("rust")


@given(scores)
def test_a_score_is_brought_between_none_and_one(value: float) -> None:
    kept = clean_score(value, "importance")
    assert type(kept) is float
    assert 0.0 <= kept <= 1.0
    assert clean_score(kept, "importance") == kept
    if 0 <= value <= 1:
        assert kept == value


def test_a_number_that_no_float_can_hold_is_clamped_like_any_other() -> None:
    assert (clean_score(10**400, "weight"), clean_score(-(10**400), "weight")) == (1.0, 0.0)
    assert (clean_score(math.inf, "weight"), clean_score(-math.inf, "weight")) == (1.0, 0.0)


@pytest.mark.parametrize("part", ["importance", "confidence"])
def test_what_is_not_a_number_is_refused_by_the_name_of_its_part(part: str) -> None:
    with pytest.raises(UsageError, match=f"{part} should be a number from 0 to 1, found NaN"):
        clean({part: math.nan}, BLOCK)  # type: ignore[misc]


@given(anything)
def test_a_name_is_normalised_within_its_bounds_or_refused(text: str) -> None:
    try:
        name = clean_name(text, BLOCK)
    except UsageError:
        composed = unicodedata.normalize("NFC", text).strip()
        unstorable = "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)
        assert unstorable or not 1 <= len(composed) <= MAX_NAME
        return
    assert name == unicodedata.normalize("NFC", name) == name.strip() == clean_name(name, BLOCK)
    assert 1 <= len(name) <= MAX_NAME


def test_a_name_is_measured_as_it_will_be_stored() -> None:
    assert len(clean_name("e\u0301" * 200, BLOCK)) == 200  # 400 code points, composed to 200
    assert clean_name(" " * 300 + "x", BLOCK) == "x"
    with pytest.raises(UsageError, match="1 to 200"):
        clean_name("\u0958" * 101, BLOCK)  # one code point that NFC writes as two
    with pytest.raises(UsageError, match="1 to 200"):
        clean_name(f"{KEY} " + "x" * 179, REDACT)


def test_content_is_measured_as_it_will_be_stored() -> None:
    fits = f"{KEY} " + "x" * (MAX_CONTENT - 100)
    assert KEY not in clean_content(fits, REDACT)
    with pytest.raises(UsageError, match="at most 100,000"):
        clean_content(f"{KEY} " + "x" * (MAX_CONTENT - len(KEY) - 1), REDACT)
    with pytest.raises(SecretError):
        clean_content(fits, BLOCK)


@given(proper)
def test_content_keeps_all_but_the_space_around_it(text: str) -> None:
    if not text.strip():
        with pytest.raises(UsageError, match="white space"):
            clean_content(text, BLOCK)
        return
    kept = clean_content(f"\n {text}\t", BLOCK)
    assert kept == text.strip() == clean_content(kept, BLOCK)


@given(anything)
def test_what_passes_can_be_stored_and_what_cannot_is_named(text: str) -> None:
    try:
        assert storable(text, "summary") is text
    except UsageError as error:
        with pytest.raises(UsageError, match="The summary holds"):
            raise error from None
        return
    assert "\0" not in text
    assert text.encode().decode() == text


def test_a_blank_text_is_none() -> None:
    for blank in (None, "", " ", "\u3000\n"):
        assert clean_text(blank, "summary", BLOCK) is None
    assert clean_text(" a b ", "summary", BLOCK) == "a b"


@given(st.dictionaries(proper, values, max_size=4))
def test_metadata_comes_out_as_it_went_in_and_json_can_say_it(metadata: dict[str, Json]) -> None:
    kept = clean({"metadata": metadata}, BLOCK).get("metadata")
    assert kept == metadata
    assert json.loads(json.dumps(kept)) == metadata


def nested(depth: int, *, lists: bool) -> Json:
    value: Json = 1
    for _ in range(depth):
        value = [value] if lists else {"a": value}
    return value


@pytest.mark.parametrize("lists", [True, False])
def test_metadata_has_a_depth(*, lists: bool) -> None:
    fits: Fields = {"metadata": {"a": nested(MAX_DEPTH - 1, lists=lists)}}
    assert clean(fits, BLOCK) == fits
    for depth in (MAX_DEPTH, 5_000, 100_000):
        with pytest.raises(UsageError, match="nested deeper than 64 levels"):
            clean({"metadata": {"a": nested(depth, lists=lists)}}, BLOCK)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_json_cannot_say_is_refused_at_any_depth(value: float) -> None:
    for holding in (value, [1, value], {"a": {"b": [value]}}):
        with pytest.raises(UsageError, match="JSON cannot say"):
            clean_json(holding, BLOCK)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given_value", "kept"),
    [
        (None, None),
        ("never", "never"),
        ("2d", NOW + 172_800_000),
        ("2026-05-01T12:00:00Z", NOW),
        (NOW, NOW),
        (0, 0),
        (datetime(2026, 5, 1, 12, tzinfo=UTC), NOW),
    ],
)
def test_an_expiry_is_an_instant_or_never_or_none(
    given_value: int | str | datetime | None, kept: int | str | None
) -> None:
    assert clean({"expires_at": given_value}, BLOCK) == {"expires_at": kept}


def test_only_what_was_given_comes_out() -> None:
    assert clean({}, BLOCK) == {}
    whole: Fields = {
        "kind": "note",
        "entry_class": "semantic",
        "category": "My Notes",
        "tags": ["A"],
        "summary": " s ",
        "name": " n ",
        "importance": 2,
        "confidence": -1,
        "pinned": True,
        "status": "done",
        "source_type": " chat ",
        "source_id": " 1 ",
        "session_id": " s1 ",
        "metadata": {"a": 1},
        "context": " c ",
        "expires_at": "never",
    }
    assert set(whole) == set(Fields.__annotations__), "a new part of an entry joins this test"
    kept = clean(whole, BLOCK)
    assert (kept.get("category"), kept.get("tags"), kept.get("status")) == ("my_notes", ("a",), "completed")
    assert [kept.get(part) for part in ("summary", "name", "source_type", "source_id", "session_id")] == [
        *("s", "n", "chat", "1", "s1")
    ]
    assert (kept.get("importance"), kept.get("confidence"), kept.get("context")) == (1.0, 0.0, "c")
    assert clean(kept, BLOCK) == kept, "what is clean passes again unchanged"


CLEARED: dict[str, object] = {
    **dict.fromkeys(("name", "summary", "context", "source_type", "source_id", "session_id", "expires_at")),
    "category": "general",
    "tags": (),
    "metadata": {},
}


@pytest.mark.parametrize("part", CLEARED)
def test_none_clears_what_can_be_empty(part: str) -> None:
    assert clean({part: None}, BLOCK) == {part: CLEARED[part]}  # type: ignore[misc]


def test_none_leaves_kind_and_class_to_the_text_and_is_no_status() -> None:
    assert clean({"kind": None, "entry_class": None}, BLOCK) == {}
    with pytest.raises(UsageError, match="status was wanted"):
        clean({"status": None}, BLOCK)  # type: ignore[typeddict-item]
