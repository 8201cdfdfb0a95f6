"""One space in memory: its pieces with their terms and vectors, and what is known of each.

Frozen: a space that has changed is another value, which shares with the one before all that is the same.
Always true: it holds the pieces of exactly one version of the space; a row keeps its place for as long as the
piece is as it was, and is no longer alive once it is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from lukasa.db.database import columns_of
from lukasa.matrices import np
from lukasa.recall.postings import Postings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from lukasa.db import Row
    from lukasa.db.database import Value
    from lukasa.matrices import Flags, Matrix, Reals, Whole

    Codes = NDArray[np.int32]
    Columns = Mapping[str, Sequence[Value]]

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
# A segment has at most so many rows, so that two bytes are enough for the place of one.
MOST_ROWS = 1 << 14
# What is worked out when a version is first asked, in bytes a row; more where there are sessions.
_DERIVED, _DERIVED_OF_SESSIONS = 8, 112


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
        matrix = 0 if self.vectors is None else self.vectors.nbytes
        return self.postings.nbytes + self.has_vector.nbytes + matrix

    def followed_by(self, other: Segment) -> Segment:
        """The pieces of both as one run."""
        vectors = self.vectors
        if vectors is not None or other.vectors is not None:
            width = (vectors if vectors is not None else cast("Matrix", other.vectors)).shape[1]
            blank = [np.zeros((part.size, width), dtype=np.float32) for part in (self, other)]
            parts = [
                empty if part is None else part
                for part, empty in zip((vectors, other.vectors), blank, strict=True)
            ]
            vectors = np.concatenate(parts)
        return Segment(
            first=self.first,
            size=self.size + other.size,
            postings=self.postings.followed_by(other.postings, after=self.size),
            vectors=vectors,
            has_vector=np.concatenate((self.has_vector, other.has_vector)),
        )


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
        """Everybody of whom there is a piece: a code outlives the last text that was of it."""
        if not self.size:
            return ()
        spoken = self.whole("speaker")[self.alive]
        pieces = np.bincount(spoken[spoken >= 0], minlength=len(self.codes))
        return tuple(
            text.removeprefix("speaker:")
            for text, code in self.codes.items()
            if text.startswith("speaker:") and pieces[code]
        )

    @cached_property
    def latest(self) -> int | None:
        """When the newest piece was written."""
        return int(self.whole("created_at")[self.alive].max()) if self.count else None

    @cached_property
    def notes(self) -> dict[str, object]:
        """What others have worked out about this version, for the next who asks."""
        return {}

    def whole(self, column: str) -> Whole:
        """A column of whole numbers."""
        return self.facts[column]  # type: ignore[return-value]

    @property
    def nbytes(self) -> int:
        """What it holds in memory, with what is worked out of it when it is asked."""
        columns = sum(column.nbytes for column in self.facts.values()) + self.alive.nbytes
        derived = self.size * (_DERIVED_OF_SESSIONS if self.has_sessions else _DERIVED)
        return columns + derived + sum(segment.nbytes for segment in self.segments)

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

    def ready(self) -> None:
        """More questions will be asked of it than one."""
        for segment in self.segments:
            segment.postings.ready()

    def with_pages(self, pages: Iterable[Sequence[Row]], *, version: int, has_links: bool) -> SpaceIndex:
        """The space at a version, with these pieces in place of any that they were before."""
        codes = dict(self.codes)
        facts = [self.facts] if self.size else []
        segments, size = [*self.segments], self.size
        for page in pages:
            columns = columns_of(page)
            facts.append(_facts_of(columns, codes))
            segments.append(_segment_of(columns, first=size))
            size += len(page)
        if size == self.size:
            return replace(self, version=version, has_links=has_links)
        whole = {name: np.concatenate([part[name] for part in facts]) for name in facts[0]}
        fresh = np.ones(size - self.size, dtype=bool)
        replaced = np.isin(whole["number"][: self.size], whole["number"][self.size :])
        return replace(
            self,
            version=version,
            has_links=has_links,
            facts=whole,
            alive=np.concatenate((self.alive & ~replaced, fresh)),
            segments=_settled(segments),
            codes=codes,
        )

    def without_entries(self, entries: Sequence[int]) -> SpaceIndex:
        """The space without any piece of these entries."""
        gone = np.isin(self.whole("entry"), np.array(entries, dtype="<i8")) if self.size else self.alive
        return replace(self, alive=self.alive & ~gone)

    def without_others(self, numbers: Sequence[int]) -> SpaceIndex:
        """The space with no other pieces than these."""
        return replace(self, alive=self.alive & np.isin(self.whole("number"), np.array(numbers, dtype="<i8")))

    @property
    def is_scattered(self) -> bool:
        """Whether it would better be loaded anew: more rows are dead than alive."""
        return self.count * 2 < self.size


def empty(space: str, number: int, model: int) -> SpaceIndex:
    """A space of which nothing is loaded yet."""
    return SpaceIndex(
        space=space, number=number, version=-1, model=model, facts={}, alive=np.zeros(0, dtype=bool)
    )


def _settled(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """No segment behind one of its own size: so a row is moved few times, and segments stay few."""
    settled: list[Segment] = []
    for segment in segments:
        last = segment
        while settled and settled[-1].size <= last.size * 2 and settled[-1].size + last.size <= MOST_ROWS:
            last = settled.pop().followed_by(last)
        settled.append(last)
    return tuple(settled)


def _facts_of(columns: Columns, codes: dict[str, int]) -> dict[str, NDArray[np.generic]]:
    facts: dict[str, NDArray[np.generic]] = {
        name: np.array(columns[name], dtype=kind) for name, kind in _TYPES.items()
    }
    for name, column in _CODED.items():
        texts = cast("Sequence[str | None]", columns[column])
        known: dict[str | None, int] = {None: -1}
        for text in dict.fromkeys(text for text in texts if text is not None):
            known[text] = codes.setdefault(f"{name}:{text}", len(codes))
        facts[name] = np.array([known[text] for text in texts], dtype="<i4")
    return facts


def _segment_of(columns: Columns, *, first: int) -> Segment:
    vectors = cast("Sequence[bytes | None]", columns["vector"])
    present = [vector for vector in vectors if vector is not None]
    has_vector = np.array([vector is not None for vector in vectors], dtype=bool)
    matrix: Matrix | None = None
    if present:
        matrix = np.frombuffer(b"".join(present), dtype="<f4").reshape(len(present), -1)
    if matrix is not None and len(present) < len(vectors):
        spread = np.zeros((len(vectors), matrix.shape[1]), dtype=np.float32)
        spread[has_vector] = matrix
        matrix = spread
    postings = Postings.of(
        cast("Sequence[bytes]", columns["terms"]), cast("Sequence[bytes]", columns["counts"])
    )
    return Segment(first=first, size=len(vectors), postings=postings, vectors=matrix, has_vector=has_vector)
