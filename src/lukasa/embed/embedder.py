"""What turns a text into a vector, in words; and its memory for questions.

Always true of an `Embedder`: its vectors are float32, as long as `dimensions` says, and of length one (or
nothing but zeros, for a text in which it knows no word), so that a product of two is their cosine; the same
text gives the same vector, alone or among others; `identity` names the model so that no other could be meant.
"""

from __future__ import annotations

import threading
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
        """How many numbers a vector has; 0 as long as a remote one has not answered yet."""
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


class Remembering:
    """An embedder that remembers the questions which it was asked lately, and answers these at once."""

    def __init__(self, embedder: Embedder, *, most: int = 1_000) -> None:
        self._embedder = embedder
        self._most = most
        self._known: dict[str, Vector] = {}
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        """The embedder's own."""
        return self._embedder.identity

    @property
    def dimensions(self) -> int:
        """The embedder's own."""
        return self._embedder.dimensions

    @property
    def remote(self) -> bool:
        """The embedder's own."""
        return self._embedder.remote

    def documents(self, texts: Sequence[str]) -> Matrix:
        """The embedder's own; each is asked for once, so nothing is remembered."""
        return self._embedder.documents(texts)

    def query(self, text: str) -> Vector:
        """The vector of a question, made only if it was not asked lately."""
        with self._lock:
            known = self._known.pop(text, None)
        if known is None:
            known = self._embedder.query(text)
            known.flags.writeable = False
        with self._lock:
            self._known[text] = known
            while len(self._known) > self._most:
                del self._known[next(iter(self._known))]
        return known
