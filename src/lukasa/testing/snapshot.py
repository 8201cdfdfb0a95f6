"""All of a store as text, so that two states of it can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.entries.forgetting import spaces_of
from lukasa.entries.reading import walk
from lukasa.entries.records import lines_of

if TYPE_CHECKING:
    from lukasa.db import Database


def state(db: Database) -> list[str]:
    """Every entry, change, link and space counter, in a fixed order."""
    with db.transaction(write=False):
        spaces = spaces_of(db, None)
        counters = [str(row.plain()) for row in db.rows("list_spaces", after="", limit=10_000)]
        return counters + list(lines_of(db, spaces, walk(db, spaces)))
