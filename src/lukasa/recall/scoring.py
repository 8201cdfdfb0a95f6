"""Which reasons have a say in each mode, and what they count for.

By words alone a score is BM25, by meaning alone it is the cosine, so that both can be read. Together they are
made comparable first, by what the call or the settings choose; where that is `zscore`, what else speaks for a
piece adds a little. The constants were measured: `docs/recall.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.clock import DAY
from lukasa.matrices import np
from lukasa.recall import fuse, lexical, vectors
from lukasa.recall.times import covered

if TYPE_CHECKING:
    from collections.abc import Callable

    from lukasa.config import Weights
    from lukasa.matrices import Reals, Vector
    from lukasa.recall.board import Board
    from lukasa.recall.plan import Plan
    from lukasa.recall.question import Question

# Who is asked about and who speaks are often the same: a share of the words' points, or so many deviations.
SPEAKER_SHARE, SPEAKER = 0.4, 0.5
# What was said at the time that the question speaks of.
TIME = 0.6
# A session of which several pieces fit is more likely the one; its best pieces say how much.
SESSION, BEST_OF_SESSION = 0.25, 3
# Small, so that they decide between equals and nothing else.
RECENCY, IMPORTANCE, PINNED = 0.1, 0.2, 0.1
_HALF_LIVES = {"semantic": 10_000, "procedural": 365}
_HALF_LIFE = 90
# So many pieces are looked at closely; what lies below them could not come up by what is still added.
SHORTLIST = 1_000
# Below this a text is as near as any other text is.
NEAR_ENOUGH = 0.2


def score(
    board: Board, question: Question, vector: Vector | None, plan: Plan, *, lift: Callable[[], None]
) -> None:
    """Adds the reasons that lie in the pieces themselves; `lift` adds what is linked to the best of them."""
    if plan.mode == "keyword":
        _by_words(board, question)
    elif plan.mode == "vector":
        _by_meaning(board, vector)
    elif plan.fusion == "zscore":
        _compared(board, question, vector, plan)
    else:
        _fused(board, question, vector, plan)
    lift()
    if plan.mode == "hybrid" and plan.fusion == "zscore":
        board.shorten(SHORTLIST)
        _add_beside(board, question, plan)


def _add_beside(board: Board, question: Question, plan: Plan) -> None:
    """What speaks for a piece beside its words and its meaning: a little, for the best alone."""
    said = _said_by(board, question)
    if said is not None:
        board.add("speaker", said, np.nan_to_num(said) * SPEAKER, weight=SPEAKER)
    _add_time(board, question)
    _add_session(board)
    _add_priors(board, plan)


def _by_words(board: Board, question: Question) -> None:
    words = board.measured(lambda index: lexical.bm25(index, question.keys))
    board.add("words", _or_nothing(words), words, weight=1.0)
    board.admit(words > 0)
    said = _said_by(board, question)
    if said is not None:
        board.add("speaker", said, np.nan_to_num(said) * words * SPEAKER_SHARE, weight=SPEAKER_SHARE)


def _by_meaning(board: Board, vector: Vector | None) -> None:
    if vector is not None:
        near = board.measured(lambda index: vectors.cosines(index, vector))
        board.add("meaning", near, np.nan_to_num(near), weight=1.0)
        board.admit(~np.isnan(near))


def _compared(board: Board, question: Question, vector: Vector | None, plan: Plan) -> None:
    weights = plan.weights
    words = board.measured(lambda index: lexical.bm25(index, question.keys))
    board.add("words", _or_nothing(words), fuse.zscored(words) * weights.keyword, weight=weights.keyword)
    board.admit(words > 0)
    if vector is not None:
        near = board.measured(lambda index: vectors.cosines(index, vector))
        board.add("meaning", near, fuse.zscored(near) * weights.semantic, weight=weights.semantic)
        board.admit(near >= NEAR_ENOUGH)


def _fused(board: Board, question: Question, vector: Vector | None, plan: Plan) -> None:
    """As the views promise it: each reason over its own candidates, and nothing else."""
    points: Callable[[Reals], Reals] = fuse.min_max if plan.fusion == "weighted" else fuse.reciprocal
    weights: Weights = plan.weights
    words = _or_nothing(board.measured(lambda index: lexical.bm25(index, question.keys, around=False)))
    by_words = 1.0 if plan.fusion == "rrf" else weights.keyword
    board.add("words", words, points(words) * by_words, weight=by_words)
    board.admit(~np.isnan(words))
    if vector is not None:
        near = board.measured(lambda index: vectors.cosines(index, vector))
        by_meaning = 1.0 if plan.fusion == "rrf" else weights.semantic
        board.add("meaning", near, points(near) * by_meaning, weight=by_meaning)
        board.admit(near >= NEAR_ENOUGH)


def _or_nothing(scores: Reals) -> Reals:
    """A score of zero is no match at all."""
    return np.where(scores > 0, scores, np.nan)


def _said_by(board: Board, question: Question) -> Reals | None:
    """1 for what was said by somebody whom the question names; None where it names nobody."""
    if not question.speakers:
        return None
    return np.where(np.isin(board.texts("speaker"), question.speakers), 1.0, np.nan)


def _add_time(board: Board, question: Question) -> None:
    if question.spans:
        inside = covered(board.fact("created_at"), question.spans)
        board.add("time", np.where(inside > 0, inside, np.nan), inside * TIME, weight=TIME)


def _add_session(board: Board) -> None:
    """How much better a session is than others: the mean of its best pieces, over those that score at all."""
    scores, sessions = board.scores(), board.sessions()
    top = np.flatnonzero(sessions >= 0)
    if not len(top):
        return
    top = top[np.lexsort((-scores[top], sessions[top]))]
    codes, starts = np.unique(sessions[top], return_index=True)
    floor = float(scores[top].min())
    means = np.zeros(len(codes))
    for place in range(BEST_OF_SESSION):
        at = starts + place
        inside = at < np.append(starts[1:], len(top))
        means += np.where(inside, scores[top[np.minimum(at, len(top) - 1)]], floor) - floor
    means /= BEST_OF_SESSION
    raw = np.full(len(scores), np.nan)
    known = np.isin(sessions, codes)
    raw[known] = means[np.searchsorted(codes, sessions[known])]
    board.add("session", raw, np.nan_to_num(raw) * SESSION, weight=SESSION)


def _add_priors(board: Board, plan: Plan) -> None:
    lives = np.full(len(board.rows), float(_HALF_LIFE))
    classes = board.texts("class")
    for name, days in _HALF_LIVES.items():
        lives[classes == name] = days
    age = np.maximum(0.0, (plan.moment - board.fact("created_at")) / DAY)
    recency = np.round(np.exp2(-age / lives).astype(np.float64), 6)
    board.add("recency", recency, recency * RECENCY, weight=RECENCY)
    importance = np.round(board.fact("importance").astype(np.float64), 6)
    board.add("importance", importance, (importance - 0.5) * IMPORTANCE, weight=IMPORTANCE)
    pinned = board.fact("pinned").astype(np.float64)
    board.add("pinned", np.where(pinned > 0, 1.0, np.nan), pinned * PINNED, weight=PINNED)
