"""What an entry is found by: its pieces, with their terms and vectors, written with the entry.

Always true: the pieces of an entry say what its name, summary, tags and content say now; they change in the
transaction that changes these; a vector is by the store's one active model, or is not there. A model that is
asked over the network is never waited for: its vectors follow from the outbox.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.embed import DEFAULT
from lukasa.errors import DimensionMismatchError, EmbeddingModelChangedError, UsageError
from lukasa.text.chunks import cut
from lukasa.text.terms import Terms, check_language, encode, terms_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.db import Database
    from lukasa.embed.embedder import Embedder
    from lukasa.entries.entry import Entry
    from lukasa.entries.reach import Reach
    from lukasa.matrices import Vector

ENGLISH = "english"
EMBED = "embed"
_ASKING = ("?", "\uff1f", "\u061f", "?)", '?"')
_DATE = r"(?:\[[^\]\n]{1,60}\] )?"
# One to three words, the first with a capital, or a role: not "note: ..." nor a whole clause.
_NAME = r"([^\W\d_a-z][\w'.-]{0,30}(?: [^\W\d_a-z][\w'.-]{0,30}){0,2}|user|assistant|system|tool)"
_SPOKEN = re.compile(rf"{_DATE}{_NAME}: ")


@dataclass(frozen=True, kw_only=True, slots=True)
class Index:
    """What a store's index is made with."""

    language: str
    model: int | None
    identity: str | None
    dimensions: int
    embedder: Embedder | None
    is_new: bool

    def meaning_of(self, question: str) -> Vector | None:
        """The vector of a question; None where the store knows no meaning, or no vector is there yet."""
        if self.embedder is None or not self.dimensions:
            return None
        found = self.embedder.query(question)
        check_length(self.identity or "", self.dimensions, len(found))
        return found


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A part of an entry: its place in the content, its terms, and the text that its vector is of."""

    entry: Entry
    ordinal: int
    start: int
    stop: int
    terms: Terms
    text: str
    speaker: str | None
    asks: bool


def index_of(reach: Reach) -> Index:
    """How the store is indexed, and the embedder for it; an error if the settings want it otherwise."""
    row = reach.db.row("index_state")
    stored = row.maybe_text("language") if row else None
    wanted = reach.settings.language
    if stored and wanted and stored != wanted:
        raise UsageError(
            f"The words of this store are stemmed as {stored}; the settings say {wanted}.",
            fix=f"Leave the setting out, or make the index anew: lukasa reindex --language {wanted}",
        )
    identity = row.maybe_text("identity") if row else None
    embedder = reach.embedding.for_store(identity)
    dimensions = row.maybe_integer("dimensions") if row else None
    if identity and embedder:
        check_same(reach, identity, embedder)
        check_length(identity, dimensions or 0, embedder.dimensions)
    return Index(
        language=stored or check_language(wanted or ENGLISH),
        model=row.maybe_integer("model") if row else None,
        identity=identity,
        dimensions=dimensions or 0,
        embedder=embedder,
        is_new=stored is None,
    )


def check_same(reach: Reach, identity: str, embedder: Embedder) -> None:
    """Vectors of two models are never compared, nor kept side by side."""
    if identity != embedder.identity:
        setting = reach.embedding.setting
        wanted = spelled(embedder.identity) if setting in {DEFAULT, embedder.identity} else setting
        raise EmbeddingModelChangedError(
            f"The vectors of this store are by {identity}; the settings name {embedder.identity}.",
            fix=f"Open it with {spelled(identity)}, or make them anew: lukasa reindex --model {wanted}",
        )


def check_length(identity: str, stored: int, made: int) -> None:
    """Vectors of two lengths cannot be compared; 0 is a length that is not known yet."""
    if stored and made and stored != made:
        raise DimensionMismatchError(
            f"The vectors of this store have {stored} dimensions; {identity} now makes {made}.",
            fix=f"Make them anew: lukasa reindex --model {spelled(identity)}",
        )


def spelled(identity: str) -> str:
    """The setting that names the model of an identity."""
    return identity.rpartition("@")[0] or identity


def prepare(reach: Reach) -> Index:
    """The index, with its language and model written down if this is the first write to it.

    A store that has had none gets no model by a write: then only what comes after would have a vector.
    """
    index = index_of(reach)
    if not index.is_new:
        return index
    reach.db.rows("set_language", language=index.language)
    if index.embedder is not None and index.model is None:
        add_model(reach.db, index.embedder, active=True)
    return index_of(reach)


def add_model(db: Database, embedder: Embedder, *, active: bool) -> int:
    """The number of a model, given now if it has none."""
    found = db.row("find_model", identity=embedder.identity)
    if found is None:
        given = db.row("next_model")
        found = db.row(
            "add_model",
            number=given.integer("number") if given else 1,
            identity=embedder.identity,
            dimensions=embedder.dimensions,
            active=int(active),
        )
    elif active and not found.flag("active"):
        db.rows("activate_model", model=found.integer("number"))
    return found.integer("number") if found else 1


def pieces_of(entry: Entry, language: str) -> list[Piece]:
    """The parts of an entry; the first also has what stands beside its content."""
    beside = _beside(entry)
    speaker = speaker_of(entry.content)
    pieces: list[Piece] = []
    for ordinal, (start, stop) in enumerate(cut(entry.content)):
        body = entry.content[start:stop]
        text = "\n".join([*beside, body]) if ordinal == 0 else body
        terms = encode(terms_of(text, language=language))
        pieces.append(
            Piece(
                entry=entry,
                ordinal=ordinal,
                start=start,
                stop=stop,
                terms=terms,
                text=_meant(beside, ordinal, body),
                speaker=speaker,
                asks=body.rstrip().endswith(_ASKING),
            )
        )
    return pieces


def meanings_of(entry: Entry) -> list[str]:
    """The text of each piece that its vector is of."""
    beside = _beside(entry)
    spans = enumerate(cut(entry.content))
    return [_meant(beside, ordinal, entry.content[start:stop]) for ordinal, (start, stop) in spans]


def _beside(entry: Entry) -> list[str]:
    return [part for part in (entry.name, entry.summary, " ".join(entry.tags)) if part]


def _meant(beside: Sequence[str], ordinal: int, body: str) -> str:
    # When it was said and by whom is found by words; to the meaning it would be noise.
    return "\n".join([*beside, _SPOKEN.sub("", body, count=1)]) if ordinal == 0 else body


def speaker_of(content: str) -> str | None:
    """Who says it, where a text begins as a transcript does, with `Ana: I moved to Madrid`."""
    found = _SPOKEN.match(content)
    return found[1].casefold() if found else None


def add_to_index(reach: Reach, entries: Sequence[Entry]) -> None:
    """Writes the pieces of entries that have none; their spaces must be locked."""
    index = prepare(reach)
    pieces = [piece for entry in entries for piece in pieces_of(entry, index.language)]
    numbers = [_add(reach.db, piece) for piece in pieces]
    for space in sorted({entry.space for entry in entries}):
        added = sum(piece.entry.space == space for piece in pieces)
        reach.db.rows("count_chunks", space=space, added=added)
    _embed(reach, index, list(zip(numbers, pieces, strict=True)))


def _add(db: Database, piece: Piece) -> int:
    given = db.row("next_chunk")
    number = given.integer("number") if given else 1
    db.rows("add_chunk", number=number, owner=piece.entry.id, **_place(piece))
    return number


def _place(piece: Piece) -> dict[str, str | int | bytes | None]:
    return {
        "space": piece.entry.space,
        "ordinal": piece.ordinal,
        "start": piece.start,
        "stop": piece.stop,
        "length": piece.terms.length,
        "terms": piece.terms.keys,
        "counts": piece.terms.counts,
        "speaker": piece.speaker,
        "asks": int(piece.asks),
    }


def _embed(reach: Reach, index: Index, numbered: Sequence[tuple[int, Piece]]) -> None:
    """The vectors of new pieces, or a note in the outbox that they are wanted."""
    if index.embedder is None or index.model is None:
        return
    if index.embedder.remote:
        now = reach.clock.now()
        for space, owner in sorted({(piece.entry.space, piece.entry.id) for _, piece in numbered}):
            reach.db.rows("put_outbox", space=space, operation=EMBED, subject=owner, now=now)
        return
    vectors = index.embedder.documents([piece.text for _, piece in numbered])
    for (number, piece), vector in zip(numbered, vectors, strict=True):
        put_vector(reach.db, piece.entry.space, number, index.model, vector.tobytes())


def put_vector(db: Database, space: str, chunk: int, model: int, vector: bytes) -> None:
    """One vector, in the place of any other by the same model."""
    db.rows("put_vector", space=space, chunk=chunk, model=model, vector=vector)


def update_index(reach: Reach, before: Entry, after: Entry) -> None:
    """Keeps the pieces true to an entry that has changed."""
    if _said(before) == _said(after):
        reach.db.rows("touch_chunks", space=after.space, owner=after.id)
    else:
        rewrite(reach, prepare(reach), after)


def _said(entry: Entry) -> tuple[object, ...]:
    return entry.name, entry.summary, entry.tags, entry.content


def rewrite(reach: Reach, index: Index, entry: Entry, *, keep_vectors: bool = False) -> None:
    """The pieces of an entry made anew; those that stay in number keep their numbers.

    Vectors are kept only where none of the text has changed.
    """
    where = {"space": entry.space, "owner": entry.id}
    if not keep_vectors:
        reach.db.rows("remove_vectors", **where)
    pieces = pieces_of(entry, index.language)
    kept = [row.integer("number") for row in reach.db.rows("chunks_of", **where)]
    surplus = reach.db.rows("remove_chunks", first=len(pieces), **where)
    numbers = kept[: len(pieces)]
    for number, piece in zip(numbers, pieces, strict=False):
        given = {key: value for key, value in _place(piece).items() if key != "ordinal"}
        reach.db.rows("replace_chunk", number=number, **given)
    numbers += [_add(reach.db, piece) for piece in pieces[len(kept) :]]
    reach.db.rows(
        "count_chunks", space=entry.space, added=len(numbers) - len(kept[: len(pieces)]) - len(surplus)
    )
    _embed(reach, index, list(zip(numbers, pieces, strict=True)))


def remove_from_index(db: Database, space: str, owner: str) -> None:
    """Takes the pieces of an entry away, with their vectors and what was still to be done for them."""
    gone = db.rows("remove_chunks", space=space, owner=owner, first=0)
    db.rows("remove_outbox", space=space, operation=EMBED, subject=owner)
    db.rows("count_chunks", space=space, added=-len(gone))


def index_language(db: Database) -> str:
    """The language in which the store's words are stemmed."""
    row = db.row("index_state")
    return (row.maybe_text("language") if row else None) or ENGLISH
