"""Which pieces hold which terms, in memory: the inverted index of one run of pieces.

A posting list is first found by looking through all keys, which is the cheapest for one question; when more
are asked, the keys are sorted once and each list is a slice. Both ways give the same rows in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.matrices import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lukasa.matrices import Whole

    Rows = NDArray[np.uint16]
    Counts = NDArray[np.uint8]
    Starts = NDArray[np.int32]

# Below this it is never worth sorting.
_SMALL = 4_000


@dataclass(frozen=True, slots=True)
class _Table:
    """Keys with their rows and counts; once sorted, each key stands once, its rows from `starts` on."""

    keys: Whole
    rows: Rows
    counts: Counts
    starts: Starts | None = None

    def find(self, key: int) -> tuple[Rows, Counts]:
        if self.starts is None:
            found = np.flatnonzero(self.keys == key)
            return self.rows[found], self.counts[found]
        at = int(np.searchsorted(self.keys, key))
        if at == len(self.keys) or self.keys[at] != key:
            return self.rows[:0], self.counts[:0]
        part = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return self.rows[part], self.counts[part]

    def spread(self) -> _Table:
        """With a key for each row again."""
        if self.starts is None:
            return self
        return _Table(np.repeat(self.keys, np.diff(self.starts)), self.rows, self.counts)

    def sorted(self) -> _Table:
        order = np.argsort(self.keys, kind="stable")
        ordered = self.keys[order]
        begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        starts = np.append(begins, len(ordered)).astype(np.int32)
        return _Table(ordered[begins], self.rows[order], self.counts[order], starts)


class Postings:
    """The terms of some pieces, no more than two bytes can count; a piece is known by its place."""

    def __init__(self, table: _Table) -> None:
        # One attribute, replaced as a whole: a thread that is looking through it is not disturbed.
        self._table = table

    @classmethod
    def of(cls, keys: Sequence[bytes], counts: Sequence[bytes]) -> Postings:
        """The postings of pieces, each given by its keys and counts as they are stored."""
        widths = np.fromiter(map(len, counts), dtype=np.int32, count=len(counts))
        return cls(
            _Table(
                np.frombuffer(b"".join(keys), dtype="<i8"),
                np.repeat(np.arange(len(counts), dtype=np.uint16), widths),
                np.frombuffer(b"".join(counts), dtype=np.uint8),
            )
        )

    def followed_by(self, other: Postings, *, after: int) -> Postings:
        """The postings of these pieces, `after` of them, and of the other ones."""
        mine, others = self._table.spread(), other._table.spread()
        return Postings(
            _Table(
                np.concatenate((mine.keys, others.keys)),
                np.concatenate((mine.rows, others.rows + np.uint16(after))),
                np.concatenate((mine.counts, others.counts)),
            )
        )

    def find(self, key: int) -> tuple[Rows, Counts]:
        """The rows that hold a term, in order, and how often each does."""
        return self._table.find(key)

    def ready(self) -> None:
        """More questions will be asked: sorts the keys, where that is worth it and was not done."""
        table = self._table
        if table.starts is None and len(table.keys) >= _SMALL:
            self._table = table.sorted()

    @property
    def nbytes(self) -> int:
        """What it holds in memory."""
        table = self._table
        starts = 0 if table.starts is None else table.starts.nbytes
        return table.keys.nbytes + table.rows.nbytes + table.counts.nbytes + starts
