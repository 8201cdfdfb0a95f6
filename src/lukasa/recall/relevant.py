"""How relevant an answer is by itself, from 0 to 1, where a score only says how it stands beside the others.

What the question names is as relevant as can be. By words: how much it matches, over what an average piece
gets that holds each word of the question once. By meaning: how much nearer it is than pieces are on average,
over how much nearer it could be. Together, meaning may fill up to half of what the words leave open, for a
static model is near to much. The floor of what is put before a model unasked is measured in this:
`docs/recall.md`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from lukasa.matrices import np
from lukasa.recall import lexical

if TYPE_CHECKING:
    from lukasa.matrices import Reals
    from lukasa.recall.board import Board
    from lukasa.recall.index import SpaceIndex
    from lukasa.recall.plan import Plan
    from lukasa.recall.question import Question

_SHARE_OF_MEANING = 0.5
# What is known of a model before any piece is: as if so many pieces had been so near.
_SUPPOSED, _PIECES = 0.5, 10
_DIGITS = 6


class Relevance:
    """The relevance of the candidates of one question; what it is measured by is worked out once for all."""

    def __init__(self, plan: Plan, question: Question, board: Board) -> None:
        self._plan = plan
        self._question = question
        self._board = board
        self._full: dict[str, float] = {}

    def of(self, candidate: int) -> float:
        """The relevance of one candidate."""
        if self._raw("name", candidate):
            return 1.0
        if self._plan.mode == "vector":
            return _bounded(self._raw("meaning", candidate))
        index, _ = self._board.place(candidate)
        full = self._full_match(index)
        by_words = _bounded(self._raw("words", candidate) / full) if full else 0.0
        if self._board.column("meaning") is None:
            return by_words
        by_meaning = _bounded(float(self._nearness[candidate]))
        return round(by_words + (1 - by_words) * _SHARE_OF_MEANING * by_meaning, _DIGITS)

    def _full_match(self, index: SpaceIndex) -> float:
        if index.space not in self._full:
            self._full[index.space] = lexical.full_match(index, self._question.keys)
        return self._full[index.space]

    @cached_property
    def _nearness(self) -> Reals:
        near = self._board.column("meaning")
        return np.zeros(0) if near is None else nearness(near.raw, among=near.among)

    def _raw(self, name: str, candidate: int) -> float:
        column = self._board.column(name)
        value = float("nan") if column is None else float(column.raw[candidate])
        return 0.0 if np.isnan(value) else value


def nearness(cosines: Reals, *, among: Reals | None = None) -> Reals:
    """How far each cosine lies from that of unrelated texts, 0, towards the greatest there can be, 1.

    Models differ in what unrelated texts have, so that is taken from all that the question was measured with.
    """
    known = cosines if among is None else among
    known = known[~np.isnan(known)]
    background = float(known.sum() + _SUPPOSED * _PIECES) / (len(known) + _PIECES)
    return np.nan_to_num((cosines - background) / max(1 - background, 1e-6))


def _bounded(share: float) -> float:
    return round(min(1.0, max(0.0, share)), _DIGITS)
