"""What turns a text into a vector, in words.

Always true of an `Embedder`: its vectors are float32, as long as `dimensions` says, and of length one (or
nothing but zeros, for a text in which it knows no word), so that a product of two is their cosine; the same
text gives the same vector, alone or among others; `identity` names the model so that no other could be meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.matrices import Matrix, Vector


class Embedder(Protocol):
    """A model of meaning."""

    @property
    def identity(self) -> str:
        """`provider:model@revision`: stored with the vectors, and compared before they are."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def remote(self) -> bool:
        """Whether it is asked over a network: then nobody waits for it to write."""
        ...

    def documents(self, texts: Sequence[str]) -> Matrix:
        """A row for each text that is to be found."""
        ...

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        ...
