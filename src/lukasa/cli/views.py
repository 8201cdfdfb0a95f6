"""How an entry looks: as a card, as a row, as the sentence that says what was done to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from lukasa.cli.literal import cut
from lukasa.cli.pieces import Card, Cell, Grid, Line, Moment, Outcome
from lukasa.clock import SystemClock
from lukasa.operations.answers import entry_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.cli.pieces import Piece
    from lukasa.entries.entry import Entry

_PREVIEW = 72
_ROW = ("#", "kind", "state", "when", "name", "tags", "text")


def done(verb: str, entry: Entry) -> Outcome:
    """What was done to an entry, and what it is now."""
    return Outcome(document=entry_document(entry), pieces=told(verb, entry))


def told(verb: str, entry: Entry) -> tuple[Piece, ...]:
    """The sentence, and under it what the entry is."""
    facts = [entry.kind, entry.entry_class, entry.category, f"in {entry.space}"]
    facts += [f"tags {', '.join(entry.tags)}"] if entry.tags else []
    facts += [f"also {', '.join(entry.aliases)}"] if entry.aliases else []
    facts += [entry.status] if entry.status != "open" else []
    return (
        Line(text=f"{verb} {label(entry)}", tone="good"),
        Line(text=f"  {' · '.join(facts)}", tone="quiet"),
    )


def label(entry: Entry) -> str:
    """An entry in half a line: its number, name and first words."""
    name = f" {entry.name}" if entry.name else ""
    return f"#{entry.number}{name}: {cut(' '.join(entry.content.split()), _PREVIEW)}"


def card(entry: Entry) -> Card:
    """All that is known of an entry."""
    pairs: tuple[tuple[str, Cell], ...] = (
        ("number", entry.number),
        ("name", entry.name),
        ("aliases", ", ".join(entry.aliases) or None),
        ("kind", f"{entry.kind} ({entry.entry_class})"),
        ("state", state(entry)),
        ("category", entry.category),
        ("tags", ", ".join(entry.tags) or None),
        ("concepts", ", ".join(entry.concepts) or None),
        ("summary", entry.summary),
        ("context", entry.context),
        ("importance", entry.importance),
        ("confidence", entry.confidence),
        ("pinned", "yes" if entry.pinned else None),
        ("source", ":".join(part for part in (entry.source_type, entry.source_id) if part) or None),
        ("session", entry.session_id),
        ("metadata", json.dumps(dict(entry.metadata), ensure_ascii=False) if entry.metadata else None),
        ("space", entry.space),
        ("agent", entry.agent_id),
        *_times(entry),
        ("superseded_by", entry.superseded_by),
        ("seen", entry.seen),
        ("revision", entry.revision),
        ("id", entry.id),
    )
    title = f"#{entry.number} {entry.name}" if entry.name else f"#{entry.number}"
    return Card(title=title, pairs=pairs, body=entry.content)


def _times(entry: Entry) -> tuple[tuple[str, Cell], ...]:
    moments = {
        "created": entry.created_at,
        "updated": entry.updated_at,
        "expires": entry.expires_at,
        "completed": entry.completed_at,
        "superseded": entry.superseded_at,
    }
    return tuple((name, None if millis is None else Moment(millis)) for name, millis in moments.items())


def grid(entries: Sequence[Entry]) -> Grid:
    """Entries, one a row."""
    return Grid(columns=_ROW, rows=tuple(_row(entry) for entry in entries))


def _row(entry: Entry) -> tuple[Cell, ...]:
    return (
        entry.number,
        entry.kind,
        state(entry),
        Moment(entry.created_at),
        entry.name,
        ",".join(entry.tags),
        entry.content,
    )


def state(entry: Entry) -> str:
    """Whether an entry is an answer, and why not."""
    if entry.superseded_at is not None:
        return "superseded"
    if not entry.is_live(SystemClock().now()):
        return "expired"
    return "live" if entry.status == "open" else entry.status


def changed_parts(before: Entry, after: Entry) -> list[str]:
    """What differs between two states of an entry, part by part."""
    old, new = before.plain(), after.plain()
    return [
        f"{part}: {_short(old[part])} → {_short(new[part])}"
        for part in old
        if part not in _ALWAYS_DIFFERENT and old[part] != new[part]
    ]


_ALWAYS_DIFFERENT = ("revision", "updated_at", "seen", "concepts")


def _short(value: object) -> str:
    if value is None or value == []:
        return "nothing"
    if isinstance(value, list):
        return ", ".join(str(item) for item in cast("list[object]", value))
    return cut(" ".join(str(value).split()), _PREVIEW)
