"""What is put before a model unasked: the memories that may help with a message, framed as data.

Always true: nothing relevant, nothing put in; the message does not recall itself; each item stands on one
line in quotes and cannot close the frame; items and the whole are bounded; only what is put in was recalled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lukasa.recall.framing import block, head, quoted
from lukasa.recall.search import noted, search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lukasa.entries.reach import Reach
    from lukasa.recall.answer import Hit
    from lukasa.recall.plan import Asking

MOST_ITEMS = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """The block for the prompt, empty if nothing is relevant, and the hits that stand in it."""

    text: str
    hits: tuple[Hit, ...]


def context(reach: Reach, message: str, *, limit: int | None, asking: Asking) -> Context:
    """The memories that may help with a message, ready to stand in a prompt."""
    given: Asking = {"floor": reach.settings.recall.floor, **asking}
    wanted = MOST_ITEMS if limit is None else min(limit, MOST_ITEMS)
    # One more than wanted: the message itself may be among them.
    plan, answer = search(reach, message, limit=wanted + 1 if wanted > 0 else wanted, asking=given)
    hits = [hit for hit in answer if _spelled(hit.entry.content) != _spelled(message)][:wanted]
    text, held = block(_lines(hits))
    given_out = noted(reach, plan, replace(answer, hits=tuple(hits[:held])))
    return Context(text=text, hits=given_out.hits)


def _lines(hits: list[Hit]) -> Iterator[str]:
    for hit in hits:
        yield f"- {head(hit.entry)}: {quoted(hit.text)}"


def _spelled(text: str) -> str:
    return " ".join(text.casefold().split())
