"""What is linked to a good answer is lifted; one hop, and no further.

`supports`, `derived_from`, `about` and `depends_on` lift the entry at their other end, and `supersedes` lifts
the newer one when the words of the older one match. A lift is a share of the best score, so that a linked
entry comes near a good answer and never above it by the link alone. `contradicts` lifts nothing: it brings
the other entry along, marked. Always true: both ends of a link that has a say are in sight.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.db import as_json
from lukasa.entries.links import link_from
from lukasa.matrices import np
from lukasa.recall import lexical
from lukasa.recall.past import places_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lukasa.entries.kinds import Relation
    from lukasa.entries.links import Link
    from lukasa.entries.reach import Reach
    from lukasa.matrices import Reals
    from lukasa.recall.board import Board
    from lukasa.recall.past import Past
    from lukasa.recall.plan import Plan
    from lukasa.recall.question import Question

LIFTS: dict[Relation, float] = {
    "supports": 1.0,
    # What took the place of a text that matches answers in its place.
    "supersedes": 6.4,
    "derived_from": 0.8,
    "about": 0.8,
    "depends_on": 0.6,
}
# Only the best answers lift others: what hardly fits says nothing of what it is linked to.
SOURCES = 20
End = tuple[str, str]


def add_lifts(reach: Reach, plan: Plan, past: Past, question: Question, board: Board) -> None:
    """Adds what links say for the candidates."""
    if not plan.weights.graph or not any(index.has_links for index in board.indexes):
        return
    strengths = _strengths(reach, plan, past, question, board)
    if not strengths:
        return
    lifts = _lifts(links_at_entries(reach, plan, strengths), strengths)
    raw = _raw(reach, plan, board, lifts)
    known = ~np.isnan(raw)
    if known.any():
        scores, lift = board.scores(), np.nan_to_num(raw)
        share = max(float(scores.max()), 0.0) * plan.weights.graph
        # Deviations fall below zero: what a linked text lacks to any other is no reason against it.
        lacking = np.maximum(-scores, 0.0) * np.minimum(lift, 1.0)
        board.add("graph", raw, lift * share + lacking, weight=plan.weights.graph)
        board.admit(known)
        board.hold(known)


def links_at_entries(reach: Reach, plan: Plan, ends: Iterable[End]) -> list[Link]:
    """The links at some entries, as they were at the moment that is asked for."""
    ids = sorted({id_ for _, id_ in ends})
    rows = reach.db.rows("edges_of", spaces=as_json(plan.spaces), ids=as_json(ids))
    links = [link_from(row) for row in rows]
    return [link for link in links if plan.as_of is None or link.created_at <= plan.as_of]


def _strengths(reach: Reach, plan: Plan, past: Past, question: Question, board: Board) -> dict[End, float]:
    """How well the best answers fit, and the best of those that were superseded, from 0 to 1."""
    scores = board.scores()
    leading = board.leading(SOURCES)
    top = max((float(scores[at]) for at in leading), default=0.0)
    found: dict[int, float] = {}
    if top > 0:
        for at in leading:
            index, row = board.place(at)
            found[int(index.whole("number")[row])] = max(float(scores[at]) / top, 0.0)
    found |= dict(_superseded(plan, question, board))
    places = places_of(reach, past, plan.spaces, list(found))
    strengths: dict[End, float] = {}
    for number, strength in found.items():
        if strength > 0 and number in places:
            end = (places[number].space, places[number].id)
            strengths[end] = max(strength, strengths.get(end, 0.0))
    return strengths


def _superseded(plan: Plan, question: Question, board: Board) -> Iterator[tuple[int, float]]:
    """Pieces of superseded entries by number, with how much of the question's words they match."""
    for index in board.indexes:
        gone = np.flatnonzero(index.alive & (index.whole("superseded_at") <= plan.moment))
        if not len(gone):
            continue
        full = lexical.full_match(index, question.keys)
        matched = lexical.bm25(index, question.keys, around=False)[gone]
        for at in np.argsort(-matched, kind="stable")[:SOURCES]:
            share = min(1.0, float(matched[at]) / full) if full else 0.0
            yield int(index.whole("number")[gone[at]]), share


def _lifts(links: Sequence[Link], strengths: Mapping[End, float]) -> dict[End, float]:
    """For each entry at the other end of a link, the strongest lift that it gets."""
    lifts: dict[End, float] = {}
    for link in links:
        start, end = (link.space, link.from_id), (link.to_space, link.to_id)
        ways = [(end, start)] if link.relation == "supersedes" else [(end, start), (start, end)]
        for source, target in ways:
            lift = LIFTS.get(link.relation, 0.0) * link.weight * strengths.get(source, 0.0)
            if lift > lifts.get(target, 0.0):
                lifts[target] = lift
    return lifts


def _raw(reach: Reach, plan: Plan, board: Board, lifts: Mapping[End, float]) -> Reals:
    raw = np.full(len(board.rows), np.nan)
    numbers = numbers_of(reach, plan, lifts)
    entries, spaces = board.fact("entry"), board.spaces()
    for end, lift in lifts.items():
        if end in numbers:
            raw[(entries == numbers[end]) & (spaces == board.space_at(end[0]))] = round(lift, 6)
    return raw


def numbers_of(reach: Reach, plan: Plan, ends: Iterable[End]) -> dict[End, int]:
    """The numbers of entries, which the index knows them by."""
    rows = reach.db.rows(
        "numbers_of_ids", spaces=as_json(plan.spaces), ids=as_json(sorted({id_ for _, id_ in ends}))
    )
    return {(row.text("space"), row.text("id")): row.integer("number") for row in rows}
