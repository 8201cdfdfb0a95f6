"""How good recall is: each talk is remembered by an agent of its own, and each of its questions asked.

Turn R@k is the mean share of a question's evidence turns among the first k hits; sessions are ranked by their
best turn, and R@k, any@k, all@k and nDCG@k of sessions are read from that order; MRR is over turns. Questions
without evidence, and those that cannot be answered, are left out of all of these. For the latter it is given
how relevant their best hit seems, beside that of the others: the AUC is the chance that a question which can
be answered seems so more than one that cannot, which is what a floor has to tell apart. Some questions of
each conversation are asked of another one, where they are strangers, for the same figures.
"""

from __future__ import annotations

import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from lukasa.bench.talks import HAYSTACK, read
from lukasa.config import Recalling, Settings
from lukasa.errors import UsageError
from lukasa.memory import open as open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lukasa.bench.talks import Collection, Question, Talk
    from lukasa.db.database import Json
    from lukasa.handle import Handle
    from lukasa.recall.answer import Answer

DEPTH = 100
_TURN_DEPTHS, _SESSION_DEPTHS = (5, 10, 20), (5, 10)
Figures = dict[str, float]
# So many questions of each conversation are asked of the next.
_STRANGERS = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One question that was asked: its figures, what it took, and how relevant its best hit seemed."""

    question: Question
    figures: Figures
    milliseconds: float
    cpu: float
    relevance: float


class _Moment:
    """A clock that stands where the asker stands."""

    def __init__(self) -> None:
        self._real = time.time_ns() // 1_000_000
        self.at: int | None = None

    def now(self) -> int:
        return self._real if self.at is None else self.at


def measure(
    path: Path, *, settings: Settings | None = None, limit: int | None = None, haystack: int = HAYSTACK,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> dict[str, Json]:  # fmt: skip
    """The figures of one file. `limit` asks only so many questions of it."""
    if limit is not None and limit < 1:
        raise UsageError(f"A limit of 1 or more was wanted, found {limit}.", fix="Leave it out to ask all.")
    collection = read(path, haystack=haystack)
    asked: list[Asked] = []
    strangers: list[float] = []
    total = min(limit or math.inf, sum(len(talk.questions) for talk in collection.talks))
    for at, talk in enumerate(collection.talks):
        room = None if limit is None else limit - len(asked)
        if room == 0:
            break
        others = _strangers_of(collection, at)[:room]
        own, foreign = ask(talk, settings or Settings(), limit=room, others=others)
        asked += own
        strangers += foreign
        progress(len(asked), int(total))
    return _report(collection, asked, strangers)


def _strangers_of(collection: Collection, at: int) -> list[Question]:
    """Questions of the next talk; haystacks share their hay, so there no question is a stranger for sure."""
    if collection.style != "locomo" or len(collection.talks) == 1:
        return []
    following = collection.talks[(at + 1) % len(collection.talks)].questions
    questions = [question for question in following if question.answerable and question.sessions]
    return questions[:: max(1, len(questions) // _STRANGERS)][:_STRANGERS]


def ask(
    talk: Talk, settings: Settings, *, limit: int | None = None, others: Sequence[Question] = ()
) -> tuple[list[Asked], list[float]]:
    """Remembers a talk in a store of its own and asks its questions; and how relevant others find a hit."""
    clock = _Moment()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(Path(folder) / "talk.lukasa", settings=settings, clock=clock) as store,
    ):
        reader = store.agent("reader")
        turns: dict[str, tuple[set[str], str]] = {}
        with store.transaction():
            for turn in talk.turns:
                entry = reader.remember(turn.text, kind="note", session_id=turn.session, at=turn.at)
                turns.setdefault(entry.id, (set(), turn.session))[0].add(turn.id)
        if talk.questions:
            reader.recall(talk.questions[0].text, limit=1, observe=False)  # so that what is timed is warm
        own = [_ask(reader, clock, question, turns) for question in talk.questions[:limit]]
        return own, [_ask(reader, clock, question, turns).relevance for question in others]


def _ask(
    reader: Handle, clock: _Moment, question: Question, turns: Mapping[str, tuple[set[str], str]]
) -> Asked:
    clock.at = question.asked_at
    began, busy = time.perf_counter(), time.process_time()
    answer = reader.recall(question.text, limit=DEPTH, observe=False)
    busy, took = time.process_time() - busy, time.perf_counter() - began
    return Asked(
        question=question,
        figures=_figures(question, answer, turns),
        milliseconds=took * 1_000,
        cpu=busy * 1_000,
        relevance=answer.hits[0].relevance if answer.hits else 0.0,
    )


def _figures(question: Question, answer: Answer, turns: Mapping[str, tuple[set[str], str]]) -> Figures:
    found = [turns[hit.entry.id] for hit in answer]
    sessions = list(dict.fromkeys(session for _, session in found))
    figures: Figures = {}
    for depth in _TURN_DEPTHS:
        seen = set[str]().union(*(ids for ids, _ in found[:depth]))
        figures[f"turn R@{depth}"] = _share(question.evidence, seen)
    places = [place for place, (ids, _) in enumerate(found, 1) if ids & question.evidence]
    figures["MRR"] = 1 / places[0] if places else 0.0
    for depth in _SESSION_DEPTHS:
        figures[f"session R@{depth}"] = _share(question.sessions, sessions[:depth])
        figures[f"any@{depth}"] = float(bool(question.sessions & set(sessions[:depth])))
    figures["all@10"] = float(question.sessions <= set(sessions[:10]))
    figures["nDCG@10"] = _gain(
        [session in question.sessions for session in sessions[:10]], len(question.sessions)
    )
    return figures


def _share(wanted: frozenset[str], found: Sequence[str] | set[str]) -> float:
    return len(wanted & set(found)) / len(wanted) if wanted else 0.0


def _gain(relevant: Sequence[bool], known: int) -> float:
    best = sum(1 / math.log2(place + 1) for place in range(1, min(known, 10) + 1))
    got = sum(1 / math.log2(place + 1) for place, is_one in enumerate(relevant, 1) if is_one)
    return got / best if best else 0.0


def _report(collection: Collection, asked: Sequence[Asked], strangers: Sequence[float]) -> dict[str, Json]:
    counted = [one for one in asked if one.question.answerable and one.question.sessions]
    types = sorted({one.question.type for one in counted})
    times = sorted(one.milliseconds for one in asked)
    return {
        "file": collection.name,
        "style": collection.style,
        "talks": len(collection.talks),
        "questions": len(counted),
        **_means(counted),
        "ms p50": _quantile(times, 0.5),
        "ms p95": _quantile(times, 0.95),
        "ms CPU": round(mean(one.cpu for one in asked), 3) if asked else 0.0,
        "relevance": _told_apart(
            [one.relevance for one in counted],
            [one.relevance for one in asked if not one.question.answerable],
            strangers,
        ),
        "by type": {
            name: {"questions": sum(one.question.type == name for one in counted)}
            | _means([one for one in counted if one.question.type == name])
            for name in types
        },
    }


def _means(asked: Sequence[Asked]) -> dict[str, Json]:
    """The mean of each figure; turn figures over the questions whose evidence is known turn by turn."""
    names = asked[0].figures if asked else {}
    found: dict[str, Json] = {}
    for name in names:
        whole = [one for one in asked if one.question.evidence or not name.startswith(("turn", "MRR"))]
        found[name] = round(mean(one.figures[name] for one in whole), 4) if whole else 0.0
    return found


def _told_apart(
    answerable: Sequence[float], abstention: Sequence[float], strangers: Sequence[float]
) -> dict[str, Json]:
    """How relevant the best hit seems where there is an answer, and where there is none."""
    return {
        "answerable": _spread(answerable),
        "abstention": _spread(abstention),
        "strangers": _spread(strangers),
        "AUC": _chance(answerable, abstention),
        "AUC of strangers": _chance(answerable, strangers),
    }


def _chance(higher: Sequence[float], lower: Sequence[float]) -> float | None:
    """How likely one of the first is above one of the second."""
    pairs = len(higher) * len(lower)
    won = sum((one > other) + (one == other) / 2 for one in higher for other in lower)
    return round(won / pairs, 4) if pairs else None


def _spread(values: Sequence[float]) -> dict[str, Json]:
    ordered = sorted(values)
    shares = (10, 50, 90) if ordered else ()
    quantiles = {f"p{share}": _quantile(ordered, share / 100) for share in shares}
    floor = Recalling().floor
    reached = {"reach the floor": round(mean(value >= floor for value in ordered), 3)} if ordered else {}
    return {"questions": len(ordered), **quantiles, **reached}


def _quantile(ordered: Sequence[float], share: float) -> float:
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 3) if ordered else 0.0
