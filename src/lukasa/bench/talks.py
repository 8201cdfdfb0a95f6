"""Recorded conversations with questions about them, read from the files of two public benchmarks.

LoCoMo-style: long conversations, each with questions whose evidence is named turn by turn. LongMemEval-style:
questions, each with its own sessions; those of all questions in the file are pooled, and a haystack has the
question's own sessions first, then others'. Which of the two a file is, is seen from what it holds. Always
true: a file that is neither, or that lacks something, is an error that names it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, cast

from lukasa.clock import to_millis
from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from lukasa.db.database import Json

HAYSTACK = 48
Style = Literal["locomo", "longmemeval"]
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_EVIDENCE = re.compile(r"D\d+:\d+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One thing that was said."""

    id: str
    session: str
    text: str
    at: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, and the turns and sessions that hold the answer."""

    id: str
    text: str
    type: str
    evidence: frozenset[str]
    sessions: frozenset[str]
    asked_at: int | None
    answerable: bool = True


@dataclass(frozen=True, kw_only=True)
class Talk:
    """A corpus of turns, and the questions that are asked of it."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, kw_only=True)
class Collection:
    """What one file holds."""

    name: str
    style: Style
    talks: tuple[Talk, ...] = field(default_factory=tuple)


def read(path: Path, *, haystack: int = HAYSTACK) -> Collection:
    """The talks of a file of either style."""
    try:
        items = cast("Json", json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as JSON: {error}.", fix="Check the path.") from error
    style = _style(items)
    if style is None:
        raise UsageError(
            f"{path.name} holds neither LoCoMo-style conversations nor LongMemEval-style questions.",
            fix="Give a file whose items have `conversation` and `qa`, or `haystack_sessions`.",
        )
    try:
        return Collection(name=path.stem, style=style, talks=_talks(style, items, haystack))
    except KeyError as error:
        raise _unlike(path, style, f"an item has no {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise _unlike(path, style, str(error)) from error


def _style(items: Json) -> Style | None:
    first = items[0] if isinstance(items, list) and items else None
    if not isinstance(first, dict):
        return None
    if "conversation" in first and "qa" in first:
        return "locomo"
    return "longmemeval" if "haystack_sessions" in first else None


def _talks(style: Style, items: Json, haystack: int) -> tuple[Talk, ...]:
    found = cast("list[dict[str, Json]]", items)
    if style == "locomo":
        return tuple(_conversation(item) for item in found)
    return tuple(_haystacks(found, haystack))


def _unlike(path: Path, style: Style, reason: str) -> UsageError:
    return UsageError(
        f"{path.name} begins as a file of the style {style} does, but is not one: {reason}.",
        fix="Give the file as it was published.",
    )


def _conversation(item: Mapping[str, Json]) -> Talk:
    parts = cast("dict[str, Json]", item["conversation"])
    turns: list[Turn] = []
    for key, said in parts.items():
        if not (isinstance(said, list) and re.fullmatch(r"session_\d+", key)):
            continue
        date = str(parts.get(f"{key}_date_time", ""))
        for turn in cast("list[dict[str, str]]", said):
            caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
            turns.append(
                Turn(
                    id=turn["dia_id"],
                    session=key,
                    text=f"[{date}] {turn['speaker']}: {turn['text']}{caption}",
                    at=_moment(date, "%I:%M %p on %d %B, %Y"),
                )
            )
    known = {turn.id: turn.session for turn in turns}
    questions = [
        _question(number, asked, known)
        for number, asked in enumerate(cast("list[dict[str, Json]]", item["qa"]))
    ]
    return Talk(
        id=str(item.get("sample_id", "")),
        turns=tuple(turns),
        questions=tuple(question for question in questions if question.evidence),
    )


def _question(number: int, asked: Mapping[str, Json], known: Mapping[str, str]) -> Question:
    named = _EVIDENCE.findall(" ".join(map(str, cast("list[Json]", asked.get("evidence") or []))))
    evidence = frozenset(turn for turn in named if turn in known)
    return Question(
        id=str(number),
        text=str(asked["question"]),
        type=_CATEGORIES.get(int(cast("int", asked.get("category", 0))), "other"),
        evidence=evidence,
        sessions=frozenset(known[turn] for turn in evidence),
        asked_at=None,
    )


def _haystacks(items: list[dict[str, Json]], size: int) -> Iterator[Talk]:
    pool: dict[str, tuple[Turn, ...]] = {}
    for item in items:
        for session, date, said in zip(
            cast("list[str]", item["haystack_session_ids"]),
            cast("list[str]", item["haystack_dates"]),
            cast("list[list[dict[str, Json]]]", item["haystack_sessions"]),
            strict=True,
        ):
            pool.setdefault(session, tuple(_turns(session, date, said)))
    evidence = {
        f"{session}#{number}"
        for item in items
        for session, said in zip(
            cast("list[str]", item["haystack_session_ids"]),
            cast("list[list[dict[str, Json]]]", item["haystack_sessions"]),
            strict=True,
        )
        for number, turn in enumerate(said)
        if turn.get("has_answer")
    }
    for item in items:
        yield _haystack(item, pool, evidence, size)


def _haystack(
    item: Mapping[str, Json], pool: Mapping[str, tuple[Turn, ...]], evidence: set[str], size: int
) -> Talk:
    own = list(dict.fromkeys(cast("list[str]", item["haystack_session_ids"])))
    families = {_family(session) for session in own}
    others = [session for session in pool if session not in own and _family(session) not in families]
    chosen = (own + others)[: max(size, len(own))]
    answers = frozenset(cast("list[str]", item["answer_session_ids"])) & set(chosen)
    name = str(item["question_id"])
    turns = tuple(turn for session in chosen for turn in pool[session])
    question = Question(
        id=name,
        text=str(item["question"]),
        type=str(item.get("question_type", "")),
        evidence=frozenset(turn.id for turn in turns if turn.session in answers and turn.id in evidence),
        sessions=answers,
        asked_at=_moment(str(item.get("question_date", "")), "%Y/%m/%d (%a) %H:%M"),
        answerable=not name.endswith("_abs"),
    )
    return Talk(id=name, turns=turns, questions=(question,))


def _family(session: str) -> str:
    """What the sessions that were written for one question have in common."""
    return re.sub(r"_(?:abs_)?\d+\Z", "", session)


def _turns(session: str, date: str, said: list[dict[str, Json]]) -> Iterator[Turn]:
    for number, turn in enumerate(said):
        text = str(turn.get("content", ""))
        if text.strip():
            yield Turn(
                id=f"{session}#{number}",
                session=session,
                text=f"[{date}] {turn['role']}: {text}",
                at=_moment(date, "%Y/%m/%d (%a) %H:%M"),
            )


def _moment(text: str, form: str) -> int | None:
    try:
        return to_millis(datetime.strptime(text.strip(), form).replace(tzinfo=UTC))
    except ValueError:
        return None
