"""One space in memory: its pieces with their terms and vectors, and what is known of each.

Frozen: a space that has changed is another value, which shares with the one before all that is the same.
Always true: it holds the pieces of exactly one version of the space; a row keeps its place for as long as the
piece is as it was, and is no longer alive once it is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from lukasa.db.database import column_of
from lukasa.matrices import np
from lukasa.recall.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lukasa.db import Row
    from lukasa.matrices import Flags, Matrix, Reals, Whole

    Codes = NDArray[np.int32]

_TYPES = {
    "number": "<i8",
    "entry": "<i8",
    "created_at": "<i8",
    "expires_at": "<i8",
    "superseded_at": "<i8",
    "ordinal": "<i4",
    "length": "<i4",
    "importance": "<f4",
    "pinned": "?",
    "asks": "?",
}
# Columns of texts, kept as the numbers that `codes` gives to each text.
_CODED = {"session": "session_id", "speaker": "speaker", "class": "class"}
# Tail segments are put together when there are more than this.
_MANY = 12


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of pieces that were loaded together; `first` is the row of the first of them."""

    first: int
    size: int
    postings: Postings
    vectors: Matrix | None
    has_vector: Flags

    @property
    def nbytes(self) -> int:
        """What it holds in memory."""
        return self.postings.nbytes + (self.vectors.nbytes if self.vectors is not None else 0)


@dataclass(frozen=True)
class SpaceIndex:
    """All pieces of one version of a space; a column of `facts` has a value for each row."""

    space: str
    number: int
    version: int
    model: int
    facts: Mapping[str, NDArray[np.generic]]
    alive: Flags
    segments: tuple[Segment, ...] = ()
    codes: Mapping[str, int] = field(default_factory=dict[str, int])
    """The number that stands for a text, such as a session's id, in a column of codes."""
    has_links: bool = False

    @property
    def size(self) -> int:
        """How many rows there are, alive or not."""
        return len(self.alive)

    @cached_property
    def count(self) -> int:
        """How many pieces there are."""
        return int(np.count_nonzero(self.alive))

    @cached_property
    def lengths(self) -> Reals:
        """How many terms each piece has."""
        return self.whole("length").astype(np.float64)

    @cached_property
    def average_length(self) -> float:
        """How many terms a piece has on average; one where there is nothing to say so."""
        return (float(self.lengths[self.alive].sum()) / self.count if self.count else 0.0) or 1.0

    @cached_property
    def has_sessions(self) -> bool:
        """Whether any piece was said in a conversation."""
        return bool((self.whole("session") >= 0).any()) if self.size else False

    @cached_property
    def speakers(self) -> tuple[str, ...]:
        """Everybody who said something here."""
        return tuple(text.removeprefix("speaker:") for text in self.codes if text.startswith("speaker:"))

    @cached_property
    def notes(self) -> dict[str, object]:
        """What others have worked out about this version, for the next who asks."""
        return {}

    def whole(self, column: str) -> Whole:
        """A column of whole numbers."""
        return self.facts[column]  # type: ignore[return-value]

    @cached_property
    def nbytes(self) -> int:
        """What it holds in memory, once its keys are sorted or before."""
        columns = sum(column.nbytes for column in self.facts.values())
        return columns + self.alive.nbytes + sum(segment.nbytes for segment in self.segments)

    @cached_property
    def neighbours(self) -> tuple[Whole, Whole]:
        """For each row, the row before and the row after it in its session; -1 where there is none."""
        before = np.full(self.size, -1, dtype=np.int64)
        after = before.copy()
        rows = np.flatnonzero(self.alive & (self.whole("session") >= 0))
        if len(rows):
            keys = (self.whole("number")[rows], self.whole("created_at")[rows], self.whole("session")[rows])
            rows = rows[np.lexsort(keys)]
            together = self.whole("session")[rows[1:]] == self.whole("session")[rows[:-1]]
            before[rows[1:][together]] = rows[:-1][together]
            after[rows[:-1][together]] = rows[1:][together]
        return before, after

    def with_rows(self, rows: Sequence[Row], *, version: int) -> SpaceIndex:
        """The space with these pieces, in place of any that they were before."""
        codes = dict(self.codes)
        fresh = _facts_of(rows, codes)
        alive = self.alive
        if self.size:
            alive = alive & ~np.isin(self.whole("number"), fresh["number"])
            fresh = {name: np.concatenate((self.facts[name], fresh[name])) for name in fresh}
        segment = _segment_of(rows, first=self.size)
        return replace(
            self,
            version=version,
            facts=fresh,
            alive=np.concatenate((alive, np.ones(len(rows), dtype=bool))),
            segments=(*self.segments, segment),
            codes=codes,
        )

    def without_entries(self, entries: Sequence[int]) -> SpaceIndex:
        """The space without any piece of these entries."""
        gone = np.isin(self.whole("entry"), np.array(entries, dtype="<i8")) if self.size else self.alive
        return replace(self, alive=self.alive & ~gone)

    def at(self, version: int, *, has_links: bool) -> SpaceIndex:
        """The same at a version of the space, with what that says of its links."""
        if (self.version, self.has_links) == (version, has_links):
            return self
        return replace(self, version=version, has_links=has_links)

    def without_others(self, numbers: Sequence[int]) -> SpaceIndex:
        """The space with no other pieces than these."""
        return replace(self, alive=self.alive & np.isin(self.whole("number"), np.array(numbers, dtype="<i8")))

    @property
    def is_scattered(self) -> bool:
        """Whether it would better be loaded anew: too many small segments, or too many dead rows."""
        return len(self.segments) > _MANY or self.count * 2 < self.size


def empty(space: str, number: int, model: int) -> SpaceIndex:
    """A space of which nothing is loaded yet."""
    return SpaceIndex(
        space=space, number=number, version=-1, model=model, facts={}, alive=np.zeros(0, dtype=bool)
    )


def _facts_of(rows: Sequence[Row], codes: dict[str, int]) -> dict[str, NDArray[np.generic]]:
    facts: dict[str, NDArray[np.generic]] = {
        name: np.array(column_of(rows, name), dtype=kind) for name, kind in _TYPES.items()
    }
    for name, column in _CODED.items():
        texts = cast("list[str | None]", column_of(rows, column))
        coded = [-1 if text is None else codes.setdefault(f"{name}:{text}", len(codes)) for text in texts]
        facts[name] = np.array(coded, dtype="<i4")
    return facts


def _segment_of(rows: Sequence[Row], *, first: int) -> Segment:
    vectors = cast("list[bytes | None]", column_of(rows, "vector"))
    present = [vector for vector in vectors if vector is not None]
    has_vector = np.array([vector is not None for vector in vectors], dtype=bool)
    matrix: Matrix | None = None
    if present:
        matrix = np.frombuffer(b"".join(present), dtype="<f4").reshape(len(present), -1)
    if matrix is not None and len(present) < len(rows):
        spread = np.zeros((len(rows), matrix.shape[1]), dtype=np.float32)
        spread[has_vector] = matrix
        matrix = spread
    postings = Postings(
        cast("list[bytes]", column_of(rows, "terms")), cast("list[bytes]", column_of(rows, "counts"))
    )
    return Segment(first=first, size=len(rows), postings=postings, vectors=matrix, has_vector=has_vector)
