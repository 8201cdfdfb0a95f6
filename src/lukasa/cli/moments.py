"""Times as people read them: local, and relative where that says more."""

from __future__ import annotations

from datetime import datetime

from lukasa.clock import DAY

_NEAR = 30 * DAY
_UNITS = ((DAY, "day"), (3_600_000, "hour"), (60_000, "minute"))


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
