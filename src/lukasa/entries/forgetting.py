"""Forgetting: erasure with a receipt.

What is forgotten leaves every table in one transaction, then the pages that held it are wiped.
The receipt says what was erased where, and what may remain in places that are not the store's,
with what clears them. It never repeats the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lukasa.db import as_json
from lukasa.entries.reach import Reach, lock_space
from lukasa.entries.reading import Address, Ref, walk_addresses
from lukasa.entries.writing import erase, open_to_change
from lukasa.scope import agent_space

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lukasa.db import Database


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What an erasure took away, and where something of it may still be."""

    subject: str
    entries: int
    names: int
    tags: int
    links: int
    history: int
    chunks: int
    vectors: int
    recalls: int
    remains: tuple[str, ...]
    dry_run: bool = False


@dataclass(slots=True)
class _Tally:
    entries: int = 0
    names: int = 0
    tags: int = 0
    links: int = 0
    history: int = 0
    chunks: int = 0
    vectors: int = 0
    recalls: int = 0

    def add(self, db: Database, address: Address, whole: Sequence[str] = ()) -> None:
        """Counts an entry that is still there; `whole` names the spaces that go with everything in them."""
        self.entries += 1
        row = db.row("count_parts", space=address.space, id=address.id, whole=as_json(whole))
        if row is not None:
            self.names += row.integer("names")
            self.tags += row.integer("tags")
            self.links += row.integer("links")
            self.history += row.integer("history")
            self.chunks += row.integer("chunks")
            self.vectors += row.integer("vectors")
            self.recalls += row.integer("recalls")

    def receipt(self, subject: str, remains: list[str], *, dry_run: bool = False) -> Receipt:
        return Receipt(
            subject=subject,
            entries=self.entries,
            names=self.names,
            tags=self.tags,
            links=self.links,
            history=self.history,
            chunks=self.chunks,
            vectors=self.vectors,
            recalls=self.recalls,
            remains=tuple(remains),
            dry_run=dry_run,
        )


def forget(reach: Reach, ref: Ref) -> Receipt:
    """Erases one entry and all that hangs on it."""
    now = reach.clock.now()
    tally = _Tally()
    with reach.db.transaction():
        entry = open_to_change(reach, ref, now=now)
        address = Address(entry.space, entry.id)
        tally.add(reach.db, address)
        erase(reach, address, now)
    remains = reach.db.scrub() + _copies(reach.db)
    return tally.receipt(f"entry {entry.number} ({entry.id})", remains)


def forget_agent(reach: Reach, *, dry_run: bool, progress: Callable[[int], None]) -> Receipt:
    """Erases everything that is the agent's own: its memory and its channels."""
    now = reach.clock.now()
    tally = _Tally()
    with reach.db.transaction(write=not dry_run):
        spaces = [row.text("space") for row in reach.db.rows("agent_spaces", agent=reach.agent)]
        for space in [] if dry_run else spaces:
            lock_space(reach, space, now=now)
        addresses = [address for page in walk_addresses(reach.db, spaces) for address in page]
        for address in addresses:
            tally.add(reach.db, address, spaces)
        for done, address in enumerate(addresses, 1):
            if not dry_run:
                erase(reach, address, now)
            progress(done)
        for space in [] if dry_run else spaces:
            reach.db.rows("remove_space", space=space)
        remains = _elsewhere(reach)
    if not dry_run:
        remains += reach.db.scrub() + _copies(reach.db)
    return tally.receipt(f"agent {reach.agent} ({agent_space(reach.agent)})", remains, dry_run=dry_run)


def _elsewhere(reach: Reach) -> list[str]:
    rows = reach.db.rows("remains_elsewhere", agent=reach.agent)
    return [
        f"{row.integer('entries')} entries that it wrote into {row.text('space')}: they belong to that space"
        for row in rows
    ]


def _copies(db: Database) -> list[str]:
    """Copies of the file that an upgrade left beside it."""
    if db.dialect != "sqlite":
        return []
    path = Path(db.location)
    return [
        f"{copy.name}, the copy from before an upgrade: delete the file"
        for copy in path.parent.glob(f"{path.name}.before-*")
    ]


def spaces_of(db: Database, agent: str | None) -> list[str]:
    """Every space of the store, or those of one agent."""
    if agent is not None:
        return [row.text("space") for row in db.rows("agent_spaces", agent=agent)]
    found: list[str] = []
    while rows := db.rows("list_spaces", after=found[-1] if found else "", limit=1_000):
        found += [row.text("space") for row in rows]
    return found
