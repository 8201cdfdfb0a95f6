"""What the tests of operations ask for: a binding to one agent of a store on each engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lukasa.operations import Binding

if TYPE_CHECKING:
    import lukasa


@pytest.fixture
def ana(store: lukasa.Store) -> Binding:
    return Binding(store=store, agent="ana", shares=("project/apollo",), reads=("global/shared",))


@pytest.fixture
def operator(store: lukasa.Store) -> Binding:
    return Binding(store=store, agent="ana", audience="operator")
