"""Asking, as operations: recall, why, context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast

from lukasa.config import Weights
from lukasa.operations.answers import ANSWER, CONTEXT, WHY
from lukasa.operations.registry import operation
from lukasa.operations.words import Ref, Ways

if TYPE_CHECKING:
    from lukasa.handle import Handle
    from lukasa.recall.answer import Answer
    from lukasa.recall.context import Context
    from lukasa.recall.plan import Asking
    from lukasa.recall.why import Why


@operation(ANSWER)
def recall(
    handle: Handle, query: str, *, limit: int | None = None, observe: bool | None = None, **ways: Unpack[Ways]
) -> Answer:
    """Ask a question; the best answers, each with its reasons.

    By words and by meaning together; a name or alias finds its entry first. What was recalled is noted, for
    what is often recalled is worth more later.

    query: What you want to know, in words of your own.
    limit: How many at most, to 100; 8 if left out.
    observe: Whether it is noted what was recalled; as the settings say if left out.
    """
    asking = _asking(ways)
    if observe is not None:
        asking["observe"] = observe
    return handle.recall(query, limit=limit, **asking)


@operation(WHY)
def why(handle: Handle, ref: Ref, query: str, *, limit: int | None = None, **ways: Unpack[Ways]) -> Why:
    """Show why an entry answers a question, or why it does not.

    Its place among the answers, with every reason and every word; or what keeps it out: expired, superseded,
    filtered, out of the spaces asked, or too far.

    ref: A name, an alias, a number such as 12, or an id.
    query: The question that should find it, or should not.
    limit: How many answers are asked for; 8 if left out.
    """
    return handle.why(ref, query, limit=limit, **_asking(ways))


@operation(CONTEXT)
def context(handle: Handle, query: str, *, limit: int | None = None, **ways: Unpack[Ways]) -> Context:
    """Make the block of memories that may help with a message.

    To be put into a prompt: at most 8, framed as data. Nothing relevant, nothing in it.

    query: The message that is about to be answered.
    limit: How many at most, to 8.
    """
    return handle.context(query, limit=limit, **_asking(ways))


def _asking(ways: Ways) -> Asking:
    asking = cast("Asking", {**ways})
    if weights := ways.get("weights"):
        asking["weights"] = Weights(**weights)
    return asking
