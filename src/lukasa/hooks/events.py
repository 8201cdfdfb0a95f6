"""What each event does: a start tells what is known, a prompt brings what belongs to it, the others keep.

Always true: what was said goes into a space of that conversation alone, each thing once, however often a hook
is called; a text that holds a secret is left out as the store's policy says, and nothing else with it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.entries.fields import MAX_CONTENT
from lukasa.errors import SecretError, UsageError
from lukasa.hooks.transcripts import Turn, spoken, turns_after
from lukasa.scope import channel_space

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from lukasa.entries.entry import Entry
    from lukasa.handle import Handle
    from lukasa.hooks.contracts import Assistant, Event
    from lukasa.hooks.payload import Payload
    from lukasa.hooks.transcripts import Role
    from lukasa.memory import Store

_SPEAKERS = {"user": "User", "assistant": "Assistant"}
_NEWEST = 300
_AT_ONCE = 50
# What was said in passing counts for less than what somebody chose to remember.
_IMPORTANCE = 0.3


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """What came of an event: the text for the model, how much was kept, and why something was not."""

    text: str = ""
    saved: int = 0
    refused: tuple[str, ...] = ()


def happened(store: Store, handle: Handle, assistant: Assistant, event: Event, payload: Payload) -> Kept:
    """Does what an event calls for."""
    if event == "session-start":
        return Kept(text=handle.opening())
    if event == "prompt-submit":
        besides = channel_space(handle.agent, payload.session) if payload.session else None
        return Kept(text=handle.context(payload.prompt, besides=besides).text)
    return _save(store, handle, assistant, payload)


def _save(store: Store, handle: Handle, assistant: Assistant, payload: Payload) -> Kept:
    """Keeps what is new, some turns at a time, so that what was done stays done."""
    if payload.session is None:
        raise UsageError("The payload names no session.", fix="Send session_id.")
    channel = channel_space(handle.agent, payload.session)
    saved, place = 0, -1
    refused: list[str] = []
    while turns := _unknown(handle, channel, payload, place):
        with store.transaction():
            # Asked again: another hook of the same conversation may have kept them meanwhile.
            for turn in _unknown(handle, channel, payload, place):
                saved += _keep(handle, channel, assistant, turn, refused)
        if len(turns) < _AT_ONCE:
            break
        place = max(place, *(turn.place for turn in turns))
    return Kept(saved=saved, refused=tuple(refused))


def _unknown(handle: Handle, channel: str, payload: Payload, place: int) -> list[Turn]:
    """The next turns after a place that are not kept yet."""
    known = handle.list(scope=channel, limit=_NEWEST).entries
    texts = {entry.content for entry in known}
    found: list[Turn] = []
    for turn in _said(payload, max(place, _reached(known, payload))):
        content = content_of(turn)
        if content not in texts:
            texts.add(content)
            found.append(turn)
        if len(found) == _AT_ONCE:
            break
    return found


def _reached(known: Iterable[Entry], payload: Payload) -> int:
    """Where the last line that was kept begins; before the first, if the transcript is another one now."""
    places = [entry.metadata.get("place") for entry in known]
    reached = max((place for place in places if isinstance(place, int)), default=-1)
    transcript = _transcript(payload)
    return reached if transcript and reached < transcript.stat().st_size else -1


def _transcript(payload: Payload) -> Path | None:
    with suppress(OSError):  # such as a name that is too long
        if payload.transcript is not None and payload.transcript.is_file():
            return payload.transcript
    return None


def _said(payload: Payload, place: int) -> Iterator[Turn]:
    """What the transcript has after a place, then the last turn by the payload, which may be ahead."""
    transcript = _transcript(payload)
    if transcript is not None:
        yield from turns_after(transcript, place)
    last: tuple[tuple[Role, str | None], ...] = (("user", payload.asked), ("assistant", payload.answered))
    for role, text in last:
        said = spoken(role, text or "")
        if said:
            yield Turn(role=role, text=said, at=None, place=-1)


def content_of(turn: Turn) -> str:
    """A turn as it is kept: who speaks, and what, as far as an entry can hold it."""
    said = turn.text.replace("\0", " ").encode("utf-8", "replace").decode().strip()
    return f"{_SPEAKERS[turn.role]}: {said}"[:MAX_CONTENT].rstrip()


def _keep(handle: Handle, channel: str, assistant: Assistant, turn: Turn, refused: list[str]) -> int:
    """Keeps a turn, unless it may not be; gives how many were kept."""
    try:
        handle.remember(
            content_of(turn),
            scope=channel,
            at=turn.at,
            kind="note",
            session_id=channel.rpartition(":")[2],
            source_type=assistant,
            importance=_IMPORTANCE,
            metadata={"role": turn.role, "place": turn.place},
        )
    except SecretError as error:
        refused.append(error.message)
        return 0
    return 1
