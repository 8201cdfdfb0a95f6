"""Time, as one seam: whole milliseconds since 1970, UTC.

Nothing below the surfaces asks the operating system for the time; it asks the `Clock` that
the store was opened with, so that a test can stand anywhere in time without waiting.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from lukasa.errors import UsageError

DAY = 86_400_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_UNITS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": DAY, "w": 7 * DAY}
_SPAN = re.compile(r"(\d{1,6})\s*([smhdw])\Z")
# 0001-01-02 and 9999-12-31: one day less than what a date can say, so that it can be shown in any zone.
_FIRST, _LAST = -62_135_510_400_000, 253_402_214_400_000


class Clock(Protocol):
    """What tells the time."""

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""
        return time.time_ns() // 1_000_000


def parse_time(text: str, *, now: int) -> int:
    """An instant from RFC 3339 (`2026-05-01`, `2026-05-01T10:00:00Z`) or a span ahead (`10m`, `2h`, `1d`)."""
    span = _SPAN.match(text.strip())
    if span:
        return check_instant(now + int(span[1]) * _UNITS[span[2]])
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"A time was wanted, found {text!r}.",
            fix="Write 2026-05-01T10:00:00Z, or a span such as 10m, 2h, 1d.",
        ) from None
    return to_millis(moment)


def parse_past(text: str, *, now: int) -> int:
    """An instant from RFC 3339, or from a span before now: `7d`, `2h ago`."""
    bare = text.strip().removesuffix("ago").strip()
    if _SPAN.match(bare):
        return check_instant(now - parse_time(bare, now=0))
    return parse_time(bare, now=now)


def to_millis(moment: datetime) -> int:
    """Milliseconds of a datetime; one without a zone is taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return check_instant((aware - _EPOCH) // _MILLISECOND)


def check_instant(millis: int) -> int:
    """The instant itself, or an error if no calendar date can say it."""
    if _FIRST <= millis <= _LAST:
        return millis
    raise UsageError(
        f"A time in the years 1 to 9999 was wanted, found {millis} ms.", fix="Choose a nearer one."
    )


def to_rfc3339(millis: int) -> str:
    """The instant as RFC 3339 text in UTC, to the millisecond."""
    moment = _EPOCH + millis * _MILLISECOND
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
