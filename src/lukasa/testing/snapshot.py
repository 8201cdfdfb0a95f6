"""All of a store as text, so that two states of it can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.entries.forgetting import spaces_of
from lukasa.entries.reading import walk, walk_addresses
from lukasa.entries.records import lines_of

if TYPE_CHECKING:
    from lukasa.db import Database


def state(db: Database) -> list[str]:
    """Every entry, change, link, piece, vector, recall and space counter, in a fixed order."""
    with db.transaction(write=False):
        spaces = spaces_of(db, None)
        counters = [str(row.plain()) for row in db.rows("list_spaces", after="", limit=10_000)]
        pieces = [
            str(row.plain())
            for space in spaces
            for row in db.rows("load_chunks", space=space, model=1, version=-1, number=-1, limit=10_000)
        ]
        recalls = [
            str(row.plain())
            for page in walk_addresses(db, spaces)
            for at in page
            for row in db.rows("recall_signals", space=at.space, id=at.id)
        ]
        return counters + pieces + recalls + list(lines_of(db, spaces, walk(db, spaces)))
