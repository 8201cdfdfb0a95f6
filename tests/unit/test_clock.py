"""Time: instants and spans in, RFC 3339 out; what no calendar can say is refused."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.clock import DAY, SystemClock, check_instant, parse_past, parse_time, to_millis, to_rfc3339
from lukasa.errors import UsageError
from lukasa.testing import FrozenClock

FIRST, LAST = -62_135_510_400_000, 253_402_214_400_000
NOON = to_millis(datetime(2026, 5, 1, 12, tzinfo=UTC))
instants = st.integers(FIRST, LAST)


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("2026-05-01T12:00:00Z", NOON),
        ("2026-05-01T12:00:00+00:00", NOON),
        ("2026-05-01T14:00:00+02:00", NOON),
        ("2026-04-30T22:30:00-13:30", NOON),
        ("2026-05-01T12:00:00", NOON),
        ("2026-05-01 12:00", NOON),
        (" 2026-05-01T12:00Z\n", NOON),
        ("2026-05-01T12:00:00.250Z", NOON + 250),
        ("2026-05-01", NOON - DAY // 2),
        ("1970-01-01", 0),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2024-02-29", 1_709_164_800_000),
    ],
)
def test_an_instant_is_the_same_whatever_its_zone_and_spelling(text: str, millis: int) -> None:
    assert parse_time(text, now=NOON) == millis


@pytest.mark.parametrize(
    ("text", "ahead"),
    [
        ("0s", 0),
        ("1s", 1_000),
        ("10m", 600_000),
        ("2h", 7_200_000),
        ("1d", DAY),
        ("90 d", 90 * DAY),
        ("  3w ", 21 * DAY),
    ],
)
def test_a_span_counts_from_now(text: str, ahead: int) -> None:
    assert parse_time(text, now=NOON) == NOON + ahead
    assert parse_time(text, now=0) == ahead


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "tomorrow", "10", "10 minutes", "-5m", "1.5h", "m", "10y", "1234567s", "5m ago", "1d 2h"),
        *("2026-02-30", "2025-02-29", "2026-13-01", "2026-05-01T25:00:00Z", "2026-05-01T12:00:00+25:00"),
        *("10000-01-01", "0000-01-01", "2026-05-01T12:00:00Z and more", "\ud800", "1d\x00"),
    ],
)
def test_what_is_no_time_is_refused_and_named(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_time(text, now=NOON)
    assert repr(text) in caught.value.message
    assert "10m, 2h, 1d" in caught.value.fix


def test_a_span_beyond_the_calendar_is_refused() -> None:
    assert parse_time("999999d", now=NOON) == NOON + 999_999 * DAY
    for now, span in ((LAST, "1s"), (NOON, "999999w")):
        with pytest.raises(UsageError, match="years 1 to 9999"):
            parse_time(span, now=now)


def test_only_an_instant_that_every_zone_can_show_is_taken() -> None:
    assert (check_instant(FIRST), check_instant(LAST)) == (FIRST, LAST)
    assert (to_rfc3339(FIRST), to_rfc3339(LAST)) == ("0001-01-02T00:00:00.000Z", "9999-12-31T00:00:00.000Z")
    for millis in (FIRST - 1, LAST + 1, 2**63, -(10**30)):
        with pytest.raises(UsageError, match="years 1 to 9999"):
            check_instant(millis)


def test_the_ends_of_the_calendar_are_refused_as_dates_too() -> None:
    last = datetime(9999, 12, 31, 23, tzinfo=UTC)
    for moment in (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))), last, last.replace(tzinfo=None)):
        with pytest.raises(UsageError, match="years 1 to 9999"):
            to_millis(moment)


@given(instants)
def test_an_instant_survives_being_written_and_read(millis: int) -> None:
    text = to_rfc3339(millis)
    assert parse_time(text, now=0) == millis
    assert text.endswith("Z")
    assert len(text) == len("2026-05-01T12:00:00.000Z"), "texts of one length sort as the instants do"


@given(instants, instants)
def test_written_instants_sort_as_the_instants_do(one: int, two: int) -> None:
    assert (one < two) == (to_rfc3339(one) < to_rfc3339(two))


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),  # noqa: DTZ001 - zones come next
    st.integers(-14 * 60, 14 * 60),
)
def test_a_datetime_is_the_instant_that_it_names_in_its_zone(moment: datetime, minutes: int) -> None:
    aware = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    millis = to_millis(aware)
    assert millis == parse_time(aware.isoformat(), now=0)
    assert (
        datetime.fromisoformat(to_rfc3339(millis)) <= aware < datetime.fromisoformat(to_rfc3339(millis + 1))
    )
    assert to_millis(moment) == to_millis(moment.replace(tzinfo=UTC)), "without a zone it is UTC"


def test_the_machines_clock_tells_whole_milliseconds() -> None:
    before = time.time()
    millis = SystemClock().now()
    assert before * 1000 - 1 <= millis <= time.time() * 1000


def test_a_frozen_clock_stands_until_it_is_moved() -> None:
    clock = FrozenClock()
    assert clock.now() == clock.now() == NOON
    clock.forward(days=1, seconds=0.25)
    assert clock.now() == NOON + DAY + 250
    clock.forward(seconds=-0.25)
    assert clock.now() == NOON + DAY
    assert FrozenClock(0).now() == 0


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("2d", NOON - 2 * DAY),
        (" 2h ago ", NOON - DAY // 12),
        ("2026-05-01T12:00:00Z", NOON),
        ("2026-04-30", NOON - DAY // 2 - DAY),
    ],
)
def test_a_span_of_the_past_counts_back(text: str, millis: int) -> None:
    assert parse_past(text, now=NOON) == millis


@pytest.mark.parametrize("wrong", ["tomorrow", "2 fortnights", "", "ago", "999999w"])
def test_what_is_no_moment_of_the_past_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError):
        parse_past(wrong, now=NOON)
