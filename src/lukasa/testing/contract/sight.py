"""What the contract's tests say often: what a handle sees, and that nothing has changed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from lukasa.config import Settings
    from lukasa.embed.embedder import Embedder
    from lukasa.errors import LukasaError
    from lukasa.handle import Handle
    from lukasa.memory import Store


class Reopened(Protocol):
    """Opens the store under test once more; it is closed when the test ends."""

    def __call__(self, settings: Settings | None = None, embedder: Embedder | None = None) -> Store:
        """The same store, with other settings, or a model of one's own, if given."""
        ...


def contents(handle: Handle, *, hidden: bool = False) -> list[str]:
    """The texts that a handle lists, newest first."""
    return [entry.content for entry in handle.list(limit=1_000, hidden=hidden).entries]


def everything(*handles: Handle) -> list[object]:
    """All that these handles can read: entries, their histories and their links."""
    return [
        (entry, handle.history(entry.id), handle.links(entry.id))
        for handle in handles
        for entry in handle.list(limit=1_000, hidden=True).entries
    ]


@contextmanager
def refused(error: type[LukasaError], *handles: Handle, match: str | None = None) -> Generator[None]:
    """The block is refused with this error, and the handles see what they saw before."""
    before = everything(*handles)
    with pytest.raises(error, match=match):
        yield
    assert everything(*handles) == before
