"""Recall itself: from a question to an answer.

The plan is made, the spaces are brought into memory, every piece that may answer stands on one board, each
reason adds its points, and the best entries are read whole. All of it is one read transaction, so the answer
is of one moment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lukasa.entries.indexing import spelled
from lukasa.entries.reading import lets_through, matching
from lukasa.errors import LukasaError, StoreNotWritableError, UsageError
from lukasa.matrices import np
from lukasa.recall.answer import Answer
from lukasa.recall.board import Board
from lukasa.recall.cache import cache_of
from lukasa.recall.graph import add_lifts
from lukasa.recall.hits import hits_of
from lukasa.recall.named import add_named, put_named_first
from lukasa.recall.observed import note
from lukasa.recall.past import Past
from lukasa.recall.plan import by_words_alone, plan_of
from lukasa.recall.question import question_of
from lukasa.recall.scoring import score

if TYPE_CHECKING:
    from lukasa.entries.reach import Reach
    from lukasa.entries.reading import Filters
    from lukasa.matrices import Flags, Vector
    from lukasa.recall.index import SpaceIndex
    from lukasa.recall.plan import Asking, Plan
    from lukasa.recall.question import Question

_NOT_NOTED = "The store takes no writes: it was not noted what was recalled."


@dataclass(frozen=True, slots=True)
class Scored:
    """A question, how it came to be answered, and every piece that may answer it with its points."""

    plan: Plan
    question: Question
    board: Board
    past: Past
    allowed: dict[str, list[int]] | None
    """The numbers of the entries in each space that the filters let through; None if there is no filter."""


def recall(reach: Reach, query: str, *, limit: int | None, asking: Asking) -> Answer:
    """The best answers to a question; what was given is noted, for what is often recalled is worth more."""
    return noted(reach, *search(reach, query, limit=limit, asking=asking))


def noted(reach: Reach, plan: Plan, answer: Answer) -> Answer:
    """The answer, once it is noted what was given; where nothing can be written, it is given all the same."""
    if not plan.observe or not answer.hits:
        return answer
    # What the caller's own transaction writes with it may not be lost in silence.
    alone = not reach.db.writing
    try:
        note(reach, plan, answer)
    except StoreNotWritableError:
        if not alone:
            raise
        return replace(answer, notes=(*answer.notes, _NOT_NOTED))
    return answer


def search(reach: Reach, query: str, *, limit: int | None, asking: Asking) -> tuple[Plan, Answer]:
    """The best answers to a question, from what the reach sees; nothing is noted of it."""
    with reach.db.transaction(write=False):
        plan = plan_of(reach, query, limit, asking)
        hits = ()
        if plan.query and plan.limit:
            found = scored(reach, plan)
            plan = found.plan
            hits = hits_of(reach, plan, found.question, found.board, found.past)
    return plan, Answer(query=query, mode=plan.mode, hits=hits, notes=plan.notes)


def scored(reach: Reach, plan: Plan) -> Scored:
    """The question, and the board with every reason's points on it."""
    past = Past()
    indexes = _indexes(reach, plan, past)
    question = question_of(
        plan.query,
        language=plan.index.language,
        speakers=sorted({name for index in indexes for name in index.speakers}),
        now=plan.moment,
        latest=max((index.latest for index in indexes if index.latest is not None), default=None),
    )
    vector = None
    if plan.mode != "keyword" and indexes:
        plan, vector = _meaning(plan, question)
    numbers = _allowed(reach, plan, past)
    board = Board(indexes, [_may_answer(index, plan, numbers) for index in indexes])
    if plan.asked == "hybrid":
        add_named(reach, plan, board)
        score(board, question, vector, plan, lift=lambda: add_lifts(reach, plan, past, question, board))
        put_named_first(board)
    else:
        score(board, question, vector, plan, lift=lambda: None)
    return Scored(plan, question, board, past, numbers)


def _meaning(plan: Plan, question: Question) -> tuple[Plan, Vector | None]:
    """The vector of the question, and the plan: where a far model fails, words answer, and it is said."""
    index = plan.index
    try:
        vector = index.meaning_of(question.meant)
    except UsageError:
        raise
    except LukasaError:
        if plan.mode == "vector" or index.embedder is None or not index.embedder.remote:
            raise
        return by_words_alone(plan, f"The model {spelled(index.identity or '')} did not answer"), None
    if vector is None and plan.mode == "hybrid":
        return by_words_alone(plan, "No text has a vector yet"), None
    return plan, vector


def _indexes(reach: Reach, plan: Plan, past: Past) -> list[SpaceIndex]:
    """The spaces in sight, in memory, as they are or as they were."""
    model = plan.index.model if plan.mode != "keyword" else None
    found = cache_of(reach).indexes(reach.db, plan.spaces, model)
    return found if plan.as_of is None else [past.put_back(reach, plan, index) for index in found]


def _allowed(reach: Reach, plan: Plan, past: Past) -> dict[str, list[int]] | None:
    if not plan.is_filtered:
        return None
    then = past.entries()
    found = [(row.text("space"), row.integer("number")) for row in matching(reach, _all_of(plan))]
    # What has changed since the moment is taken as it was, like its text.
    found = [place for place in found if place not in then]
    found += [place for place, entry in then.items() if lets_through(entry, plan.narrowing, plan.now)]
    numbers: dict[str, list[int]] = {}
    for space, number in found:
        numbers.setdefault(space, []).append(number)
    return numbers


def _all_of(plan: Plan) -> Filters:
    return {**plan.narrowing, "hidden": True}


def _may_answer(index: SpaceIndex, plan: Plan, numbers: dict[str, list[int]] | None) -> Flags:
    """Which pieces are of an entry that is valid at the moment, and that the filters let through."""
    mask = (
        index.alive & (index.whole("expires_at") > plan.moment) & (index.whole("superseded_at") > plan.moment)
    )
    if numbers is None:
        return mask
    return mask & np.isin(index.whole("entry"), numbers.get(index.space, []))
