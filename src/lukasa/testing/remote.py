"""A remote model without a network: it fails as often as it is told to, and counts how often it was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.embed.hashed import HashedEmbedder
from lukasa.errors import LukasaError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lukasa.matrices import Matrix, Vector


class FarEmbedder:
    """The hashed embedder, taken for one behind a network.

    `failures` is how many of the next calls fail; `refuses` a text that it never takes; `meanwhile` is called
    before each answer, for what others do while it is waited for.
    """

    remote = True

    def __init__(self, *, failures: int = 0, refuses: str = "", name: str = "far:words") -> None:
        self.failures = failures
        self.refuses = refuses
        self.meanwhile: Callable[[], object] | None = None
        self.asked: list[list[str]] = []
        self.dimensions = 0
        self.identity = f"{name}@1"
        self._near = HashedEmbedder(32)

    def documents(self, texts: Sequence[str]) -> Matrix:
        """A row for each text, unless it fails."""
        self.asked.append(list(texts))
        if self.meanwhile is not None:
            self.meanwhile()
        if self.failures or (self.refuses and any(self.refuses in text for text in texts)):
            self.failures = max(0, self.failures - 1)
            raise LukasaError(f"The model {self.identity} did not answer.", fix="Try again later.")
        self.dimensions = self._near.dimensions
        return self._near.documents(texts)

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        return self.documents([text])[0]
