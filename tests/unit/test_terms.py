"""A text is searched by its terms: whatever the language, the same steps for text and question."""

from __future__ import annotations

import gc
import time
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.errors import UsageError
from lukasa.text.terms import check_language, encode, key_of, terms_of

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The user drinks coffee every morning", ["user", "drink", "coffe", "morn"]),
        ("the server was started", ["server", "start"]),
        ("C# and C++ at work", ["c#", "c++", "work"]),
        ("is Go CI green?", ["go", "ci", "green"]),
        ("AI", ["ai"]),
        ("src/main.rs", ["src/main.rs", "src", "main", "rs"]),
        ("getUserName", ["getusername", "user", "name"]),
        ("user_id", ["user_id", "user", "id"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("std::vector", ["std::vector", "std", "vector"]),
        ("user@example.com", ["user@example.com", "user", "exampl"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("日", ["日"]),
        ("한국어", ["한국", "국어"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("東京 in Berlin", ["東京", "berlin"]),
        ("Москва и Ana", ["москва", "и", "ana"]),
        ("ﬁle \uff31\uff35\uff2f\uff34\uff21", ["file", "quota"]),
        ("the user\u2019s laptop", ["user", "laptop"]),
        ("🎉 party", ["🎉", "parti"]),
        ("🎉", ["🎉"]),
        ("", []),
        ("%_\"'()*", []),
    ],
)
def test_a_text_has_these_terms(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize("text", ["The Who", "what is the", "to be or not to be"])
def test_a_text_of_nothing_but_stop_words_keeps_them(text: str) -> None:
    assert len(terms_of(text)) == len(text.split())


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("buy", "bought"),
        ("swimming", "swam"),
        ("children", "child"),
        ("teeth", "tooth"),
        ("email", "e-mail"),
        ("wifi", "Wi-Fi"),
        ("STRASSE", "Straße"),
        ("running", "runs"),
    ],
)
def test_what_is_asked_in_one_form_was_told_in_another(asked: str, told: str) -> None:
    assert set(terms_of(asked)) & set(terms_of(told))


@pytest.mark.parametrize(
    ("one", "other"), [("saw", "see"), ("left", "leave"), ("art", "start"), ("c", "c++")]
)
def test_words_that_only_look_alike_stay_apart(one: str, other: str) -> None:
    assert not set(terms_of(one)) & set(terms_of(other))


def test_irregular_forms_are_english_alone() -> None:
    assert terms_of("bought", language="german") != terms_of("buy", language="german")


def test_another_language_has_its_own_stems() -> None:
    assert terms_of("Häuser", language="german") == terms_of("Häusern", language="german")
    with pytest.raises(UsageError, match="klingon"):
        check_language("klingon")
    assert check_language("spanish") == "spanish"


def test_a_hundred_thousand_characters_take_no_longer_than_they_should() -> None:
    for text in ("x" * 100_000, "a.b/" * 25_000, "Ab" * 50_000, "東" * 100_000, "- '" * 33_333):
        began = time.process_time()
        terms_of(text)
        assert time.process_time() - began < 2


@given(st.text(max_size=300))
def test_no_text_is_an_error_and_the_same_text_has_the_same_terms(text: str) -> None:
    terms = terms_of(text)
    assert terms == terms_of(text)
    assert all(terms)


@given(st.text(max_size=100), st.text(max_size=100))
def test_what_two_texts_say_is_what_each_says(one: str, other: str) -> None:
    both = terms_of(f"{one} coffee {other}")
    assert "coffe" in both
    assert set(terms_of(f"{one} coffee")) | set(terms_of(f"coffee {other}")) == set(both)


@given(st.lists(st.sampled_from(["rust", "memory", "東京", "c++"]), max_size=600))
def test_encoded_terms_are_counted_and_in_order(terms: list[str]) -> None:
    encoded = encode(terms)
    assert encoded.length == len(terms)
    assert len(encoded.counts) == len(set(terms)) == len(encoded.keys) // 8
    keys = [
        int.from_bytes(encoded.keys[at : at + 8], "little", signed=True)
        for at in range(0, len(encoded.keys), 8)
    ]
    assert keys == sorted(key_of(term) for term in set(terms))
    assert [min(terms.count(term), 255) for term in sorted(set(terms), key=key_of)] == list(encoded.counts)


def test_a_key_is_the_same_on_every_machine() -> None:
    assert key_of("memory") == KEY_OF_MEMORY


KEY_OF_MEMORY = -1684149462922036294


def test_what_is_remembered_of_texts_is_short() -> None:
    long = "a" * 100_000
    kept = kept_after(lambda: [key_of(f"{long}{n}") and terms_of(f"{long}{n}") for n in range(40)])
    assert kept < 1_000_000


def kept_after(work: Callable[[], object]) -> int:
    """How many bytes stay after some work."""
    tracemalloc.start()
    try:
        work()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
