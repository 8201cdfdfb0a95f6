"""Stores to measure on: filled through `import`, as any store could be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from lukasa.bench.corpus import Corpus
from lukasa.memory import open as open_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from lukasa.config import Settings

# What one import holds: all of it is one transaction.
_TOGETHER = 50_000


def agent(number: int) -> str:
    """The agent of one of the spaces."""
    return f"t{number:06}"


def fill(
    location: str | Path, *, spaces: int, entries: int, settings: Settings | None = None,
    scratch: Path | None = None, progress: Callable[[int], None] = lambda _: None,
) -> str | Path:  # fmt: skip
    """A store with so many spaces of so many entries each; gives its location back."""
    texts = Corpus().texts(spaces * entries)
    source = (scratch or Path(location).parent) / "filling.jsonl"
    total = spaces * entries
    with open_store(location, settings=settings) as store:
        for first in range(0, total, _TOGETHER):
            last = min(total, first + _TOGETHER)
            with source.open("w", encoding="utf-8") as file:
                for number in range(first, last):
                    owner = agent(number // entries)
                    record = {
                        "content": next(texts),
                        "kind": "note",
                        "agent_id": owner,
                        "space": f"agent/{owner}",
                    }
                    file.write(json.dumps(record) + "\n")
            store.import_(source)
            progress(last)
    source.unlink()
    return location
