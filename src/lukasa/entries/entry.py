"""The entry itself: one memory, as it is read from its rows.

Frozen: a changed entry is another value. `state` is all of it that a user can change, as one JSON
object; history keeps that, undo and `as_of` read it back, and so does an import.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lukasa.clock import to_rfc3339
from lukasa.entries.kinds import EntryClass, Kind, Status, check_class, check_kind, check_status
from lukasa.ids import digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lukasa.db import Row, Value
    from lukasa.db.database import Json


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A memory: its text, what it is, where it lives, and how long."""

    number: int
    id: str
    space: str
    agent_id: str
    kind: Kind
    entry_class: EntryClass
    class_given: bool
    category: str
    content: str
    summary: str | None
    name: str | None
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    concepts: tuple[str, ...]
    importance: float
    confidence: float
    pinned: bool
    status: Status
    seen: int
    source_type: str | None
    source_id: str | None
    session_id: str | None
    metadata: Mapping[str, Json]
    context: str | None
    created_at: int
    updated_at: int
    expires_at: int | None
    expiry_given: bool
    completed_at: int | None
    superseded_at: int | None
    superseded_by: str | None
    revision: int

    @property
    def fingerprint(self) -> str:
        """What makes it the same memory said again; a superseded one gives its own up."""
        freed = self.id if self.superseded_at is not None else ""
        return fingerprint(self.kind, self.name, self.content, freed)

    def changed(self, **parts: object) -> Entry:
        """The same entry with some parts changed: `dataclasses.replace` at a tenth of its cost."""
        other = object.__new__(Entry)
        other.__dict__.update(self.__dict__, **parts)
        return other

    def is_live(self, now: int) -> bool:
        """Whether it is an answer at `now`: neither superseded nor expired."""
        return self.superseded_at is None and (self.expires_at is None or self.expires_at > now)

    def columns(self) -> dict[str, Value]:
        """Its row in `entries`, by column."""
        return {
            "space": self.space,
            "id": self.id,
            "number": self.number,
            "agent_id": self.agent_id,
            "kind": self.kind,
            "class": self.entry_class,
            "class_given": int(self.class_given),
            "category": self.category,
            "content": self.content,
            "summary": self.summary,
            "fingerprint": self.fingerprint,
            "importance": self.importance,
            "confidence": self.confidence,
            "pinned": int(self.pinned),
            "status": self.status,
            "seen": self.seen,
            "source_type": self.source_type,
            "source_id": self.source_id,
            "session_id": self.session_id,
            "metadata": json.dumps(self.metadata, ensure_ascii=False, sort_keys=True)
            if self.metadata
            else "{}",
            "context": self.context,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "expires_at": self.expires_at,
            "expiry_given": int(self.expiry_given),
            "completed_at": self.completed_at,
            "superseded_at": self.superseded_at,
            "superseded_by": self.superseded_by,
            "revision": self.revision,
        }

    def plain(self) -> dict[str, Json]:
        """The whole entry as one JSON object, with times as RFC 3339; what surfaces show and exports keep."""
        shown = cast("dict[str, Json]", self.columns())
        del shown["fingerprint"]
        for column in TIMES:
            moment = cast("int | None", shown[column])
            shown[column] = None if moment is None else to_rfc3339(moment)
        for column in FLAGS:
            shown[column] = bool(shown[column])
        shown |= {
            "metadata": dict(self.metadata),
            "name": self.name,
            "aliases": list(self.aliases),
            "tags": list(self.tags),
            "concepts": list(self.concepts),
        }
        return shown

    def state(self) -> str:
        """What of it can change, as history keeps it."""
        kept = {column: value for column, value in self.columns().items() if column not in _FIXED}
        names = {"name": self.name, "aliases": self.aliases, "tags": self.tags, "concepts": self.concepts}
        return json.dumps(kept | names, ensure_ascii=False)


TIMES = ("created_at", "updated_at", "expires_at", "completed_at", "superseded_at")
FLAGS = ("pinned", "class_given", "expiry_given")
_FIXED = {"space", "id", "number", "agent_id", "fingerprint", "created_at"}


def fingerprint(kind: str, name: str | None, content: str, freed: str = "") -> str:
    """One hash of all that makes two memories the same one."""
    return digest(kind, name or "", content, freed)


def entry_from(row: Row, names: list[Row], tags: list[Row]) -> Entry:
    """The entry of a row, with its names and tags in their order."""
    canonical = [name.text("name") for name in names if name.flag("canonical")]
    return Entry(
        number=row.integer("number"),
        id=row.text("id"),
        space=row.text("space"),
        agent_id=row.text("agent_id"),
        kind=check_kind(row.text("kind")),
        entry_class=check_class(row.text("class")),
        class_given=row.flag("class_given"),
        category=row.text("category"),
        content=row.text("content"),
        summary=row.maybe_text("summary"),
        name=canonical[0] if canonical else None,
        aliases=tuple(name.text("name") for name in names if not name.flag("canonical")),
        tags=tuple(tag.text("tag") for tag in tags if tag.text("origin") == "user"),
        concepts=tuple(tag.text("tag") for tag in tags if tag.text("origin") == "concept"),
        importance=row.real("importance"),
        confidence=row.real("confidence"),
        pinned=row.flag("pinned"),
        status=check_status(row.text("status")),
        seen=row.integer("seen"),
        source_type=row.maybe_text("source_type"),
        source_id=row.maybe_text("source_id"),
        session_id=row.maybe_text("session_id"),
        metadata=metadata_from(row.text("metadata")),
        context=row.maybe_text("context"),
        created_at=row.integer("created_at"),
        updated_at=row.integer("updated_at"),
        expires_at=row.maybe_integer("expires_at"),
        expiry_given=row.flag("expiry_given"),
        completed_at=row.maybe_integer("completed_at"),
        superseded_at=row.maybe_integer("superseded_at"),
        superseded_by=row.maybe_text("superseded_by"),
        revision=row.integer("revision"),
    )


def metadata_from(text: str) -> Mapping[str, Json]:
    """The metadata object of a JSON text."""
    return cast("dict[str, Json]", json.loads(text)) if text != "{}" else {}
