"""What is put before a model before anybody has asked: what stands, and what is new, framed as data.

Without a question there is nothing to be relevant to: what is pinned comes first, then what is important,
then the newest. What was said in conversations stays out; a question brings it back. No numpy is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.db import as_json
from lukasa.entries.reading import Address, load
from lukasa.recall.framing import block, head, quoted

if TYPE_CHECKING:
    from lukasa.db import Row
    from lukasa.entries.entry import Entry
    from lukasa.entries.reach import Reach

MOST_ITEMS = 8
_STANDING = 5


def opening(reach: Reach, *, limit: int | None) -> str:
    """The block for the beginning of a conversation; empty if there is nothing to say."""
    wanted = MOST_ITEMS if limit is None else max(0, min(limit, MOST_ITEMS))
    with reach.db.transaction(write=False):
        known = _known(reach, wanted)
    return block(f"- {head(entry)}: {quoted(entry.content)}" for entry in known)[0]


def _known(reach: Reach, wanted: int) -> list[Entry]:
    """The first of what stands, then the newest, each once."""
    spaces = as_json(list(dict.fromkeys((reach.home, *reach.shares, *reach.reads))))
    now = reach.clock.now()
    standing = _places(reach.db.rows("list_standing", spaces=spaces, now=now, limit=wanted))
    newest = _places(reach.db.rows("list_newest", spaces=spaces, now=now, limit=wanted))
    chosen = dict.fromkeys([*standing[:_STANDING], *newest, *standing])
    return load(reach.db, list(chosen)[:wanted])


def _places(rows: list[Row]) -> list[Address]:
    return [Address(row.text("space"), row.text("id")) for row in rows]
