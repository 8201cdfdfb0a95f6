"""What the contract suite asks for beside a store and a clock."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

pytest.register_assert_rewrite("lukasa.testing.contract")

import lukasa  # noqa: E402 - asserts are rewritten first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lukasa.config import Settings
    from lukasa.embed.embedder import Embedder
    from lukasa.testing import FrozenClock
    from lukasa.testing.contract.sight import Reopened


@pytest.fixture
def reopened(store: lukasa.Store, location: str, clock: FrozenClock) -> Iterator[Reopened]:
    """Opens the store of the test once more."""
    assert store.stats().entries == 0
    with ExitStack() as opened:

        def again(settings: Settings | None = None, embedder: Embedder | None = None) -> lukasa.Store:
            return opened.enter_context(
                lukasa.open(location, settings=settings, clock=clock, embedder=embedder)
            )

        yield again
