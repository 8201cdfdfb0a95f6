"""The time that a question speaks of: `last Saturday`, `two weeks ago`, `in May 2023`, as spans.

Relative to the moment at which it is asked, UTC. Always true: a phrase that is not understood is no time; a
span is never a filter, it only lifts what was said in it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from lukasa.clock import DAY, to_millis
from lukasa.matrices import np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lukasa.matrices import Reals, Whole

Span = tuple[int, int]
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "couple of": 2, "few": 3,
}  # fmt: skip
_UNITS = {"day": 1, "week": 7, "month": 30.44, "year": 365.25}
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}(?:,?\s+(\d{{4}}))?\b")
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?\b")
_MONTH_OF_YEAR = re.compile(rf"\b{_MONTH}(?:\s+of)?,?\s+(\d{{4}})\b")
_IN_MONTH = re.compile(
    r"\b(?:in|during|last|this|of)\s+"
    r"(january|february|march|april|may|june|july|august|september|october|november|december)\b"
)
_IN_YEAR = re.compile(r"\b(?:in|during|of|since)\s+((?:19|20)\d\d)\b")
_ISO = re.compile(r"\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b")
_AGO = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(_NUMBERS)})\s+(day|week|month|year)s?\s+(?:ago|before now|back)\b"
)
_PAST = re.compile(
    rf"\b(?:past|last|previous)\s+(\d{{1,3}}|{'|'.join(_NUMBERS)})?\s*(day|week|month|year)s?\b"
)
_WEEKDAY = re.compile(
    r"\b(?:last|this|past|on|this past)\s+(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
)
_WORDS = {"today": 0, "yesterday": 1, "day before yesterday": 2}


def spans_of(text: str, *, now: int) -> tuple[Span, ...]:
    """Every span of time that a text names, from its first to before its last millisecond."""
    lowered = text.lower()
    if not any(sign in lowered for sign in _SIGNS) and not re.search(r"\d", lowered):
        return ()
    today = datetime.fromtimestamp(now / 1000, tz=UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    found: list[Span] = []
    for start, days in (*_dates(lowered, today), *_relative(lowered, today)):
        begin = to_millis(start)
        found.append((begin, begin + int(days * DAY)))
    return tuple(dict.fromkeys(found))


_SIGNS = (*_MONTHS, "ago", "last", "past", "today", "yesterday", "this", "on ", "previous")


def _dates(text: str, today: datetime) -> Iterator[tuple[datetime, float]]:
    for year, month, day in _ISO.findall(text):
        yield from _day(int(year), int(month), int(day))
    for day, month, year in _DAY_FIRST.findall(text):
        yield from _day(int(year or _year_of(month, int(day), today)), _month(month), int(day))
    for month, day, year in _MONTH_FIRST.findall(text):
        yield from _day(int(year or _year_of(month, int(day), today)), _month(month), int(day))
    for month, year in _MONTH_OF_YEAR.findall(text):
        yield _whole_month(int(year), _month(month))
    if not _MONTH_OF_YEAR.search(text):
        for month in _IN_MONTH.findall(text):
            yield _whole_month(_year_of(month, 1, today), _month(month))
    for year in _IN_YEAR.findall(text):
        yield datetime(int(year), 1, 1, tzinfo=UTC), 366


def _relative(text: str, today: datetime) -> Iterator[tuple[datetime, float]]:
    for number, unit in _AGO.findall(text):
        days = _count(number) * _UNITS[unit]
        slack = {"day": 0.0, "week": 3.0, "month": 12.0, "year": 90.0}[unit]
        yield today - timedelta(days=days + slack), 1 + 2 * slack
    for number, unit in _PAST.findall(text):
        days = _count(number) * _UNITS[unit] if number else _UNITS[unit] * 2
        yield today - timedelta(days=days), days + 1
    for name in _WEEKDAY.findall(text):
        back = (today.weekday() - _WEEKDAYS.index(name[:3])) % 7 or 7
        yield today - timedelta(days=back), 1
    for word, back in _WORDS.items():
        if word in text:
            yield today - timedelta(days=back), 1


def _count(number: str) -> int:
    return int(number) if number.isdecimal() else _NUMBERS[number]


def _month(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1


def _year_of(month: str, day: int, today: datetime) -> int:
    """The year in which such a day was last."""
    later = (_month(month), day) > (today.month, today.day)
    return today.year - 1 if later else today.year


def _day(year: int, month: int, day: int) -> Iterator[tuple[datetime, float]]:
    try:
        yield datetime(year, month, day, tzinfo=UTC), 1
    except ValueError:
        return


def _whole_month(year: int, month: int) -> tuple[datetime, float]:
    return datetime(max(1, year), month, 1, tzinfo=UTC), 31


def covered(moments: Whole, spans: Sequence[Span]) -> Reals:
    """1 for a moment within a span; less, falling to nothing, as far outside as the span is long."""
    best = np.zeros(len(moments))
    for start, stop in spans:
        length = stop - start
        distance = np.maximum(np.maximum(start - moments, moments - stop), 0) / length
        best = np.maximum(best, np.clip(1 - distance, 0, 1))
    return np.round(best, 6)
