"""How much there is: of each kind, and how much of it is an answer now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.db import as_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.db import Database


@dataclass(frozen=True, kw_only=True, slots=True)
class KindCount:
    """How many entries of a kind there are, and how many of them are answers now."""

    kind: str
    entries: int
    live: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Stats:
    """The size of a store, or of what one agent sees of it."""

    location: str
    spaces: int
    agents: int
    entries: int
    kinds: tuple[KindCount, ...]


def count_entries(db: Database, spaces: Sequence[str], agents: int, now: int) -> Stats:
    """The size of some spaces; a transaction must be open."""
    kinds = tuple(
        KindCount(kind=row.text("kind"), entries=row.integer("entries"), live=row.integer("live"))
        for row in db.rows("count_kinds", spaces=as_json(spaces), now=now)
    )
    return Stats(
        location=db.location,
        spaces=len(spaces),
        agents=agents,
        entries=sum(kind.entries for kind in kinds),
        kinds=kinds,
    )
