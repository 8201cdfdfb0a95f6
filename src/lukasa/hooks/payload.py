"""What an assistant tells a hook on standard input, read leniently: what is missing or odd is left out."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lukasa.db.database import Json

MOST_BYTES = 16_000_000
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9_.@-]+")
_LONGEST_ID = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Payload:
    """One call of a hook: which conversation, where, and what was said."""

    session: str | None
    transcript: Path | None
    folder: Path
    prompt: str
    asked: str | None
    """The question that the last answer was given to, where the assistant says it."""
    answered: str | None
    """The last answer, where the assistant says it."""


def read_payload(stream: BinaryIO) -> Payload:
    """The payload on a stream; an error if it is none."""
    raw = stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        while stream.read(1 << 20):
            """What is left is taken and dropped, so that the writer does not break."""
        raise UsageError(f"A payload of more than {MOST_BYTES:,} bytes was given.", fix="Send less.")
    try:
        found = cast("Json", json.loads(raw))
    except (ValueError, RecursionError) as error:
        raise UsageError("The payload is not JSON.", fix="Send one JSON object.") from error
    if not isinstance(found, dict):
        raise UsageError(f"A JSON object was wanted, found {type(found).__name__}.", fix="Send an object.")
    return _payload(found)


def _payload(found: Mapping[str, Json]) -> Payload:
    transcript = _text(found, "transcript_path", "agent_transcript_path")
    session = _text(found, "session_id", "conversation_id")
    roots = found.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else None
    folder = _text(found, "cwd") or root or os.environ.get("CURSOR_PROJECT_DIR")
    return Payload(
        session=_NOT_IN_AN_ID.sub("-", session)[:_LONGEST_ID] if session else None,
        transcript=_path(transcript),
        folder=Path(folder if folder and "\0" not in folder else "."),
        prompt=_text(found, "prompt") or "",
        asked=_text(found, "prompt"),
        answered=_text(found, "last_assistant_message", "prompt_response"),
    )


def _path(text: str | None) -> Path | None:
    if text is not None and "\0" not in text:
        with suppress(RuntimeError):  # the home folder of somebody who is not known here
            return Path(text).expanduser()
    return None


def _text(found: Mapping[str, Json], *names: str) -> str | None:
    """The first of some fields that holds a text with something in it."""
    for name in names:
        value = found.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return None


def project_of(folder: Path) -> str | None:
    """The project that a folder belongs to: the name of the git checkout around it."""
    try:
        here = folder.resolve()
        root = next((place for place in (here, *here.parents) if (place / ".git").exists()), None)
    except OSError:
        return None
    name = _NOT_IN_AN_ID.sub("-", root.name).strip("-") if root else ""
    return name or None
