"""Hits: the best of the board, read whole, each with its reasons and with what stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.entries.reading import Address, load
from lukasa.matrices import np
from lukasa.recall.answer import Beside, Hit, Signal
from lukasa.recall.graph import links_at_entries
from lukasa.recall.past import places_of
from lukasa.recall.relevant import Relevance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lukasa.entries.entry import Entry
    from lukasa.entries.reach import Reach
    from lukasa.recall.answer import Nearby
    from lukasa.recall.board import Board
    from lukasa.recall.index import SpaceIndex
    from lukasa.recall.past import Past, Place
    from lukasa.recall.plan import Plan
    from lukasa.recall.question import Question

_Wanted = tuple["Nearby", Address]


def hits_of(reach: Reach, plan: Plan, question: Question, board: Board, past: Past) -> tuple[Hit, ...]:
    """The hits, best first."""
    relevance = Relevance(plan, question, board)
    best = [
        (candidate, relevant)
        for candidate in board.best(plan.limit)
        if (relevant := relevance.of(candidate)) >= plan.floor
    ]
    chosen = [board.place(candidate) for candidate, _ in best]
    beside = [_turn_beside(index, row, plan) for index, row in chosen]
    numbers = {_number(index, row) for index, row in chosen}
    numbers |= {number for _, number in filter(None, beside)}
    places = places_of(reach, past, plan.spaces, sorted(numbers))
    at = [places[_number(index, row)] for index, row in chosen]
    wanted: list[list[_Wanted]] = [[(turn[0], _address(places[turn[1]]))] if turn else [] for turn in beside]
    if any(index.has_links for index in board.indexes):
        _add_contradicting(reach, plan, at, wanted)
    addresses = [_address(place) for place in at] + [where for found in wanted for _, where in found]
    entries = _entries(reach, plan, past, addresses)
    return tuple(
        Hit(
            entry=entries[_address(place)],
            score=_total(signals),
            relevance=relevant,
            signals=signals,
            start=place.start,
            stop=place.stop,
            beside=tuple(Beside(relation=how, entry=entries[to]) for how, to in near if to in entries),
        )
        for (candidate, relevant), place, near in zip(best, at, wanted, strict=True)
        for signals in [signals_of(board, candidate)]
    )


def signals_of(board: Board, candidate: int) -> tuple[Signal, ...]:
    """Every reason that gave a candidate points, or had a value for it."""
    return tuple(
        Signal(
            name=column.name,
            raw=0.0 if np.isnan(column.raw[candidate]) else float(column.raw[candidate]),
            rank=column.rank(candidate),
            weight=column.weight,
            points=float(column.points[candidate]),
        )
        for column in board.columns
        if not np.isnan(column.raw[candidate]) or column.points[candidate]
    )


def _total(signals: Iterable[Signal]) -> float:
    return sum(signal.points for signal in signals)


def _number(index: SpaceIndex, row: int) -> int:
    return int(index.whole("number")[row])


def _address(place: Place) -> Address:
    return Address(place.space, place.id)


def _turn_beside(index: SpaceIndex, row: int, plan: Plan) -> tuple[Nearby, int] | None:
    """The turn that answers a question, or the one before what was said, if it is another entry's."""
    if index.whole("session")[row] < 0:
        return None
    before, after = index.neighbours
    asks = bool(index.whole("asks")[row])
    ways: tuple[tuple[Nearby, int], ...] = (("before", int(before[row])), ("after", int(after[row])))
    for relation, other in reversed(ways) if asks else ways:
        if other >= 0 and _is_valid(index, other, plan) and not _is_same(index, row, other):
            return relation, _number(index, other)
    return None


def _is_valid(index: SpaceIndex, row: int, plan: Plan) -> bool:
    until = min(int(index.whole("expires_at")[row]), int(index.whole("superseded_at")[row]))
    return until > plan.moment


def _is_same(index: SpaceIndex, row: int, other: int) -> bool:
    return bool(index.whole("entry")[row] == index.whole("entry")[other])


def _add_contradicting(
    reach: Reach, plan: Plan, places: Sequence[Place], wanted: Sequence[list[_Wanted]]
) -> None:
    """What contradicts a hit comes along with it."""
    ends = [(place.space, place.id) for place in places]
    for link in links_at_entries(reach, plan, ends):
        if link.relation != "contradicts":
            continue
        start, stop = (link.space, link.from_id), (link.to_space, link.to_id)
        for here, there in ((start, stop), (stop, start)):
            if here in ends:
                wanted[ends.index(here)].append(("contradicts", Address(*there)))


def _entries(reach: Reach, plan: Plan, past: Past, addresses: Sequence[Address]) -> dict[Address, Entry]:
    """The entries whole, as they are or as they were; of what comes along, only what is valid."""
    then = past.entries()
    loaded = load(reach.db, list(dict.fromkeys(addresses)))
    entries = [then.get((entry.space, entry.number), entry) for entry in loaded]
    return {Address(entry.space, entry.id): entry for entry in entries if entry.is_live(plan.moment)}
