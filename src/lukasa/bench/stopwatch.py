"""Measuring time, and the memory's own speed; and the line in which a figure is given."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.matrices import np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lukasa.db.database import Json

# Far more than any cache of a processor holds.
_SCANNED = 256 << 20
_TRIES = 15


@dataclass(frozen=True, kw_only=True, slots=True)
class Timed:
    """What one call took, in seconds: by the clock, and of the processor."""

    wall: float
    cpu: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One figure; what it is to be compared with; and the bar, for their ratio or for the figure alone."""

    what: str
    value: float
    unit: str
    against: str | None = None
    other: float | None = None
    bar: float | None = None

    @property
    def ratio(self) -> float | None:
        """The figure over the other one."""
        return self.value / self.other if self.other else None

    @property
    def met(self) -> bool | None:
        """Whether the bar is met; None where there is none."""
        if self.bar is None:
            return None
        return (self.value if self.other is None else self.value / self.other) <= self.bar

    def as_json(self) -> dict[str, Json]:
        """The line for a report."""
        ratio = self.ratio
        return {
            "what": self.what,
            "value": round(self.value, 3),
            "unit": self.unit,
            "against": self.against,
            "other": None if self.other is None else round(self.other, 3),
            "ratio": None if ratio is None else round(ratio, 3),
            "bar": self.bar,
            "met": self.met,
        }


def timed(work: Callable[[], object]) -> Timed:
    """What one call takes."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    wall = time.perf_counter() - wall
    return Timed(wall=wall, cpu=time.process_time() - cpu)


def quantile(taken: Sequence[Timed], share: float, *, cpu: bool = False) -> float:
    """So many of all calls took no more than this, in milliseconds."""
    ordered = sorted(one.cpu if cpu else one.wall for one in taken)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1e3


def fastest(work: Callable[[], object], tries: int = _TRIES) -> float:
    """The least that a call takes, in seconds: what the machine can do when nobody else is on it."""
    return min(timed(work).wall for _ in range(tries))


def bandwidth() -> float:
    """How many bytes a second one thread can read from memory."""
    block = np.ones(_SCANNED // 8, dtype=np.float64)
    return block.nbytes / fastest(block.sum)
