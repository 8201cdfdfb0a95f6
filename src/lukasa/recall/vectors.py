"""Nearness in meaning: the cosine of every piece with the question, exact.

One product over all of a space's vectors, which lie one behind the other in memory. A piece that has no
vector yet is marked by NaN, so that it is never taken for one that is far away. A short answer says little by
itself: where somebody asked just before it, it may also be measured with that question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.matrices import np

if TYPE_CHECKING:
    from lukasa.matrices import Reals, Vector, Whole
    from lukasa.recall.index import SpaceIndex

# What an answer has of the nearness of its question, and the length at which that has fallen by half.
OF_QUESTION, HALVED = 0.6, 20
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Answers:
    """The rows before which somebody asked, the rows of the questions, and the answers' shares of these."""

    rows: Whole
    questions: Whole
    shares: Reals


def cosines(index: SpaceIndex, question: Vector) -> Reals:
    """The cosine of each row; NaN where there is no vector."""
    found = np.full(index.size, np.nan, dtype=np.float64)
    for segment in index.segments:
        if segment.vectors is not None:
            rows = slice(segment.first, segment.first + segment.size)
            found[rows] = segment.vectors @ question
            found[rows][~segment.has_vector] = np.nan
    # The last digits depend on where in the matrix a row lies; they are not part of the answer.
    return np.round(found, _DIGITS)


def with_questions(index: SpaceIndex, near: Reals) -> Reals:
    """The cosines, an answer's with a part of what its question is nearer than pieces are on average."""
    # A piece that is gone may still have its row, and has no say.
    living = near[index.alive]
    if not index.has_sessions or np.isnan(living).all():
        return near
    answers = _answers(index)
    lifted = near.copy()
    above = np.nan_to_num(near[answers.questions] - float(np.nanmean(living)))
    lifted[answers.rows] += answers.shares * above
    return np.round(lifted, _DIGITS)


def _answers(index: SpaceIndex) -> Answers:
    made = index.notes.get("answers")
    if isinstance(made, Answers):
        return made
    before, _ = index.neighbours
    rows = np.flatnonzero((before >= 0) & (index.whole("asks")[before] > 0))
    shares = OF_QUESTION * HALVED / (HALVED + index.lengths[rows])
    found = Answers(rows=rows, questions=before[rows], shares=shares)
    index.notes["answers"] = found
    return found
