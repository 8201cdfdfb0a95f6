"""The board: every piece that may answer in one row of columns, and the points that each reason gives it.

The rows of several spaces stand one behind the other. Words are weighed within each space, meaning is the
same everywhere; what a reason is worth is decided over all candidates together. Always true: a row that may
not be an answer (expired, superseded, filtered out) is no candidate, and takes no part in what the others
get.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lukasa.matrices import np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lukasa.matrices import Flags, Reals, Whole
    from lukasa.recall.answer import SignalName
    from lukasa.recall.index import SpaceIndex

_DIGITS = 9
# So many places for each answer that is wanted are enough, nearly always.
_PLACES = 8
# Stands where a text has no code: -1 is already that there is no text.
_NO_CODE = -2


class Column:
    """One reason over the candidates: what was measured, and what it counts for."""

    def __init__(self, name: SignalName, raw: Reals, points: Reals, *, weight: float) -> None:
        self.name: SignalName = name
        self.weight = weight
        self.raw = raw
        self.points = points
        self.among = raw
        """What was measured of all, also of those that were left behind."""

    def keep(self, rows: Whole) -> None:
        """From now on only of some candidates; ranks are still among all."""
        self.raw, self.points = self.raw[rows], self.points[rows]

    def rank(self, candidate: int) -> int:
        """The place of a candidate from 1; equal values share the better one, no value is behind all."""
        value = self.raw[candidate]
        better = ~np.isnan(self.among) if np.isnan(value) else self.among > value
        return 1 + int(np.count_nonzero(better))


class Board:
    """The candidates and their columns. What is added later sees only the candidates that are still there."""

    def __init__(self, indexes: Sequence[SpaceIndex], masks: Sequence[Flags]) -> None:
        self.indexes = tuple(indexes)
        self.columns: list[Column] = []
        self._starts = np.cumsum([0, *(index.size for index in self.indexes)])
        self.rows: Whole = np.flatnonzero(np.concatenate(masks)) if masks else np.zeros(0, dtype=np.int64)
        self._admitted: Flags = np.zeros(len(self.rows), dtype=bool)
        self._held: Flags = self._admitted

    def measured(self, measure: Callable[[SpaceIndex], Reals]) -> Reals:
        """What is measured in each space, for the candidates alone."""
        return self.taken([measure(index) for index in self.indexes])

    def taken(self, parts: Sequence[Reals]) -> Reals:
        """Of a column for each space, what belongs to the candidates."""
        return np.concatenate(parts)[self.rows] if parts else np.zeros(0)

    def fact(self, name: str) -> Whole:
        """A column of what is known of the candidates."""
        return self._gathered([index.whole(name) for index in self.indexes])

    def is_one_of(self, name: str, texts: Sequence[str]) -> Flags:
        """Whether a coded column of each candidate is one of these texts."""
        known = [[index.codes.get(f"{name}:{text}", _NO_CODE) for text in texts] for index in self.indexes]
        parts = [np.isin(index.whole(name), codes) for index, codes in zip(self.indexes, known, strict=True)]
        return np.concatenate(parts)[self.rows] if parts else np.zeros(0, dtype=bool)

    def _gathered(self, parts: Sequence[Whole]) -> Whole:
        return np.concatenate(parts)[self.rows] if parts else np.zeros(0, dtype=np.int64)

    def add(self, name: SignalName, raw: Reals, points: Reals, *, weight: float) -> None:
        """A reason that has a say."""
        self.columns.append(Column(name, raw, np.round(points, _DIGITS), weight=weight))

    def admit(self, candidates: Flags) -> None:
        """These may be answers: something speaks for them by itself."""
        self._admitted = self._admitted | candidates

    def hold(self, candidates: Flags) -> None:
        """These go on, however low they stand."""
        self._held = self._held | candidates

    def admits(self, candidate: int) -> bool:
        """Whether something speaks for a candidate by itself."""
        return bool(self._admitted[candidate])

    def column(self, name: str) -> Column | None:
        """One reason, if it has a say."""
        return next((column for column in self.columns if column.name == name), None)

    def leading(self, most: int) -> list[int]:
        """The candidates with the highest scores so far."""
        places = np.flatnonzero(self._admitted)
        order = np.argsort(-self.scores()[places], kind="stable")[:most]
        return cast("list[int]", places[order].tolist())

    def spaces(self) -> Whole:
        """For each candidate, which of the spaces it stands in."""
        return np.searchsorted(self._starts, self.rows, side="right") - 1

    def space_at(self, space: str) -> int:
        """The place of a space among those on the board; -1 if it has no piece."""
        return next((at for at, index in enumerate(self.indexes) if index.space == space), -1)

    def shorten(self, most: int) -> None:
        """Lets only so many go on that have the highest score, and all that are equal to the last of them."""
        if len(self.rows) <= most:
            return
        scores = self.scores()
        edge = np.partition(scores, len(scores) - most)[len(scores) - most]
        kept = np.flatnonzero((scores >= edge) | self._held)
        self.rows, self._admitted, self._held = self.rows[kept], self._admitted[kept], self._held[kept]
        for column in self.columns:
            column.keep(kept)

    def scores(self) -> Reals:
        """The points of each candidate together."""
        total = np.zeros(len(self.rows))
        for column in self.columns:
            total += column.points
        return np.round(total, _DIGITS)

    def best(self, limit: int) -> list[int]:
        """The candidates that come first, one for each entry; equal ones the newer first, then by number."""
        places = np.flatnonzero(self._admitted)
        scores = self.scores()[places]
        # An entry of many pieces may take many places: all are put in order only if the first few do not do.
        few = limit * _PLACES
        if len(places) > few:
            high = scores >= np.partition(scores, len(scores) - few)[len(scores) - few]
            found = self._first_of_each(places[high], scores[high], limit)
            if len(found) == limit:
                return found
        return self._first_of_each(places, scores, limit)

    def _first_of_each(self, places: Whole, scores: Reals, limit: int) -> list[int]:
        entries, created = self.fact("entry")[places], self.fact("created_at")[places]
        spaces = self.spaces()[places]
        order = np.lexsort((self.rows[places], -entries, -created, -scores))
        seen: dict[tuple[int, int], int] = {}
        for at in cast("list[int]", order.tolist()):
            seen.setdefault((int(spaces[at]), int(entries[at])), int(places[at]))
            if len(seen) == limit:
                break
        return list(seen.values())

    def place(self, candidate: int) -> tuple[SpaceIndex, int]:
        """The space of a candidate, and its row there."""
        row = int(self.rows[candidate])
        at = int(np.searchsorted(self._starts, row, side="right")) - 1
        return self.indexes[at], row - int(self._starts[at])
