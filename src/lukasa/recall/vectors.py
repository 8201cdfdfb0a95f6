"""Nearness in meaning: the cosine of every piece with the question, exact.

One product over all of a space's vectors, which lie one behind the other in memory. A piece that has no
vector yet is marked by NaN, so that it is never taken for one that is far away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.matrices import np

if TYPE_CHECKING:
    from lukasa.matrices import Reals, Vector
    from lukasa.recall.index import SpaceIndex


def cosines(index: SpaceIndex, question: Vector) -> Reals:
    """The cosine of each row; NaN where there is no vector."""
    found = np.full(index.size, np.nan, dtype=np.float64)
    for segment in index.segments:
        if segment.vectors is not None:
            rows = slice(segment.first, segment.first + segment.size)
            found[rows] = segment.vectors @ question
            found[rows][~segment.has_vector] = np.nan
    # The last digits depend on where in the matrix a row lies; they are not part of the answer.
    return np.round(found, 6)
