"""What a recall gives: hits, and each reason for each of them.

Always true: a hit's score is the sum of its signals' points; an entry is one hit, with the piece of it that
matched best; the order is by score, then the newer, then the higher number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lukasa.config import Mode
    from lukasa.entries.entry import Entry

SignalName = Literal[
    "words",
    "meaning",
    "session",
    "speaker",
    "time",
    "asking",
    "name",
    "graph",
    "recency",
    "importance",
    "pinned",
]
Nearby = Literal["before", "after", "contradicts"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Signal:
    """One reason: what was measured, which place that takes among all candidates, and what it counts for."""

    name: SignalName
    raw: float
    rank: int
    weight: float
    points: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """An entry that a hit brings along: the turn before or after it, or one that contradicts it."""

    relation: Nearby
    entry: Entry


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """An entry that answers, why it does, and how relevant it is from 0 to 1."""

    entry: Entry
    score: float
    relevance: float
    signals: tuple[Signal, ...]
    start: int
    stop: int
    beside: tuple[Beside, ...] = ()

    @property
    def text(self) -> str:
        """The piece of the entry that matched best."""
        return self.entry.content[self.start : self.stop]


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """The hits of one question, best first, and what is to be known of how they were found."""

    query: str
    mode: Mode
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Hit]:
        """The hits, best first."""
        return iter(self.hits)

    def __len__(self) -> int:
        """How many hits there are."""
        return len(self.hits)
