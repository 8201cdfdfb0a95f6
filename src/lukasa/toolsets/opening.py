"""From a tool set to a box: the store opened if it must be, the agent bound."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lukasa.config import place, settings_from
from lukasa.memory import Store
from lukasa.memory import open as open_store
from lukasa.operations.binding import Binding
from lukasa.toolsets.box import Toolbox

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lukasa.toolsets.table import Toolset


def open_box(
    toolset: Toolset,
    *,
    store: Store | str | Path | None,
    agent: str | None,
    shares: Sequence[str],
    reads: Sequence[str],
    session: str | None,
) -> Toolbox:
    """The box of a set over a store; one that is opened here is closed with it."""
    usual = place()
    opened = store if isinstance(store, Store) else _opened(toolset, store or usual.store)
    binding = Binding(
        store=opened,
        agent=agent or usual.agent,
        shares=tuple(shares),
        reads=tuple(reads),
        session=session,
    )
    return Toolbox(toolset, binding, owned=opened is not store)


def _opened(toolset: Toolset, location: str | Path) -> Store:
    return open_store(location, settings=replace(settings_from(), max_memories=toolset.max_memories))
