"""Vectors that a remote model still has to make: the outbox, worked off some at a time.

Always true: no write waits for this or fails with it; what fails is tried again after 5 seconds, then after
twice as long each time, up to 300, and given up after 20 tries, until a reindex or a change of the text; what
failed with others is tried alone from then on, so that one text that a model refuses holds up no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.db import as_json
from lukasa.entries.forgetting import spaces_of
from lukasa.entries.indexing import EMBED, Index, check_length, index_language, index_of, meanings_of
from lukasa.entries.reading import Address, load
from lukasa.entries.reindexing import Gap, count_gaps, keep_vectors
from lukasa.errors import LukasaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lukasa.db import Database, Row
    from lukasa.entries.reach import Reach
    from lukasa.matrices import Matrix

TRIES = 20
_FIRST_WAIT, _LONGEST_WAIT = 5_000, 300_000
# A worker that dies holding some gives them back after this.
_LEASE = 60_000
_TOGETHER = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedded:
    """What came of working the outbox off: entries done, put off, and left, of which some are given up."""

    done: int
    put_off: int
    left: int
    dead: int
    error: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Claim:
    """Some entries of one space that this worker has for itself until a moment."""

    space: str
    owners: tuple[str, ...]
    attempts: int
    until: int


def embed_pending(reach: Reach, *, limit: int) -> Embedded:
    """Makes the vectors of what is due, of at most so many entries; it stops at the first failure."""
    index = index_of(reach)
    done = put_off = 0
    if index.embedder is not None and index.model is not None:
        for claim in _claims(reach, limit):
            gaps = _pieces(reach.db, claim)
            try:
                vectors = index.embedder.documents([gap.text for gap in gaps]) if gaps else None
            except UsageError:
                raise
            except LukasaError as error:
                _put_off(reach, claim, error)
                put_off += len(claim.owners)
                break
            done += _keep(reach.db, index, claim, gaps, vectors)
    return _counted(reach.db, done, put_off)


def _counted(db: Database, done: int, put_off: int) -> Embedded:
    row = db.row("count_outbox", spaces=as_json(spaces_of(db, None)), operation=EMBED, tries=TRIES)
    return Embedded(
        done=done,
        put_off=put_off,
        left=row.integer("pending") if row else 0,
        dead=row.integer("dead") if row else 0,
        error=row.maybe_text("error") if row else None,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexState:
    """What an index is made with; `coming` is the model whose vectors are being made."""

    language: str
    model: str | None
    dimensions: int
    coming: str | None
    pieces: int
    without_vector: int
    pending: int
    dead: int


def index_state(db: Database) -> IndexState:
    """What the index of a store is made with."""
    with db.transaction(write=False):
        state, coming = db.row("index_state"), db.row("wanted_model")
        model = state.maybe_integer("model") if state else None
        spaces = as_json(spaces_of(db, None))
        outbox = _counted(db, 0, 0)
        return IndexState(
            language=index_language(db),
            model=state.maybe_text("identity") if state else None,
            dimensions=(state.maybe_integer("dimensions") if state else None) or 0,
            coming=coming.text("identity") if coming else None,
            pieces=sum(row.integer("chunks") for row in db.rows("space_versions", spaces=spaces)),
            without_vector=0 if model is None else count_gaps(db, model),
            pending=outbox.left,
            dead=outbox.dead,
        )


def _claims(reach: Reach, limit: int) -> Iterator[_Claim]:
    db = reach.db
    due = {"operation": EMBED, "now": reach.clock.now(), "tries": TRIES}
    for row in db.rows("spaces_due", spaces=as_json(spaces_of(db, None)), **due):
        space = row.text("space")
        while limit > 0:
            now = reach.clock.now()
            until = now + _LEASE
            with db.transaction():
                found = db.rows(
                    "claim_outbox",
                    space=space,
                    operation=EMBED,
                    now=now,
                    until=until,
                    tries=TRIES,
                    limit=min(limit, _TOGETHER),
                )
            if not found:
                break
            limit -= len(found)
            yield from _grouped(space, sorted(found, key=_turn), until)


def _turn(row: Row) -> tuple[int, int, str]:
    """In which order: what failed often lets the others go first."""
    return row.integer("attempts"), row.integer("created_at"), row.text("subject")


def _grouped(space: str, rows: Sequence[Row], until: int) -> Iterator[_Claim]:
    """What was never tried together, and each that has failed before alone."""
    fresh = tuple(row.text("subject") for row in rows if not row.integer("attempts"))
    if fresh:
        yield _Claim(space=space, owners=fresh, attempts=0, until=until)
    for row in rows:
        if row.integer("attempts"):
            alone = (row.text("subject"),)
            yield _Claim(space=space, owners=alone, attempts=row.integer("attempts"), until=until)


def _keep(db: Database, index: Index, claim: _Claim, gaps: Sequence[Gap], vectors: Matrix | None) -> int:
    """Keeps the vectors of some entries; how many are done."""
    changed: Collection[str] = claim.owners
    with db.transaction():
        db.rows("touch_space", space=claim.space, now=0, added=0)
        state = db.row("index_state")
        if index.model is not None and state is not None and state.maybe_integer("model") == index.model:
            changed = ()
            if vectors is not None:
                check_length(index.identity or "", state.integer("dimensions"), vectors.shape[1])
                db.rows("set_dimensions", model=index.model, dimensions=vectors.shape[1])
                kept = keep_vectors(db, gaps, vectors, model=index.model, active=True)
                changed = {gap.owner for gap in gaps} - {gap.owner for gap in kept}
        done = [owner for owner in claim.owners if owner not in changed]
        for owner in done:
            db.rows("finish_outbox", space=claim.space, operation=EMBED, subject=owner, until=claim.until)
    return len(done)


def _pieces(db: Database, claim: _Claim) -> list[Gap]:
    with db.transaction(write=False):
        entries = load(db, [Address(claim.space, owner) for owner in claim.owners])
        return [
            Gap(
                space=claim.space,
                owner=entry.id,
                number=row.integer("number"),
                version=row.integer("version"),
                text=text,
            )
            for entry in entries
            for row, text in zip(
                db.rows("chunks_of", space=claim.space, owner=entry.id), meanings_of(entry), strict=False
            )
        ]


def _put_off(reach: Reach, claim: _Claim, error: LukasaError) -> None:
    """Later, and longer each time."""
    wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(claim.attempts, TRIES))
    with reach.db.transaction():
        for owner in claim.owners:
            reach.db.rows(
                "put_off_outbox",
                space=claim.space,
                operation=EMBED,
                subject=owner,
                until=claim.until,
                due=reach.clock.now() + wait,
                error=error.message,
            )
