"""Concept tags say what a text is about, in the same words each time, whatever the text."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.text import STOP_WORDS, concept_tags


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("OpenAI quota monitoring endpoint", ("openai", "quota", "monitoring", "endpoint")),
        ("", ()),
        ("What is the and where?", ()),
        ("¿Qué es lo que quiere el usuario?", ("quiere", "usuario")),
        ("The user drinks coffee every morning", ("user", "drinks", "coffee", "morning")),
        ("the user's laptop doesn't boot", ("user", "laptop", "boot")),
        ("L'école d'été", ("école",)),
        ("Fix src/main.rs, then baz-qux.", ("src/main.rs", "baz-qux", "fix")),
        ("user_id is passed to foo.bar() by HttpClient", ("user_id", "foo.bar", "httpclient", "passed")),
        (
            "std::vector, ana@example.com, --dry-run, v1.2.3",
            ("std::vector", "ana@example.com", "dry-run", "v1.2.3"),
        ),
        ("see https://www.example.com/path?x=1", ("example.com/path", "see")),
        ("and/or, he/she, e.g. i.e. U.S. x-y a/b", ()),
        ("k8s and gpt4 nodes", ("nodes", "k8s", "gpt4")),
        ("nightly Backups of Postgres", ("backups", "postgres", "nightly")),
        ("Müller liebt Straßenbahnen", ("müller", "liebt", "strassenbahnen")),
        ("ﬁle \uff31\uff35\uff2f\uff34\uff21", ("quota", "file")),
        ("हिन्दी वाक्य", ("हिन्दी", "वाक्य")),
    ],
)
def test_tags_are_the_glossary_then_compounds_then_words(text: str, tags: tuple[str, ...]) -> None:
    assert concept_tags(text) == tags


@pytest.mark.parametrize(
    "text",
    [
        "42 3.14 1,000,000 10:30 5GB 1st 22nd 3am ①② ½",
        "2026-01-05 05/01/2026 2026-01-05T10:20:30Z 12-Jan-2024 2024-W",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709 550e8400-e29b-41d4-a716-446655440000 d41d8cd98f00b204",
        "a an it us ai ok",
        "!!! ... --- ___ 🎉 \u0301 \ud800",
    ],
)
def test_numbers_dates_hashes_and_short_words_are_no_tags(text: str) -> None:
    assert concept_tags(text) == ()


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("我喜欢在早上喝咖啡", ("喜欢", "早上", "上喝", "喝咖", "咖啡")),
        ("東京タワーはとても高い", ("東京", "タワー")),
        ("GPT-4のモデル", ("gpt-4", "モデル")),
        ("すし", ("すし",)),
        ("서울에서 만나요", ("서울에서", "만나요")),
        ("2024年1月5日に会議", ("会議",)),
        ("ﾀﾜｰ", ("タワー",)),
    ],
)
def test_chinese_japanese_and_korean_need_no_spaces_and_two_characters(
    text: str, tags: tuple[str, ...]
) -> None:
    assert concept_tags(text) == tags


def test_eight_tags_are_kept_unless_asked_otherwise() -> None:
    text = "alpha bravo charlie delta echo foxtrot golf hotel india juliett"
    assert concept_tags(text) == tuple(text.split()[:8])
    assert concept_tags(text, limit=3) == ("alpha", "bravo", "charlie")
    assert concept_tags(text, limit=20) == tuple(text.split())
    assert concept_tags(text, limit=0) == concept_tags(text, limit=-1) == ()


def test_a_tag_stands_once_whatever_its_case() -> None:
    assert concept_tags("Budget BUDGET budget") == ("budget",)


def test_a_word_of_32_characters_is_a_tag_and_one_of_33_is_not() -> None:
    assert concept_tags("x" * 32) == ("x" * 32,)
    assert concept_tags("x" * 33) == ()


def test_a_long_path_gives_its_words() -> None:
    assert concept_tags("/srv/apollo/billing-invoices/2024/retention_rules") == (
        *("srv", "apollo", "billing", "invoices", "retention", "rules"),
    )


def test_stop_words_are_in_the_form_in_which_they_are_looked_up() -> None:
    assert {unicodedata.normalize("NFC", word.casefold()) for word in STOP_WORDS} == STOP_WORDS
    assert {
        "the",
        "what",
        "where",
        "does",
        "qué",
        "que",
        "dónde",
        "donde",
        "el",
        "und",
        "où",
        "não",
    } <= STOP_WORDS


def test_words_with_a_meaning_in_english_or_computing_are_no_stop_words() -> None:
    meaningful = (
        "go ai ci eu os ip id todo son sin sea solo war die man mit car plus dos van bin era tan sans port"
    )
    assert STOP_WORDS.isdisjoint(meaningful.split())


TEXT = st.one_of(
    st.text(alphabet=st.characters(), max_size=200),
    st.lists(
        st.sampled_from(
            ["OpenAI", "src/main.rs", "the", "2024-01-05", "東京タワー", "foo_bar", "İ", "ß", "ŉ", "ﷺ", "x"]
        ),
        max_size=20,
    ).map(" ".join),
)


@given(TEXT)
def test_every_tag_keeps_the_rules(text: str) -> None:
    tags = concept_tags(text)
    assert len(tags) <= 8
    assert len(set(tags)) == len(tags)
    for tag in tags:
        assert 2 <= len(tag) <= 32
        assert len(tag) > 2 or not tag.isascii()
        assert tag not in STOP_WORDS
        assert any(map(str.isalpha, tag))
        assert unicodedata.is_normalized("NFKC", tag)


@given(TEXT)
def test_a_smaller_limit_gives_the_same_tags_sooner_ended(text: str) -> None:
    assert concept_tags(text, limit=3) == concept_tags(text)[:3]


@pytest.mark.parametrize(
    "piece", ["a", "a.", "a-", "_", "aB", "a/b ", "://", "東", "あ", "ﷺ", "1", "\u0301", "0f"]
)
def test_hostile_text_takes_little_time(piece: str) -> None:
    began = time.process_time()
    concept_tags(piece * 100_000)
    assert time.process_time() - began < 0.5
