"""Vectors from the hashes of words: for tests, and where nothing larger fits.

It knows no meaning: two texts are near if they share words, and "car" is as far from "automobile" as from
"potato". What it is good for: it needs no file, and anybody can foretell what it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.matrices import np
from lukasa.text.terms import key_of, terms_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.matrices import Matrix, Vector

DIMENSIONS = 256


class HashedEmbedder:
    """Each word adds or takes one at a place that its hash chooses."""

    remote = False

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.identity = f"hashed:{dimensions}@1"

    def documents(self, texts: Sequence[str]) -> Matrix:
        """A row for each text."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms_of(text):
                key = key_of(term)
                row[(key >> 1) % self.dimensions] += 1.0 if key & 1 else -1.0
        return unit(rows)

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        return self.documents([text])[0]


def unit(rows: Matrix) -> Matrix:
    """Each row brought to length one; one of nothing but zeros stays so."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    lengths[lengths == 0] = 1
    return (rows / lengths[:, None]).astype(np.float32)
