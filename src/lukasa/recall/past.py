"""What a recall looks at when it asks what was known at a moment.

An entry that has changed since is put back as it was then, from its history, and one that was not there yet
is taken out. Always true: what was forgotten stays forgotten, whichever moment is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lukasa.db import Row, as_json
from lukasa.entries.indexing import pieces_of
from lukasa.entries.reading import Address, load, with_state
from lukasa.recall.index import MOST_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lukasa.db import Value
    from lukasa.entries.entry import Entry
    from lukasa.entries.indexing import Piece
    from lukasa.entries.reach import Reach
    from lukasa.recall.index import SpaceIndex
    from lukasa.recall.plan import Plan

_NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Past:
    """The pieces of entries that were otherwise, by the numbers that stand for them here: below zero."""

    pieces: dict[int, Piece] = field(default_factory=dict[int, "Piece"])

    def entries(self) -> dict[tuple[str, int], Entry]:
        """Each entry as it was."""
        return {(piece.entry.space, piece.entry.number): piece.entry for piece in self.pieces.values()}

    def put_back(self, reach: Reach, plan: Plan, index: SpaceIndex) -> SpaceIndex:
        """A space as it was at the moment that the plan names."""
        rows = reach.db.rows("changed_since", space=index.space, moment=plan.as_of)
        if not rows:
            return index
        before = {row.text("id"): row.maybe_text("before") for row in rows}
        there = [key for key, state in before.items() if state is not None]
        entries = [
            with_state(entry, before[entry.id] or "")
            for entry in load(reach.db, [Address(index.space, key) for key in there])
        ]
        index = index.without_entries([row.integer("number") for row in rows])
        found = [piece for entry in entries for piece in pieces_of(entry, plan.index.language)]
        numbers = range(-len(self.pieces) - 1, -len(self.pieces) - len(found) - 1, -1)
        self.pieces.update(zip(numbers, found, strict=True))
        if not found:
            return index
        return index.with_pages(
            _pages(_rows(plan, numbers, found)), version=index.version, has_links=index.has_links
        )


def _pages(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Rows in as many as a segment of the index can hold."""
    for first in range(0, len(rows), MOST_ROWS):
        yield rows[first : first + MOST_ROWS]


def _rows(plan: Plan, numbers: Sequence[int], pieces: Sequence[Piece]) -> list[Row]:
    """Pieces as the index reads them."""
    vectors: list[bytes | None] = [None] * len(pieces)
    embedder = plan.index.embedder
    if plan.mode != "keyword" and embedder is not None and not embedder.remote:
        vectors = [vector.tobytes() for vector in embedder.documents([piece.text for piece in pieces])]
    values = [
        _columns(number, piece, vector)
        for number, piece, vector in zip(numbers, pieces, vectors, strict=True)
    ]
    columns = {name: at for at, name in enumerate(values[0])}
    return [Row(columns, tuple(row.values())) for row in values]


def _columns(number: int, piece: Piece, vector: bytes | None) -> dict[str, Value]:
    entry = piece.entry
    return {
        "number": number,
        "ordinal": piece.ordinal,
        "length": piece.terms.length,
        "terms": piece.terms.keys,
        "counts": piece.terms.counts,
        "vector": vector,
        "entry": entry.number,
        "session_id": entry.session_id,
        "speaker": piece.speaker,
        "asks": int(piece.asks),
        "class": entry.entry_class,
        "created_at": entry.created_at,
        "expires_at": _NEVER if entry.expires_at is None else entry.expires_at,
        "superseded_at": _NEVER if entry.superseded_at is None else entry.superseded_at,
        "importance": entry.importance,
        "pinned": int(entry.pinned),
    }


@dataclass(frozen=True, slots=True)
class Place:
    """Of which entry a piece is, and where in its text."""

    space: str
    id: str
    start: int
    stop: int


def places_of(reach: Reach, past: Past, spaces: Sequence[str], numbers: Sequence[int]) -> dict[int, Place]:
    """Where pieces stand, by their numbers."""
    rows = reach.db.rows("chunk_places", spaces=as_json(spaces), numbers=as_json(numbers))
    found = {
        row.integer("number"): Place(
            row.text("space"), row.text("id"), row.integer("start"), row.integer("stop")
        )
        for row in rows
    }
    for number in numbers:
        piece = past.pieces.get(number)
        if piece is not None:
            found[number] = Place(piece.entry.space, piece.entry.id, piece.start, piece.stop)
    return found
