"""Why an entry answers a question, or why it does not.

The same board as a recall's, looked at for one entry: the place it has, each reason, each word of the
question, and whatever keeps it from being an answer. Always true: it says of an entry what the recall would
do with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.clock import to_rfc3339
from lukasa.entries.reading import load_one, locate
from lukasa.matrices import np
from lukasa.recall import lexical
from lukasa.recall.hits import signals_of
from lukasa.recall.plan import plan_of
from lukasa.recall.relevant import Relevance
from lukasa.recall.scoring import SHORTLIST
from lukasa.recall.search import scored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lukasa.config import Mode
    from lukasa.entries.entry import Entry
    from lukasa.entries.reach import Reach
    from lukasa.entries.reading import Ref
    from lukasa.matrices import Whole
    from lukasa.recall.answer import Signal
    from lukasa.recall.board import Board
    from lukasa.recall.index import SpaceIndex
    from lukasa.recall.plan import Asking, Plan
    from lukasa.recall.question import Question
    from lukasa.recall.search import Scored


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """One word of the question, as it is looked for: how often the entry has it, and how many pieces do."""

    term: str
    times: int
    pieces: int
    weight: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Why:
    """What a question makes of an entry; `place` is None where it is no answer at all."""

    entry: Entry
    query: str
    mode: Mode
    place: int | None
    among: int
    score: float
    relevance: float
    signals: tuple[Signal, ...]
    words: tuple[Word, ...]
    reasons: tuple[str, ...]

    @property
    def found(self) -> bool:
        """Whether the recall gives it."""
        return self.place is not None and not self.reasons


def why(reach: Reach, ref: Ref, query: str, *, limit: int | None, asking: Asking) -> Why:
    """What a question makes of an entry, found or not; nothing is noted of it."""
    with reach.db.transaction(write=False):
        plan = plan_of(reach, query, limit, asking)
        entry = load_one(reach.db, locate(reach, ref, reach.readable()))
        found = scored(reach, plan)
    plan = found.plan
    board = found.board
    order = board.best(len(board.rows))
    mine = _own(board, entry)
    place = next((at for at, candidate in enumerate(order, 1) if candidate in mine), None)
    best = order[place - 1] if place else (mine[0] if mine else None)
    signals = () if best is None else signals_of(board, best)
    relevant = 0.0 if best is None else Relevance(plan, found.question, board).of(best)
    index = next((index for index in board.indexes if index.space == entry.space), None)
    return Why(
        entry=entry,
        query=query,
        mode=plan.mode,
        place=place,
        among=len(order),
        score=sum(signal.points for signal in signals),
        relevance=relevant,
        signals=signals,
        words=() if index is None else tuple(_words(index, found.question, entry)),
        reasons=tuple(_against(plan, found, entry, place, relevant)),
    )


def _own(board: Board, entry: Entry) -> list[int]:
    """The candidates that are pieces of the entry."""
    own = (board.fact("entry") == entry.number) & (board.spaces() == board.space_at(entry.space))
    return [int(at) for at in np.flatnonzero(own)]


def _words(index: SpaceIndex, question: Question, entry: Entry) -> Iterator[Word]:
    rows: Whole = np.flatnonzero(index.alive & (index.whole("entry") == entry.number))
    for term, key in zip(question.terms, question.keys, strict=True):
        found = next(iter(lexical.matches(index, [key])), None)
        if found is None:
            yield Word(term=term, times=0, pieces=0, weight=lexical.idf(index.count, 0))
        else:
            holding, counts, weight = found
            times = int(counts[np.isin(holding, rows)].sum())
            yield Word(term=term, times=times, pieces=len(holding), weight=round(weight, 6))


def _against(plan: Plan, found: Scored, entry: Entry, place: int | None, relevant: float) -> Iterator[str]:
    """Each thing that keeps the entry from being given."""
    if not plan.query:
        yield "The question is blank."
    elif entry.space not in plan.spaces:
        yield f"It lies in {entry.space}, and only {', '.join(plan.spaces)} was asked."
    elif gone := _no_longer(plan, entry):
        yield gone
    elif place is not None and place > plan.limit:
        yield f"It stands at place {place}; no more than {plan.limit} are given."
    elif place is not None and relevant < plan.floor:
        yield f"Its relevance is {relevant:.3f}, and at least {plan.floor:.3f} was asked."
    elif place is None:
        yield _never_came_up(plan, found, entry)


def _no_longer(plan: Plan, entry: Entry) -> str | None:
    superseded, expires = entry.superseded_at, entry.expires_at
    if superseded is not None and superseded <= plan.moment:
        by = f" by {entry.superseded_by}" if entry.superseded_by else ""
        return f"It was superseded{by} at {to_rfc3339(superseded)}: it is history, not an answer."
    if expires is not None and expires <= plan.moment:
        return f"It expired at {to_rfc3339(expires)}."
    return None


def _never_came_up(plan: Plan, found: Scored, entry: Entry) -> str:
    """Why no piece of the entry is among the answers, however many of them are asked for."""
    index = next((index for index in found.board.indexes if index.space == entry.space), None)
    if index is None or not (index.alive & (index.whole("entry") == entry.number)).any():
        return "It was not there at that moment, or it is not indexed: `lukasa check` tells."
    if found.allowed is not None and entry.number not in found.allowed.get(entry.space, ()):
        return f"A filter leaves it out: {', '.join(sorted(plan.narrowing))}."
    if not _own(found.board, entry):
        return f"More than {SHORTLIST} pieces fit better."
    if found.board.column("meaning") is None:
        return "It shares no word with the question."
    return "It shares no word with the question, and is not near to it in meaning."
