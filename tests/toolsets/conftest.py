"""What the tests of tool sets ask for: a box of any set, for the agent ana, on each engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

import lukasa

if TYPE_CHECKING:
    from lukasa.toolsets.box import Toolbox


class Boxes(Protocol):
    def __call__(self, name: str, agent: str = "ana") -> Toolbox: ...


@pytest.fixture
def box(store: lukasa.Store) -> Boxes:
    def of(name: str, agent: str = "ana") -> Toolbox:
        return lukasa.tools(name, store=store, agent=agent, shares=["project/apollo"], session="s1")

    return of
