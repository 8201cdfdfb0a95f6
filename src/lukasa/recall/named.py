"""A question that is the name or an alias of an entry is answered by that entry first.

By words alone an alias finds nothing, as it is no text of the entry; this is for a recall in the usual mode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.entries.reading import addresses_named
from lukasa.matrices import np
from lukasa.recall.graph import numbers_of

if TYPE_CHECKING:
    from lukasa.entries.reach import Reach
    from lukasa.recall.board import Board
    from lukasa.recall.plan import Plan

NAME = 1.0


def add_named(reach: Reach, plan: Plan, board: Board) -> None:
    """Marks the candidates that the question names; they stay, whatever their score."""
    found = addresses_named(reach.db, plan.query, plan.spaces)
    if not found or not board.indexes:
        return
    entries, spaces = board.fact("entry"), board.spaces()
    named = np.zeros(len(board.rows), dtype=bool)
    for (space, _), number in numbers_of(reach, plan, [(at.space, at.id) for at in found]).items():
        named |= (entries == number) & (spaces == board.space_at(space))
    if named.any():
        board.add("name", np.where(named, 1.0, np.nan), np.zeros(len(named)), weight=NAME)
        board.admit(named)
        board.hold(named)


def put_named_first(board: Board) -> None:
    """Gives what the question names as many points as it lacks to the best, and one more."""
    column = board.column("name")
    if column is not None:
        scores = board.scores()
        lacking = float(scores.max()) - scores + NAME
        column.points = np.where(np.isnan(column.raw), 0.0, np.round(lacking, 9))
