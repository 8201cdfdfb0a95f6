"""Lukasa: durable memory for AI agents.

    import lukasa

    store = lukasa.open("memory.lukasa")
    ana = store.agent("ana")
    ana.remember("The user prefers short answers.")

Names load when they are first used, so that `import lukasa` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lukasa.config import Recalling, Retention, Settings, Weights
    from lukasa.entries.entry import Entry
    from lukasa.entries.forgetting import Receipt
    from lukasa.entries.links import Link
    from lukasa.entries.reading import Change, Page
    from lukasa.errors import LukasaError
    from lukasa.handle import Handle
    from lukasa.memory import Store, open  # noqa: A004 - lukasa.open reads as it should
    from lukasa.recall.answer import Answer, Hit, Signal
    from lukasa.recall.context import Context
    from lukasa.recall.why import Why
    from lukasa.toolsets import tools
    from lukasa.toolsets.box import Toolbox

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "Change",
    "Context",
    "Entry",
    "Handle",
    "Hit",
    "Link",
    "LukasaError",
    "Page",
    "Recalling",
    "Receipt",
    "Retention",
    "Settings",
    "Signal",
    "Store",
    "Toolbox",
    "Weights",
    "Why",
    "__version__",
    "open",
    "tools",
]

_HOMES = {
    "Answer": "lukasa.recall.answer",
    "Change": "lukasa.entries.reading",
    "Context": "lukasa.recall.context",
    "Entry": "lukasa.entries.entry",
    "Handle": "lukasa.handle",
    "Hit": "lukasa.recall.answer",
    "Link": "lukasa.entries.links",
    "LukasaError": "lukasa.errors",
    "Page": "lukasa.entries.reading",
    "Receipt": "lukasa.entries.forgetting",
    "Recalling": "lukasa.config",
    "Retention": "lukasa.config",
    "Settings": "lukasa.config",
    "Signal": "lukasa.recall.answer",
    "Store": "lukasa.memory",
    "Toolbox": "lukasa.toolsets.box",
    "Weights": "lukasa.config",
    "Why": "lukasa.recall.why",
    "open": "lukasa.memory",
    "tools": "lukasa.toolsets",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'lukasa' has no attribute {name!r}")
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
