"""What was said in a conversation, from the transcript that the assistant keeps: JSON lines, only appended.

Only words of the person and of the assistant count: no tool calls, no results, no thinking, nothing that a
program put in. What cannot be understood is passed over. Turns are known by where their line begins, so that
a later reading goes on where the last one ended.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from lukasa.clock import parse_time
from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from lukasa.db.database import Json

Role = Literal["user", "assistant"]
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "agent": "assistant"}
_SPOKEN = {"text", "input_text", "output_text"}
_NOT_SAID = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
# What programs put into a person's messages, in tags of their own.
_PUT_IN = re.compile(
    r"<(system-reminder|system_reminder|environment_context|user_instructions|hook_context|memories|timestamp"
    r"|command-name|command-message|command-args|local-command-[a-z]+|bash-[a-z]+|task-notification|ide_[a-z_]+"
    r"|open_and_recently_viewed_files|attached_files|git_status|additional_data|turn_aborted|skill)\b[^>]*>"
    r".*?</\1>",
    re.DOTALL,
)
_QUERY = re.compile(r"<user_query>(.*?)</user_query>", re.DOTALL)
_NOT_A_PERSONS = ("# AGENTS.md instructions", "Caveat: The messages below")
_LONGEST_LINE = 4_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """Something that was said: by whom, when if that is known, and where it stands."""

    role: Role
    text: str
    at: int | None
    place: int


def turns_after(transcript: Path, place: int) -> Iterator[Turn]:
    """What was said after the line at `place`, or all of it for -1; a line being written waits."""
    size = transcript.stat().st_size
    with transcript.open("rb") as file:
        if 0 <= place < size:
            file.seek(place)
            file.readline()
        while True:
            here = file.tell()
            line = file.readline()
            if not line.endswith(b"\n"):
                return
            if len(line) <= _LONGEST_LINE:
                yield from _turn(line, here)


def _turn(line: bytes, place: int) -> Iterator[Turn]:
    try:
        record = cast("Json", json.loads(line))
    except (ValueError, RecursionError):
        return
    if not isinstance(record, dict) or any(record.get(mark) is True for mark in _NOT_SAID):
        return
    said = _said(record)
    if said is not None:
        yield Turn(role=said[0], text=said[1], at=_moment(record.get("timestamp")), place=place)


def _said(record: Mapping[str, Json]) -> tuple[Role, str] | None:
    """By whom and what, in the forms in which the assistants write it down."""
    payload = record.get("payload")
    if isinstance(payload, dict):
        kind = str(payload.get("type"))
        speaker = kind.removesuffix("_message") if kind.endswith("_message") else payload.get("role")
        content = payload.get("message") if kind.endswith("_message") else payload.get("content")
    else:
        message = record.get("message")
        inner = message if isinstance(message, dict) else record
        speaker = inner.get("role") or record.get("role") or record.get("type")
        content = inner.get("content")
    role = _ROLES.get(speaker) if isinstance(speaker, str) else None
    text = spoken(role, _joined(content)) if role else ""
    return (role, text) if role and text else None


def _joined(content: Json) -> str:
    if isinstance(content, str):
        return content
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if part.get("type") in _SPOKEN]
    return "\n".join(text for text in texts if isinstance(text, str))


def spoken(role: Role, text: str) -> str:
    """The words of the one who spoke, without what a program put beside them."""
    if role == "user":
        asked = _QUERY.findall(text)
        text = _PUT_IN.sub("", "\n".join(asked) if asked else text).strip()
        return "" if text.startswith(_NOT_A_PERSONS) else text
    return text.replace("[REDACTED]", "").strip()


def _moment(value: Json) -> int | None:
    if not isinstance(value, str):
        return None
    try:
        return parse_time(value, now=0)
    except UsageError:
        return None
