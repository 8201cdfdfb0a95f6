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
    "a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "an": 1, "a": 1, "one": 1, "two": 2, "three": 3,
    "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_UNITS = {"day": 1, "week": 7, "month": 30.44, "year": 365.25}
# How far off people are when they say how long ago a thing was.
_SLACK = {"day": 0.0, "week": 3.0, "month": 12.0, "year": 90.0}
_COUNT = rf"(\d{{1,3}}|{'|'.join(_NUMBERS)})"
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_YEAR = r"(?:(?:,\s*|\s+)((?:19|20)\d\d))"
_ISO = re.compile(r"\b((?:19|20)\d\d)[-/](\d{1,2})[-/](\d{1,2})\b")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}{_YEAR}?")
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\b{_YEAR}?")
_MONTH_OF_YEAR = re.compile(rf"\b{_MONTH}(?:\s+of)?{_YEAR}")
_IN_MONTH = re.compile(rf"\b(?:in|during|last|this|of|early|late|mid)[\s-]+{_MONTH}")
_IN_YEAR = re.compile(r"\b(?:in|during|of|since)\s+((?:19|20)\d\d)\b")
_AGO = re.compile(rf"\b{_COUNT}\s+(day|week|month|year)s?\s+(?:ago|before now|back)\b")
_PAST = re.compile(rf"\b(?:past|last|previous)\s+(?:{_COUNT}\s+)?(day|week|month|year)s?\b")
_THIS = re.compile(r"\bthis\s+(week|month|year)\b")
_WEEKDAY = re.compile(
    r"\b(?:last|this|past|on|this past)\s+(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
)
_WEEKEND = re.compile(r"\b(?:last|past)\s+weekend\b")
_WORDS = {"day before yesterday": 2, "yesterday": 1, "today": 0, "tonight": 0, "this morning": 0}
_SATURDAY = 5
# What is told is often told some days after: a span reaches at least so far beyond its ends, less and less.
_TOLD_WITHIN = 7 * DAY


def spans_of(text: str, *, now: int, latest: int | None = None) -> tuple[Span, ...]:
    """Every span of time that a text names, from its first to before its last millisecond.

    A date without a year is the last such date, as seen from `latest`, the newest thing that was said.
    """
    lowered = text.lower()
    if not any(sign in lowered for sign in _SIGNS) and not re.search(r"\d", lowered):
        return ()
    today = _midnight(now)
    found: list[Span] = []
    seen_from = today if latest is None else min(today, _midnight(latest))
    for start, days in (*_dates(lowered, seen_from), *_relative(lowered, today)):
        begin = to_millis(start)
        found.append((begin, begin + int(days * DAY)))
    return tuple(dict.fromkeys(found))


_SIGNS = (*_MONTHS, "ago", "last", "past", "today", "yesterday", "this", "on ", "previous", "tonight")


def _midnight(moment: int) -> datetime:
    return datetime.fromtimestamp(moment / 1000, tz=UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _dates(text: str, today: datetime) -> Iterator[tuple[datetime, float]]:
    """What is named by the calendar; what one pattern has read, no other reads again."""
    for year, month, day in _ISO.findall(text):
        yield from _day(int(year), int(month), int(day))
    text = _ISO.sub(" ", text)
    for day, month, year in _DAY_FIRST.findall(text):
        yield from _day(int(year or _year_of(month, int(day), today)), _month(month), int(day))
    text = _DAY_FIRST.sub(" ", text)
    for month, day, year in _MONTH_FIRST.findall(text):
        yield from _day(int(year or _year_of(month, int(day), today)), _month(month), int(day))
    text = _MONTH_FIRST.sub(" ", text)
    for month, year in _MONTH_OF_YEAR.findall(text):
        yield _whole_month(int(year), _month(month))
    text = _MONTH_OF_YEAR.sub(" ", text)
    for month in _IN_MONTH.findall(text):
        yield _whole_month(_year_of(month, 1, today), _month(month))
    for year in _IN_YEAR.findall(text):
        yield datetime(int(year), 1, 1, tzinfo=UTC), 366


def _relative(text: str, today: datetime) -> Iterator[tuple[datetime, float]]:
    for number, unit in _AGO.findall(text):
        slack = _SLACK[unit]
        yield today - timedelta(days=_count(number) * _UNITS[unit] + slack), 1 + 2 * slack
    for number, unit in _PAST.findall(text):
        days = _count(number) * _UNITS[unit] if number else _UNITS[unit] * 2
        yield today - timedelta(days=days), days + 1
    for unit in _THIS.findall(text):
        yield today - timedelta(days=_UNITS[unit]), _UNITS[unit] + 1
    for name in _WEEKDAY.findall(text):
        back = (today.weekday() - _WEEKDAYS.index(name[:3])) % 7 or 7
        yield today - timedelta(days=back), 1
    if _WEEKEND.search(text):
        yield today - timedelta(days=(today.weekday() - _SATURDAY) % 7 or 7), 2
    for word, back in _WORDS.items():
        if word in text:
            yield today - timedelta(days=back), 1
            break


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
    """1 within one of the spans; outside less and less, to nothing as far off as the span is long."""
    best = np.zeros(len(moments))
    for start, stop in spans:
        length = max(stop - start, _TOLD_WITHIN)
        distance = np.maximum(np.maximum(start - moments, moments - stop), 0) / length
        best = np.maximum(best, np.clip(1 - distance, 0, 1))
    return np.round(best, 6)
