"""Times as people write and read them.

A span that filters the past (`7d`) counts back from now; a span that looks ahead (`--expires 7d`)
is the library's own. Shown times are local.
"""

from __future__ import annotations

from datetime import datetime

from lukasa.clock import DAY, SystemClock, parse_time

_NEAR = 30 * DAY
_UNITS = ((DAY, "day"), (3_600_000, "hour"), (60_000, "minute"))
_SPAN_ENDS = ("s", "m", "h", "d", "w")


def moment_past(text: str) -> int:
    """An instant from RFC 3339, or from a span before now: `7d`, `2h ago`."""
    bare = text.strip().removesuffix("ago").strip()
    now = SystemClock().now()
    if bare.endswith(_SPAN_ENDS) and bare[:1].isdecimal():
        return now - parse_time(bare, now=0)
    return parse_time(bare, now=now)


def local(millis: int) -> str:
    """The instant as local RFC 3339, to the second."""
    return datetime.fromtimestamp(millis / 1000).astimezone().isoformat(timespec="seconds")


def relative(millis: int, *, now: int) -> str:
    """How far away the instant is; its local date where that is long."""
    distance = abs(millis - now)
    if distance >= _NEAR:
        return local(millis)[:10]
    for size, unit in _UNITS:
        if distance >= size:
            count = distance // size
            words = f"{count} {unit}{'s' if count > 1 else ''}"
            return f"{words} ago" if millis < now else f"in {words}"
    return "just now" if millis <= now else "in a moment"
