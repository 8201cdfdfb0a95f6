"""Making anew what is derived: the pieces of every entry, their terms, and their vectors by one model.

Always true: it can be stopped at any moment and begun again; what answers goes on answering until the new
model's vectors are complete, and no writer is left behind by the change: the last gaps are filled, and the
model changed, in one transaction that lets no writer in. Then the old vectors go, some at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.db import as_json
from lukasa.embed import DEFAULT, NONE
from lukasa.entries.counting import count_entries
from lukasa.entries.forgetting import spaces_of
from lukasa.entries.indexing import (
    EMBED,
    Index,
    add_model,
    index_language,
    index_of,
    meanings_of,
    pieces_of,
    put_vector,
    rewrite,
    spelled,
)
from lukasa.entries.reading import Address, load, load_one, walk, walk_addresses
from lukasa.errors import ConflictError, StoreDamagedError
from lukasa.text.terms import check_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lukasa.db import Database
    from lukasa.embed.embedder import Embedder
    from lukasa.entries.entry import Entry
    from lukasa.entries.reach import Reach
    from lukasa.matrices import Matrix

    Progress = Callable[[int, int], None]

_STEP = 128
_REMOVED_AT_ONCE = 2_000
# With fewer gaps than this the model is changed, and the writers wait while they are filled.
_FEW = 128
_ROUNDS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Reindexed:
    """What a reindex did."""

    entries: int
    mended: int
    vectors: int
    removed: int
    model: str | None
    language: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _Target:
    """The model whose vectors are to be complete."""

    number: int
    identity: str
    embedder: Embedder
    active: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Gap:
    """A piece that needs a vector, as it was when it was looked at."""

    space: str
    owner: str
    number: int
    version: int
    text: str


def reindex(reach: Reach, *, model: str | None, language: str | None, progress: Progress) -> Reindexed:
    """Makes the index what the entries, the language and the model say; what is right already stays."""
    db = reach.db
    if language is not None:
        _set_language(reach, check_language(language), progress)
    target = _target(reach, model)
    entries, mended = _mend(reach, progress)
    made = removed = 0
    if target is not None:
        made = _complete(reach, target, progress)
    elif model == NONE:
        _switch_off(db)
    if model is not None:
        # What comes now is tidying: the store has changed its model, and whoever asked for it goes along.
        reach.embedding.follow(model)
    if target is not None or model == NONE:
        removed = _remove_others(reach, target.number if target else 0)
        _settle(db, target)
    if removed:
        db.scrub()
    return Reindexed(
        entries=entries,
        mended=mended,
        vectors=made,
        removed=removed,
        model=target.identity if target else None,
        language=index_language(db),
    )


# -- which language, which model ----------------------------------------------------------------


def _set_language(reach: Reach, language: str, progress: Progress) -> None:
    """Stems every entry anew, all at once: half a store in another language would answer wrongly."""
    db = reach.db
    with db.transaction():
        db.rows("claim_index")
        row = db.row("index_state")
        if row is not None and row.maybe_text("language") == language:
            return
        spaces = spaces_of(db, None)
        for space in spaces:
            db.rows("touch_space", space=space, now=0, added=0)
        total = _count_entries(db)
        for done, entry in enumerate(walk(db, spaces), 1):
            rewrite(reach, _words_only(language), entry, keep_vectors=True)
            progress(done, total)
        db.rows("set_language", language=language)


def _words_only(language: str) -> Index:
    return Index(language=language, model=None, identity=None, dimensions=0, embedder=None, is_new=False)


def _target(reach: Reach, model: str | None) -> _Target | None:
    """The model that is meant, noted in the store so that a later call goes on with it."""
    embedder = _meant(reach, model)
    if embedder is None:
        return None
    if not embedder.dimensions:
        embedder.documents(["How long is a vector?"])
    db = reach.db
    state = db.row("index_state")
    if model is None and not (spaces_of(db, None) or (state and state.maybe_text("language"))):
        return None
    known = db.row("find_model", identity=embedder.identity)
    if known is not None and known.integer("dimensions") not in {0, embedder.dimensions}:
        # It makes other vectors than it did: the old ones can be compared with none any more.
        _remove_model(db, known.integer("number"))
    with db.transaction():
        if state is None or state.maybe_text("language") is None:
            db.rows("set_language", language=reach.settings.language or index_language(db))
        number = add_model(db, embedder, active=False)
        db.rows("set_dimensions", model=number, dimensions=embedder.dimensions)
        now = db.row("index_state")
        active = now.maybe_integer("model") == number if now else False
        db.rows("want_model", model=0 if active else number)
    return _Target(number=number, identity=embedder.identity, embedder=embedder, active=active)


def _meant(reach: Reach, model: str | None) -> Embedder | None:
    """The embedder of a setting; without one, that of a change which was begun, or the store's own."""
    if model == NONE:
        return None
    if model is not None:
        return reach.embedding.open("bundled" if model == DEFAULT else model)
    begun = reach.db.row("wanted_model")
    return reach.embedding.open(spelled(begun.text("identity"))) if begun else index_of(reach).embedder


