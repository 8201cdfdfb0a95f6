"""A clock that stands until it is moved."""

from __future__ import annotations

from datetime import UTC, datetime

from lukasa.clock import to_millis


class FrozenClock:
    """Begins on 1 May 2026, noon UTC; `forward` moves it."""

    def __init__(self, millis: int | None = None) -> None:
        self._millis = to_millis(datetime(2026, 5, 1, 12, tzinfo=UTC)) if millis is None else millis

    def now(self) -> int:
        """Milliseconds since 1970, UTC."""
        return self._millis

    def forward(self, *, days: float = 0, seconds: float = 0) -> None:
        """Lets time pass."""
        self._millis += round((days * 86_400 + seconds) * 1000)
