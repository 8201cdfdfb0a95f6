"""Which reasons have a say in each mode, and what they count for.

By words alone a score is BM25, by meaning alone it is the cosine, so that both can be read. Together they
are made comparable first, by what the call or the settings choose; where that is `zscore`, what else speaks
for a piece adds a little. What was said in a conversation has more that speaks for it, in shares of BM25 or
in deviations; an entry outside of any neither gains nor loses by that. The constants were measured, and lie
where a little more or less changes little: `docs/recall.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.clock import DAY
from lukasa.entries.kinds import HALF_LIVES
from lukasa.matrices import np
from lukasa.recall import fuse, lexical, vectors
from lukasa.recall.relevant import nearness
from lukasa.recall.times import covered

if TYPE_CHECKING:
    from collections.abc import Callable

    from lukasa.config import Weights
    from lukasa.matrices import Flags, Reals, Vector
    from lukasa.recall.board import Board
    from lukasa.recall.plan import Plan
    from lukasa.recall.question import Question

# Who is asked about and who speaks are often the same.
SPEAKER_SHARE, SPEAKER = 0.3, 0.8
# What was said at the time that the question speaks of.
TIME_SHARE, TIME = 0.3, 1.5
# A conversation that fits as a whole is more likely the one.
SESSION_SHARE, SESSION = 0.2, 0.2
# Who asks does not answer; the more is said besides, the less that counts: so many terms, and it is half.
ASKING_SHARE, ASKING, ASKING_HALVED = 0.2, 0.8, 20
# Small, so that they decide between equals and nothing else.
RECENCY, IMPORTANCE, PINNED = 0.1, 0.2, 0.1
# So many pieces are looked at closely; what lies below them could not come up by what is still added.
SHORTLIST = 1_000
# How much of the way from what unrelated texts have to the greatest nearness: where a question shares no word
# with its answer, nine answers in ten come so far, and one other text in thirty.
NEAR_ENOUGH = 0.15


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
    inside = _at_time(board, question)
    if inside is not None:
        board.add("time", inside, np.nan_to_num(inside) * TIME, weight=TIME)
    asking = _asking(board)
    if asking is not None:
        board.add("asking", asking, np.nan_to_num(asking) * -ASKING, weight=-ASKING)
    _add_priors(board, plan)


def _by_words(board: Board, question: Question) -> None:
    words = board.measured(lambda index: lexical.bm25(index, question.keys))
    board.add("words", _or_nothing(words), words, weight=1.0)
    board.admit(words > 0)
    said = _said_by(board, question)
    if said is not None:
        board.add("speaker", said, np.nan_to_num(said) * words * SPEAKER_SHARE, weight=SPEAKER_SHARE)
    session = board.measured(lambda index: lexical.by_session(index, question.keys))
    if not np.isnan(session).all():
        board.add("session", session, np.nan_to_num(session) * SESSION_SHARE, weight=SESSION_SHARE)
    inside = _at_time(board, question)
    if inside is not None:
        board.add("time", inside, np.nan_to_num(inside) * words * TIME_SHARE, weight=TIME_SHARE)
    asking = _asking(board)
    if asking is not None:
        board.add("asking", asking, np.nan_to_num(asking) * words * -ASKING_SHARE, weight=-ASKING_SHARE)


def _by_meaning(board: Board, vector: Vector | None) -> None:
    if vector is not None:
        near = board.measured(lambda index: vectors.cosines(index, vector))
        board.add("meaning", near, np.nan_to_num(near), weight=1.0)
        board.admit(~np.isnan(near))


def _compared(board: Board, question: Question, vector: Vector | None, plan: Plan) -> None:
    weights = plan.weights
    words = board.measured(lambda index: lexical.bm25(index, question.keys))
    board.add(
        "words",
        _or_nothing(words),
        fuse.zscored(words) * weights.keyword,
        weight=weights.keyword,
    )
    board.admit(words > 0)
    if vector is not None:
        whole = [vectors.cosines(index, vector) for index in board.indexes]
        near = board.taken(whole)
        led = board.taken([vectors.with_questions(*pair) for pair in zip(board.indexes, whole, strict=True)])
        board.add(
            "meaning",
            near,
            fuse.zscored(led) * weights.semantic,
            weight=weights.semantic,
        )
        board.admit(_is_near(near, plan))
    session = board.measured(lambda index: lexical.by_session(index, question.keys))
    if not np.isnan(session).all():
        board.add("session", session, fuse.zscored(session) * SESSION, weight=SESSION)


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
        board.admit(_is_near(near, plan))


def _is_near(near: Reals, plan: Plan) -> Flags:
    """What is an answer by its meaning alone; of what filters let through, that is all: they said what is."""
    return ~np.isnan(near) if plan.is_filtered else nearness(near) >= NEAR_ENOUGH


def _or_nothing(scores: Reals) -> Reals:
    """A score of zero is no match at all."""
    return np.where(scores > 0, scores, np.nan)


def _said_by(board: Board, question: Question) -> Reals | None:
    """1 for what was said by somebody whom the question names; None where it names nobody."""
    if not question.speakers:
        return None
    return np.where(board.is_one_of("speaker", question.speakers), 1.0, np.nan)


def _at_time(board: Board, question: Question) -> Reals | None:
    """How near what was said lies to the time that the question speaks of; None where it speaks of none."""
    if not question.spans:
        return None
    inside = covered(board.fact("created_at"), question.spans)
    return np.where(inside > 0, inside, np.nan)


def _asking(board: Board) -> Reals | None:
    """How much of what was said in a conversation is a question; None where nobody asked."""
    asks = (board.fact("asks") > 0) & (board.fact("session") >= 0)
    if not asks.any():
        return None
    share = ASKING_HALVED / (ASKING_HALVED + board.fact("length"))
    return np.where(asks, np.round(share, 6), np.nan)


def _add_priors(board: Board, plan: Plan) -> None:
    lives = np.ones(len(board.rows))
    for name, days in HALF_LIVES.items():
        lives[board.is_one_of("class", (name,))] = days
    age = np.maximum(0.0, (plan.moment - board.fact("created_at")) / DAY)
    recency = np.round(np.exp2(-age / lives).astype(np.float64), 6)
    board.add("recency", recency, recency * RECENCY, weight=RECENCY)
    importance = np.round(board.fact("importance").astype(np.float64), 6)
    board.add("importance", importance, (importance - 0.5) * IMPORTANCE, weight=IMPORTANCE)
    pinned = board.fact("pinned").astype(np.float64)
    board.add("pinned", np.where(pinned > 0, 1.0, np.nan), pinned * PINNED, weight=PINNED)