# -- the pieces -----------------------------------------------------------------------------------


def _mend(reach: Reach, progress: Progress) -> tuple[int, int]:
    """Makes the pieces of each entry what its text says; how many were looked at, and how many were not."""
    db = reach.db
    language, total = index_language(db), _count_entries(db)
    done = mended = 0
    for space in spaces_of(db, None):
        _tidy(db, space)
        for page in walk_addresses(db, [space], step=_STEP):
            with db.transaction(write=False):
                wrong = [entry for entry in load(db, page) if not _is_right(db, entry, language)]
            for entry in wrong:
                mended += _make_anew(reach, Address(space, entry.id), language)
            done += len(page)
            progress(done, total)
    return done, mended


def _count_entries(db: Database) -> int:
    return count_entries(db, spaces_of(db, None), 0, 0).entries


def _tidy(db: Database, space: str) -> None:
    """Takes away what belongs to nothing, and sets the counter right."""
    with db.transaction():
        changed = db.rows("remove_lost_chunks", space=space)
        changed += db.rows("remove_unfit_vectors", space=space)
        changed += db.rows("recount_chunks", space=space)
        changed += db.rows("settle_chunks", space=space)
        db.rows("remove_lost_outbox", space=space)
        if changed:
            db.rows("touch_space", space=space, now=0, added=0)


def _is_right(db: Database, entry: Entry, language: str) -> bool:
    columns = ("ordinal", "start", "stop", "length", "terms", "counts", "speaker", "asks")
    stored = [
        tuple(row.value(column) for column in columns)
        for row in db.rows("chunks_of", space=entry.space, owner=entry.id)
    ]
    return stored == [
        (p.ordinal, p.start, p.stop, p.terms.length, p.terms.keys, p.terms.counts, p.speaker, int(p.asks))
        for p in pieces_of(entry, language)
    ]


def _make_anew(reach: Reach, address: Address, language: str) -> int:
    """Writes the pieces of an entry anew; 0 if it was forgotten meanwhile."""
    db = reach.db
    with db.transaction():
        db.rows("touch_space", space=address.space, now=0, added=0)
        if not load(db, [address]):
            return 0
        gone = db.rows("remove_chunks", space=address.space, owner=address.id, first=0)
        db.rows("count_chunks", space=address.space, added=-len(gone))
        rewrite(reach, _words_only(language), load_one(db, address))
    return 1


# -- the vectors ----------------------------------------------------------------------------------


def _complete(reach: Reach, target: _Target, progress: Progress) -> int:
    """Makes every vector that is missing; then this model answers. How many were made."""
    made = idle = 0
    for done in range(_ROUNDS):
        missing = count_gaps(reach.db, target.number)
        if missing <= (_FEW if done and not target.active else 0):
            break
        before = made
        for batch in _gaps(reach.db, target.number):
            made += _fill(reach, target, batch)
            progress(min(made, before + missing), before + missing)
        idle = idle + 1 if made == before else 0
        if idle > _ROUNDS // 2:
            raise StoreDamagedError("Some pieces of the index take no vector.", fix="Run `lukasa check`.")
    return made if target.active else made + _switch(reach, target)


def count_gaps(db: Database, model: int) -> int:
    """How many pieces of the store a model has made no vector of."""
    row = db.row("count_without_vector", spaces=as_json(spaces_of(db, None)), model=model)
    return row.integer("chunks") if row else 0


