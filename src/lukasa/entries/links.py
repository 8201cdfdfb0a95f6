"""Links between entries: typed, weighted, and seen only where both ends are in sight.

A link lives in the space of the entry that it starts from. `supersedes` also closes the validity
of the entry that it points to: that one is history from then on, not an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.db import as_json
from lukasa.entries.fields import clean_score, clean_text
from lukasa.entries.kinds import Relation, check_relation
from lukasa.entries.reach import lock_space
from lukasa.entries.reading import Address, load_one, locate
from lukasa.entries.writing import store_change
from lukasa.errors import NotFoundError, UsageError
from lukasa.scope import owner_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.db import Database, Row, Value
    from lukasa.entries.entry import Entry
    from lukasa.entries.reach import Reach
    from lukasa.entries.reading import Ref


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """One link: from an entry, by a relation, to another."""

    from_id: str
    to_id: str
    relation: Relation
    space: str
    to_space: str
    weight: float
    provenance: str | None
    created_at: int

    def key(self) -> dict[str, Value]:
        """What makes it unique."""
        return {"space": self.space, "from_id": self.from_id, "to_id": self.to_id, "relation": self.relation}


def link_from(row: Row) -> Link:
    """The link of a row."""
    return Link(
        from_id=row.text("from_id"),
        to_id=row.text("to_id"),
        relation=check_relation(row.text("relation")),
        space=row.text("space"),
        to_space=row.text("to_space"),
        weight=row.real("weight"),
        provenance=row.maybe_text("provenance"),
        created_at=row.integer("created_at"),
    )


def link(
    reach: Reach,
    from_ref: Ref,
    relation: str,
    to_ref: Ref,
    *,
    weight: float = 1.0,
    provenance: str | None = None,
) -> Link:
    """Joins two entries; the same link again changes only its weight and provenance."""
    door = reach.door()
    now = door.now
    named = check_relation(relation)
    provenance = clean_text(provenance, "provenance", door)
    with reach.db.transaction():
        start, end = _ends(reach, from_ref, to_ref)
        wanted = Link(
            from_id=start.id,
            to_id=end.id,
            relation=named,
            space=start.space,
            to_space=end.space,
            weight=clean_score(weight, "weight"),
            provenance=provenance,
            created_at=now,
        )
        _lock(reach, wanted, now)
        if named == "supersedes":
            _close(reach, wanted, now)
        return write_link(reach.db, wanted)


def write_link(db: Database, wanted: Link) -> Link:
    """One link's row; what is returned is as it is stored, with the time at which it was first made."""
    row = db.row(
        "add_edge",
        to_space=wanted.to_space,
        weight=wanted.weight,
        provenance=wanted.provenance,
        now=wanted.created_at,
        **wanted.key(),
    )
    return link_from(row) if row else wanted


def unlink(reach: Reach, from_ref: Ref, relation: str, to_ref: Ref) -> None:
    """Takes a link away; what was superseded by it alone is valid again."""
    now = reach.clock.now()
    named = check_relation(relation)
    with reach.db.transaction():
        start, end = _ends(reach, from_ref, to_ref)
        row = reach.db.row("find_edge", space=start.space, from_id=start.id, to_id=end.id, relation=named)
        if row is None:
            raise NotFoundError(wanted=f"link {from_ref!r} {named} {to_ref!r}")
        gone = link_from(row)
        _lock(reach, gone, now)
        reach.db.rows("remove_edge", **gone.key())
        if named == "supersedes":
            _reopen(reach, gone, now)


def _ends(reach: Reach, from_ref: Ref, to_ref: Ref) -> tuple[Address, Address]:
    sight = reach.readable()
    start, end = locate(reach, from_ref, sight), locate(reach, to_ref, sight)
    check_apart(start, end)
    return start, end


def check_apart(start: Address, end: Address) -> None:
    """Refuses a link from an entry to itself."""
    if start == end:
        raise UsageError("An entry cannot be linked to itself.", fix="Name two entries.")


def _lock(reach: Reach, wanted: Link, now: int) -> None:
    """Locks the spaces that change, in one order, so that two links never wait for each other."""
    touched = {wanted.space, wanted.to_space} if wanted.relation == "supersedes" else {wanted.space}
    if not touched <= set(reach.writable()):
        raise UsageError(
            "One of the two spaces is bound for reading only.", fix="Bind it with shares= to write there."
        )
    for space in sorted(touched):
        lock_space(reach, space, now=now)


def _close(reach: Reach, wanted: Link, now: int) -> None:
    old = load_one(reach.db, Address(wanted.to_space, wanted.to_id))
    if old.superseded_by == wanted.from_id:
        return
    check_successor(reach.db, wanted)
    close_validity(reach, old, wanted, now)


def close_validity(reach: Reach, old: Entry, wanted: Link, now: int) -> None:
    """Makes an entry history: the one that the link starts from stands in its place."""
    store_change(reach, old, old.changed(superseded_at=now, superseded_by=wanted.from_id), "superseded", now)


def check_successor(db: Database, wanted: Link) -> None:
    """An entry must not supersede, through however many others, the one that supersedes it.

    Nor may a shared entry have a successor in another space: some would lose the one and never see the other.
    """
    if wanted.space != wanted.to_space and owner_of(wanted.to_space) is None:
        raise UsageError(
            f"An entry of {wanted.to_space} was to be superseded by one that not everybody there sees.",
            fix=f"Remember the new one in {wanted.to_space} first.",
        )
    seen: set[str] = set()
    front = [Address(wanted.space, wanted.from_id)]
    while front:
        here = front.pop()
        if here.id == wanted.to_id:
            raise UsageError("The two would supersede each other.", fix="Unlink the older one first.")
        for row in db.rows("successors", space=here.space, id=here.id):
            if row.text("id") not in seen:
                seen.add(row.text("id"))
                front.append(Address(row.text("space"), row.text("id")))


def _reopen(reach: Reach, gone: Link, now: int) -> None:
    old = load_one(reach.db, Address(gone.to_space, gone.to_id))
    others = reach.db.rows("successors", space=gone.to_space, id=gone.to_id)
    if others and old.superseded_by == gone.from_id:
        follower = old.changed(superseded_by=others[-1].text("id"))
        store_change(reach, old, follower, "superseded", now)
    elif not others and old.superseded_at is not None:
        store_change(reach, old, old.changed(superseded_at=None, superseded_by=None), "restored", now)


def supersede(reach: Reach, old: Ref, new: Ref) -> Entry:
    """Puts one entry in another's place: the old one stays as history, the new one answers."""
    with reach.db.transaction():
        made = link(reach, new, "supersedes", old)
        return load_one(reach.db, Address(made.space, made.from_id))


def links(reach: Reach, ref: Ref) -> tuple[Link, ...]:
    """The links at an entry, from it and to it, whose other end is in sight too."""
    with reach.db.transaction(write=False):
        sight = reach.readable()
        return tuple(links_at(reach.db, [locate(reach, ref, sight).id], sight))


def links_at(db: Database, ids: Sequence[str], spaces: Sequence[str]) -> list[Link]:
    """The links at these entries within these spaces."""
    return [link_from(row) for row in db.rows("edges_of", ids=as_json(ids), spaces=as_json(spaces))]
