"""A question's time is understood as a span, or not at all; it lifts what was said then."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.clock import to_millis
from lukasa.recall.times import Span, covered, spans_of

NOW = datetime(2023, 5, 30, 14, 20, tzinfo=UTC)  # a Tuesday
DAY = 24 * 60 * 60 * 1000


def at(text: str) -> int:
    return to_millis(datetime.fromisoformat(text).replace(tzinfo=UTC))


def spans(text: str, *, now: datetime = NOW, latest: datetime | None = None) -> list[tuple[str, float]]:
    """The first day of each span, and how many days it has."""
    found = spans_of(text, now=to_millis(now), latest=None if latest is None else to_millis(latest))
    return [
        (datetime.fromtimestamp(start / 1000, tz=UTC).date().isoformat(), (stop - start) / DAY)
        for start, stop in found
    ]


@pytest.mark.parametrize(
    ("text", "first", "days"),
    [
        ("What did Ana do on 8 May 2023?", "2023-05-08", 1),
        ("What happened on the 8th of May, 2023?", "2023-05-08", 1),
        ("the deal of May 8th, 2023", "2023-05-08", 1),
        ("taken on December 1,2022", "2022-12-01", 1),
        ("since 2023-01-31", "2023-01-31", 1),
        ("what did we do in April?", "2023-04-01", 31),
        ("what did we do last June?", "2022-06-01", 31),
        ("in early March 2022", "2022-03-01", 31),
        ("in 2021", "2021-01-01", 366),
        ("where did I go yesterday?", "2023-05-29", 1),
        ("the day before yesterday", "2023-05-28", 1),
        ("what did I eat today", "2023-05-30", 1),
        ("5 days ago", "2023-05-25", 1),
        ("a couple of weeks ago", "2023-05-13", 7),
        ("two months ago", "2023-03-18", 25),
        ("in the past two weeks", "2023-05-16", 15),
        ("last Saturday", "2023-05-27", 1),
        ("last Tuesday", "2023-05-23", 1),
        ("last weekend", "2023-05-27", 2),
        ("this week", "2023-05-23", 8),
    ],
)
def test_a_phrase_is_a_span(text: str, first: str, days: float) -> None:
    assert spans(text) == [(first, pytest.approx(days))]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "How long did it last?",
        "May I go?",
        "She may come 5 times",
        "The marathon had 12 runners",
        "He decided 3 things",
        "31 February 2023",
        "version 2023.1",
        "How many days ago did I buy it?",
        "a weekend with friends",
        "It happened in the past",
    ],
)
def test_what_is_not_understood_is_no_time(text: str) -> None:
    assert spans(text) == []


def test_a_day_is_not_its_whole_month_too() -> None:
    assert spans("on 16 June, 2022") == [("2022-06-16", 1)]


def test_a_date_without_a_year_is_the_last_one_before_anything_was_said_later() -> None:
    told = datetime(2021, 9, 3, tzinfo=UTC)
    assert spans("in August", latest=told) == [("2021-08-01", 31)]
    assert spans("on 3 October", latest=told) == [("2020-10-03", 1)]
    assert spans("yesterday", latest=told) == [("2023-05-29", 1)]


def test_two_phrases_are_two_spans() -> None:
    assert [first for first, _ in spans("between 3 May 2022 and 9 May 2022")] == ["2022-05-03", "2022-05-09"]


@given(st.text(max_size=200))
def test_no_text_is_an_error(text: str) -> None:
    for start, stop in spans_of(text, now=to_millis(NOW)):
        assert start < stop


@given(
    st.sampled_from(["on {}-{}-{}", "{}/{}/{}"]),
    st.integers(min_value=0, max_value=9999),
    st.integers(min_value=0, max_value=99),
    st.integers(min_value=0, max_value=99),
)
def test_a_day_that_does_not_exist_is_no_time(form: str, year: int, month: int, day: int) -> None:
    found = spans_of(form.format(f"{year:04}", month, day), now=to_millis(NOW))
    try:
        wanted = to_millis(datetime(year, month, day, tzinfo=UTC)) if 1900 <= year < 2100 else None
    except ValueError:
        wanted = None
    assert found == (() if wanted is None else ((wanted, wanted + DAY),))


def test_inside_counts_whole_and_outside_less_with_the_distance() -> None:
    span: Span = (at("2023-05-08"), at("2023-05-09"))
    moments = [at(f"2023-05-{day:02}") for day in (8, 10, 12, 30)]
    found = covered(np.array(moments), [span]).tolist()
    assert found[0] == 1
    assert 1 > found[1] > found[2] > 0
    assert found[3] == 0


def test_the_nearest_of_several_spans_counts() -> None:
    early, late = (at("2022-01-01"), at("2022-01-02")), (at("2023-05-08"), at("2023-05-09"))
    assert covered(np.array([at("2023-05-08")]), [early, late]).tolist() == [1]
    assert covered(np.array([at("2023-05-08")]), []).tolist() == [0]
