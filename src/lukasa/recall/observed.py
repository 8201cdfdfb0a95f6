"""What was recalled: an event for each hit of a question that an agent asked, and what the events amount to.

Dreaming promotes by these signals. Always true: the events of one recall are written together or not at all;
a power cut may lose the last of them, as nobody was promised any; forgetting an entry takes its events along.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.clock import DAY
from lukasa.entries.kinds import HALF_LIVES
from lukasa.ids import new_id

if TYPE_CHECKING:
    from lukasa.db import Database
    from lukasa.entries.entry import Entry
    from lukasa.entries.reach import Reach
    from lukasa.recall.answer import Answer
    from lukasa.recall.plan import Plan

_OFTEN = 7
_MANY = 5
_LONGEST_QUERY = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """How an entry was recalled: how often, for how many questions, on how many days, how well."""

    recalls: int
    queries: int
    days: int
    relevance: float
    last_at: int | None

    @property
    def frequency(self) -> float:
        """0 for never, 1 for six times or more."""
        return min(1.0, math.log(1 + self.recalls) / math.log(_OFTEN))

    @property
    def diversity(self) -> float:
        """How many different questions or days led to it, to five."""
        return min(1.0, max(self.queries, self.days) / _MANY)

    @property
    def consolidation(self) -> float:
        """On how many days it was recalled, to five."""
        return min(1.0, self.days / _MANY)

    def recency(self, entry: Entry, now: int) -> float:
        """1 for just now, and half as much after each half-life of the entry's class."""
        if self.last_at is None:
            return 0.0
        return 0.5 ** (max(0, now - self.last_at) / DAY / HALF_LIVES[entry.entry_class])


def note(reach: Reach, plan: Plan, answer: Answer) -> None:
    """Writes down what was given for a question."""
    query = " ".join(plan.query.casefold().split())[:_LONGEST_QUERY]
    with reach.db.transaction(lasting=False):
        for hit in answer.hits:
            reach.db.rows(
                "add_recall_event",
                space=hit.entry.space,
                id=new_id(plan.now),
                entry=hit.entry.id,
                agent=reach.agent,
                query=query,
                score=hit.relevance,
                now=plan.now,
            )


def recalled(db: Database, entry: Entry) -> Recalled:
    """How an entry was recalled until now."""
    row = db.row("recall_signals", space=entry.space, id=entry.id)
    if row is None:
        return Recalled(recalls=0, queries=0, days=0, relevance=0.0, last_at=None)
    return Recalled(
        recalls=row.integer("recalls"),
        queries=row.integer("queries"),
        days=row.integer("days"),
        relevance=row.real("mean_score"),
        last_at=row.maybe_integer("last_at"),
    )
