"""BM25 over one space: exact where texts stand alone, and with what was said around where they do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.db import Row
from lukasa.matrices import np
from lukasa.recall import lexical
from lukasa.recall.index import SpaceIndex, empty
from lukasa.text.terms import encode, key_of, terms_of

NAMES = (
    "number", "entry", "created_at", "expires_at", "superseded_at", "ordinal", "length", "importance",
    "pinned", "asks", "linked", "session_id", "speaker", "class", "vector", "terms", "counts",
)  # fmt: skip
COLUMNS = {name: place for place, name in enumerate(NAMES)}
NEVER = 2**62
WORDS = ("rust", "memory", "lane", "river", "stone", "cloud")
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=9
)


def piece(number: int, text: str, session: str | None) -> Row:
    terms = encode(terms_of(text))
    given = (number, number, number, NEVER, NEVER, 0, terms.length, 0.5, False, text.endswith("?"), False)
    return Row(COLUMNS, (*given, session, None, "semantic", None, terms.keys, terms.counts))


def space(*texts: str, session: str | None = None) -> SpaceIndex:
    rows = [piece(number, text, session) for number, text in enumerate(texts, 1)]
    return empty("agent/ana", 1, -1).with_pages([rows], version=1, has_links=False)


def talk(*sessions: tuple[str, ...]) -> SpaceIndex:
    said = [(f"s{at}", text) for at, texts in enumerate(sessions) for text in texts]
    rows = [piece(number, text, session) for number, (session, text) in enumerate(said, 1)]
    return empty("agent/ana", 1, -1).with_pages([rows], version=1, has_links=False)


def keys(query: str) -> list[int]:
    return [key_of(term) for term in terms_of(query)]


def scores(index: SpaceIndex, query: str) -> list[float]:
    return [round(float(score), 6) for score in lexical.bm25(index, keys(query))]


@pytest.mark.parametrize("query", ["rust memory", "rust rust memory", "memory rust"])
def test_the_reference_is_met(query: str) -> None:
    index = space("rust rust rust memory", "rust memory lane", "unrelated text entirely")
    assert scores(index, query) == [1.142682, 0.980102, 0.0]


@given(texts=TEXTS, query=st.lists(st.sampled_from(WORDS), min_size=1).map(" ".join))
def test_the_formula_is_the_textbooks(texts: list[str], query: str) -> None:
    index = space(*texts)
    split = [text.split() for text in texts]
    average = sum(map(len, split)) / len(split)
    for words, score in zip(split, lexical.bm25(index, keys(query)), strict=True):
        wanted = 0.0
        for word in dict.fromkeys(query.split()):
            holding = sum(word in other for other in split)
            count = words.count(word)
            weight = np.log((len(split) - holding + 0.5) / (holding + 0.5) + 1)
            wanted += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(words) / average))
        assert score == pytest.approx(wanted, abs=1e-9)


@given(texts=TEXTS, query=st.sampled_from(WORDS))
def test_loaded_at_once_or_piece_by_piece_the_scores_are_the_same(texts: list[str], query: str) -> None:
    whole, grown = space(*texts), empty("agent/ana", 1, -1)
    for number, text in enumerate(texts, 1):
        grown = grown.with_pages([[piece(number, text, None)]], version=number, has_links=False)
    assert scores(grown, query) == scores(whole, query)


@given(texts=TEXTS, query=st.sampled_from(WORDS))
def test_a_piece_that_was_replaced_has_no_say(texts: list[str], query: str) -> None:
    changed = space("rust cloud", *texts).with_pages([[piece(1, "river", None)]], version=2, has_links=False)
    fresh = space(*texts, "river")
    assert scores(changed, query)[1:] == scores(fresh, query)


def test_what_was_said_beside_counts_in_part() -> None:
    index = talk(
        ("we adopted two dogs", "how lovely of you", "the weather was fine", "so it was"), ("a river",)
    )
    own, beside, *_, elsewhere = scores(index, "dogs")
    assert own > beside > 0
    assert elsewhere == 0


def test_an_answer_is_read_with_its_question_more_than_with_a_remark() -> None:
    asked = talk(("where are the dogs sleeping?", "inside the kitchen"), ("river stones",))
    told = talk(("where are the dogs sleeping", "inside the kitchen"), ("river stones",))
    assert scores(asked, "dogs")[1] > scores(told, "dogs")[1]


def test_what_is_long_takes_less_from_what_stands_beside() -> None:
    short = talk(("dogs", "river"), ("cloud",))
    long = talk(("dogs", " ".join(f"river stone{number}" for number in range(60))), ("cloud",))
    assert scores(short, "dogs")[1] > scores(long, "dogs")[1]


def test_another_session_is_not_beside() -> None:
    assert scores(talk(("dogs",), ("river",)), "dogs")[1] == 0


def test_a_conversation_has_the_score_of_all_that_was_said_in_it() -> None:
    index = talk(("we adopted dogs", "and then it rained"), ("dogs", "a lane"), ("a river",))
    by_session = lexical.by_session(index, keys("adopt dogs"))
    assert by_session[0] == by_session[1] > by_session[2] == by_session[3] > by_session[4] == 0


@given(texts=TEXTS, query=st.sampled_from(WORDS))
def test_by_session_is_bm25_of_the_sessions_as_texts(texts: list[str], query: str) -> None:
    index = talk(*((text, text) for text in texts))
    wanted = np.repeat(lexical.bm25(space(*(f"{text} {text}" for text in texts)), keys(query)), 2)
    assert lexical.by_session(index, keys(query)) == pytest.approx(wanted, abs=1e-9)


def test_outside_of_conversations_there_is_no_score_of_one() -> None:
    assert np.isnan(lexical.by_session(space("dogs", "river"), keys("dogs"))).all()
    mixed = empty("agent/ana", 1, -1).with_pages(
        [[piece(1, "dogs", None), piece(2, "dogs", "s1")]], version=1, has_links=False
    )
    alone, said = lexical.by_session(mixed, keys("dogs"))
    assert np.isnan(alone)
    assert said > 0


def test_a_session_whose_pieces_are_gone_is_none() -> None:
    index = talk(("dogs", "river"), ("dogs",)).without_others([3])
    assert lexical.sessions(index).count == 1
    assert lexical.sessions(index).average == 1
