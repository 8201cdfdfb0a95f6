"""Tool sets: the five vocabularies and the default one, each a table of names over the same operations.

table (what a tool is) · box (a set bound to an agent: what an application calls) · default, tenant, role,
hybrid, entry_store, session, anthropic (the sets). What is written by one set is recalled by another.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lukasa.memory import Store
    from lukasa.toolsets.box import Toolbox
    from lukasa.toolsets.table import Toolset

HOMES = {
    "default": "default",
    "memory": "tenant",
    "tenant": "tenant",
    "role": "role",
    "hybrid": "hybrid",
    "entries": "entry_store",
    "session": "session",
    "anthropic": "anthropic",
}


def find_toolset(name: str) -> Toolset:
    """The tool set of that name; its module is loaded only now."""
    if name not in HOMES:
        raise UsageError(f"There is no tool set {name!r}.", fix=f"Choose one of: {', '.join(HOMES)}.")
    return cast("Toolset", import_module(f"lukasa.toolsets.{HOMES[name]}").TOOLSET)


def tools(
    name: str = "default",
    *,
    store: Store | str | Path | None = None,
    agent: str | None = None,
    shares: Sequence[str] = (),
    reads: Sequence[str] = (),
    session: str | None = None,
) -> Toolbox:
    """A tool set, bound to one agent's memory: what an application hands to its framework.

    Without a store, the one that LUKASA_STORE names, or your own; a path or URL is opened, and closed with
    the box. No argument of a tool reaches beyond the agent and the spaces that are named here.
    """
    from lukasa.toolsets.opening import open_box  # noqa: PLC0415 - the table of sets needs no store

    return open_box(find_toolset(name), store=store, agent=agent, shares=shares, reads=reads, session=session)