def _gaps(db: Database, model: int) -> Iterator[list[Gap]]:
    """Every piece without a vector by the model, some at a time."""
    for space in spaces_of(db, None):
        after = 0
        while True:
            with db.transaction(write=False):
                rows = db.rows("without_vector", space=space, model=model, after=after, limit=_STEP)
                owners = list(dict.fromkeys(row.text("owner") for row in rows))
                entries = load(db, [Address(space, owner) for owner in owners])
            texts = {entry.id: meanings_of(entry) for entry in entries}
            yield [
                Gap(
                    space=space,
                    owner=row.text("owner"),
                    number=row.integer("number"),
                    version=row.integer("version"),
                    text=texts[row.text("owner")][row.integer("ordinal")],
                )
                for row in rows
                if row.integer("ordinal") < len(texts.get(row.text("owner"), ()))
            ]
            if len(rows) < _STEP:
                break
            after = rows[-1].integer("number")


def _fill(reach: Reach, target: _Target, batch: Sequence[Gap]) -> int:
    """Makes and keeps the vectors of some pieces of one space; no writer waits while they are made."""
    if not batch:
        return 0
    vectors = target.embedder.documents([gap.text for gap in batch])
    with reach.db.transaction():
        reach.db.rows("touch_space", space=batch[0].space, now=0, added=0)
        _check_still_wanted(reach.db, target)
        return len(keep_vectors(reach.db, batch, vectors, model=target.number, active=target.active))


def keep_vectors(
    db: Database, batch: Sequence[Gap], vectors: Matrix, *, model: int, active: bool
) -> list[Gap]:
    """Writes vectors to the pieces that are still what they were: these. Their space must be locked."""
    kept: list[Gap] = []
    for gap, vector in zip(batch, vectors, strict=True):
        place = {"space": gap.space, "chunk": gap.number, "version": gap.version}
        if db.rows("put_vector_if_same", model=model, vector=vector.tobytes(), **place):
            kept.append(gap)
    for space, owner in {(gap.space, gap.owner) for gap in kept} if active else ():
        db.rows("touch_chunks", space=space, owner=owner)
    return kept


def _check_still_wanted(db: Database, target: _Target) -> None:
    row = db.row("index_state") if target.active else db.row("wanted_model")
    if row is None or row.integer("model" if target.active else "number") != target.number:
        raise ConflictError(
            f"Another reindex has begun since this one to {target.identity}.",
            fix="Let that one finish, or begin this one again.",
        )


def _switch(reach: Reach, target: _Target) -> int:
    """Fills the last gaps and lets the new model answer, while no writer is let in. How many were filled."""
    db, made = reach.db, 0
    with db.transaction():
        db.rows("claim_index")
        _check_still_wanted(db, target)
        for batch in _gaps(db, target.number):
            if target.embedder.remote:
                # Nobody waits for a network: these are found by words until the outbox brings their vectors.
                _note_wanted(reach, batch)
            else:
                vectors = target.embedder.documents([gap.text for gap in batch])
                for gap, vector in zip(batch, vectors, strict=True):
                    put_vector(db, gap.space, gap.number, target.number, vector.tobytes())
                made += len(batch)
        db.rows("retire_models")
        db.rows("activate_model", model=target.number)
    return made


def _note_wanted(reach: Reach, batch: Sequence[Gap]) -> None:
    now = reach.clock.now()
    for space, owner in sorted({(gap.space, gap.owner) for gap in batch}):
        reach.db.rows("put_outbox", space=space, operation=EMBED, subject=owner, now=now)


def _settle(db: Database, target: _Target | None) -> None:
    """Takes out of the outbox what is done by now, or wanted no more."""
    for space in spaces_of(db, None):
        with db.transaction():
            db.rows(
                "remove_done_outbox", space=space, operation=EMBED, model=target.number if target else None
            )


def _switch_off(db: Database) -> None:
    """From now on the store knows words alone."""
    with db.transaction():
        db.rows("claim_index")
        db.rows("retire_models")
        db.rows("want_model", model=0)


def _remove_others(reach: Reach, keep: int) -> int:
    """Takes away the vectors of every model that neither answers nor is being made. How many."""
    removed = 0
    for row in reach.db.rows("list_models"):
        number = row.integer("number")
        if number != keep and not row.flag("active") and not row.flag("wanted"):
            removed += _remove_model(reach.db, number)
    return removed


def _remove_model(db: Database, model: int) -> int:
    """A model with its vectors: these in short transactions, so that writers wait for none of them."""
    removed = 0
    for space in spaces_of(db, None):
        while True:
            with db.transaction():
                gone = db.rows("remove_model_vectors", space=space, model=model, limit=_REMOVED_AT_ONCE)
            removed += len(gone)
            if len(gone) < _REMOVED_AT_ONCE:
                break
    with db.transaction():
        db.rows("claim_index")
        db.rows("remove_model", model=model)
    return removed
