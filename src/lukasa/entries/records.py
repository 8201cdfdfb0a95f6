"""Records: entries, links and changes as plain JSON objects, out and in again.

`lines_of` writes the lossless form, one object a line: a header, then each entry with its history,
then the links. `Intake` takes records back: an id that is there already is left alone, and so
is a text that the space knows; so the same import twice changes nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lukasa.clock import parse_time, to_rfc3339
from lukasa.db import as_json
from lukasa.entries.entry import TIMES, Entry
from lukasa.entries.fields import Fields, clean, clean_content, clean_name, clean_score
from lukasa.entries.kinds import check_relation
from lukasa.entries.links import Link, links_at
from lukasa.entries.reach import lock_space
from lukasa.entries.reading import Address, Change, changes, walk
from lukasa.entries.writing import check_free, draft_entry, find_twin, write_change, write_names, write_tags
from lukasa.errors import UsageError
from lukasa.ids import is_id
from lukasa.scope import check_agent, check_space

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lukasa.db import Database
    from lukasa.db.database import Json
    from lukasa.entries.reach import Reach

FORMAT = 1
Record = dict[str, "Json"]


def lines_of(db: Database, spaces: Sequence[str], entries: Iterator[Entry]) -> Iterator[str]:
    """The lossless form of the entries of these spaces, a JSON object a line; the links come last."""
    yield _line({"type": "lukasa", "format": FORMAT, "spaces": list(spaces)})
    for entry in entries:
        yield _line({"type": "entry", **entry.plain()})
        for change in changes(db, Address(entry.space, entry.id)):
            yield _line(
                {
                    "type": "change",
                    "entry_id": entry.id,
                    "revision": change.revision,
                    "operation": change.operation,
                    "actor": change.actor,
                    "at": to_rfc3339(change.at),
                    "before": change.before,
                    "undoes": change.undoes,
                }
            )
    for entry in walk(db, spaces):
        for link in links_at(db, [entry.id], spaces):
            if link.from_id == entry.id:
                yield _line(_link_record(link))


def _link_record(link: Link) -> Record:
    return {
        "type": "link",
        "space": link.space,
        "from_id": link.from_id,
        "relation": link.relation,
        "to_space": link.to_space,
        "to_id": link.to_id,
        "weight": link.weight,
        "provenance": link.provenance,
        "created_at": to_rfc3339(link.created_at),
    }


def _line(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Intaken:
    """What an import brought: how many entries were new, how many known, and which links."""

    added: int
    known: int
    links: int
    links_without_end: int


class Intake:
    """Takes records into a store, within one transaction that the caller holds.

    An agent's own import (`into` a space) stays in that space whatever the records say. Numbers
    are kept by a store that has given none yet; any other gives its own.
    """

    def __init__(self, reach: Reach, *, into: str | None) -> None:
        self._reach = reach
        self._into = into
        last = reach.db.row("last_number")
        self._keeps_numbers = last is None or last.integer("number") == 0
        self._numbers: set[int] = set()
        self._highest = 0
        self._added: dict[str, int] = {}
        self._entry: Entry | None = None
        self._changes: list[Change] = []
        self._counts = {"added": 0, "known": 0, "links": 0, "links_without_end": 0}

    def take(self, record: Record) -> None:
        """One record of any type."""
        kind = record.get("type", "entry")
        if kind == "change":
            self._changes.append(_change_of(record))
            return
        self._write_pending()
        if kind == "entry":
            self._entry = entry_of(self._reach, record, into=self._into)
        elif kind == "link":
            self._take_link(_link_of(record))
        elif kind != "lukasa" or record.get("format") != FORMAT:
            raise UsageError(
                f"Format {FORMAT} was wanted, found type {kind!r} of format {record.get('format')!r}.",
                fix="Export it again with this release.",
            )

    def finish(self) -> Intaken:
        """Writes what is still held, and the counters."""
        self._write_pending()
        now = self._reach.clock.now()
        for space, added in sorted(self._added.items()):
            self._reach.db.rows("release_without_link", space=space)
            lock_space(self._reach, space, now=now, added=added)
        if self._highest:
            self._reach.db.rows("raise_number", number=self._highest)
        return Intaken(**self._counts)

    def _write_pending(self) -> None:
        entry, past, self._entry, self._changes = self._entry, self._changes, None, []
        if entry is None:
            return
        if entry.space not in self._added:
            self._added[entry.space] = 0
            lock_space(self._reach, entry.space, now=self._reach.clock.now())
        if self._is_known(entry):
            self._counts["known"] += 1
            return
        self._write_new(entry, past)

    def _is_known(self, entry: Entry) -> bool:
        there = self._reach.db.row("find_by_id", id=entry.id, spaces=as_json([entry.space]))
        return there is not None or find_twin(self._reach, entry.space, entry) is not None

    def _write_new(self, entry: Entry, past: list[Change]) -> None:
        whole = bool(past) and max(change.revision for change in past) == entry.revision
        entry = entry.changed(number=self._number(entry.number), revision=entry.revision if whole else 1)
        for name in (entry.name, *entry.aliases):
            if name is not None:
                check_free(self._reach, entry.space, name)
        self._reach.db.rows("add_entry", **entry.columns())
        write_names(self._reach, entry)
        write_tags(self._reach, entry)
        for change in past if whole else [_beginning(self._reach)]:
            write_change(self._reach.db, entry, change)
        self._added[entry.space] += 1
        self._counts["added"] += 1

    def _number(self, wanted: int) -> int:
        if self._keeps_numbers and wanted > 0 and wanted not in self._numbers:
            self._numbers.add(wanted)
            self._highest = max(self._highest, wanted)
            return wanted
        if self._numbers:
            self._reach.db.rows("raise_number", number=self._highest)
            self._numbers.clear()
            self._keeps_numbers = False
        row = self._reach.db.row("next_number")
        return row.integer("number") if row else 0

    def _take_link(self, link: Link) -> None:
        db = self._reach.db
        spaces = (self._into, self._into) if self._into else (link.space, link.to_space)
        ends = [
            db.row("find_by_id", id=one, spaces=as_json([space]))
            for one, space in zip((link.from_id, link.to_id), spaces, strict=True)
        ]
        if None in ends:
            self._counts["links_without_end"] += 1
            return
        db.rows(
            "add_edge",
            space=spaces[0],
            from_id=link.from_id,
            to_id=link.to_id,
            relation=link.relation,
            to_space=spaces[1],
            weight=link.weight,
            provenance=link.provenance,
            now=link.created_at,
        )
        self._counts["links"] += 1


def _beginning(reach: Reach) -> Change:
    now = reach.clock.now()
    return Change(revision=1, operation="import", actor=reach.agent, at=now, before=None, undoes=None)


def entry_of(reach: Reach, record: Record, *, into: str | None) -> Entry:
    """The entry that a record describes, through the same door as any other; it must have a content."""
    content = record.get("content")
    if not isinstance(content, str):
        raise UsageError(
            f"A record with a content was wanted, found {sorted(record)}.", fix="Check the file."
        )
    door = reach.door()
    given = clean(_fields_of(record), door)
    draft = draft_entry(reach, clean_content(content, door), given, door.now)
    space = into or check_space(_text(record, "space") or reach.home)
    moments = {column: _time(record, column, door.now) for column in TIMES if record.get(column) is not None}
    own_id = record.get("id")
    return draft.changed(
        id=own_id if isinstance(own_id, str) and is_id(own_id) else draft.id,
        number=_integer(record, "number") or _integer(record, "id") or 0,
        space=space,
        agent_id=check_agent(_text(record, "agent_id") or reach.agent),
        aliases=tuple(clean_name(str(name), door) for name in _list(record, "aliases")),
        seen=max(1, _integer(record, "seen") or 1),
        revision=max(1, _integer(record, "revision") or 1),
        class_given=bool(record.get("class_given", given.get("entry_class") is not None)),
        expiry_given=bool(record.get("expiry_given", record.get("expires_at") is not None)),
        superseded_by=_text(record, "superseded_by") if record.get("superseded_at") else None,
        **({"updated_at": moments["created_at"]} if "created_at" in moments else {}) | moments,
    )


def _fields_of(record: Record) -> Fields:
    named = {"entry_class": record.get("class"), **{key: record.get(key) for key in _FIELDS}}
    fields = cast("Fields", {key: value for key, value in named.items() if value is not None})
    if "tags" in fields:
        fields["tags"] = [str(tag) for tag in _list(record, "tags")]
    if not isinstance(fields.get("metadata", {}), dict):
        raise UsageError("The metadata of a record should be an object.", fix="Check the file.")
    return fields


_FIELDS = (
    "kind",
    "category",
    "tags",
    "summary",
    "name",
    "importance",
    "confidence",
    "pinned",
    "status",
    "source_type",
    "source_id",
    "session_id",
    "metadata",
    "context",
)


def _text(record: Record, key: str) -> str | None:
    value = record.get(key)
    return value if isinstance(value, str) and value else None


def _integer(record: Record, key: str) -> int | None:
    value = record.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _list(record: Record, key: str) -> list[Json]:
    value = record.get(key)
    return value if isinstance(value, list) else []


def _time(record: Record, key: str, now: int) -> int:
    value = record[key]
    if isinstance(value, str):
        return parse_time(value, now=now)
    if isinstance(value, int):
        return value
    raise UsageError(f"A time was wanted as {key}, found {value!r}.", fix="Write it as 2026-05-01T10:00:00Z.")


def _change_of(record: Record) -> Change:
    before = _text(record, "before")
    return Change(
        revision=_integer(record, "revision") or 0,
        operation=_text(record, "operation") or "import",
        actor=check_agent(_text(record, "actor") or ""),
        at=_time(record, "at", 0),
        before=before,
        undoes=_integer(record, "undoes"),
    )


def _link_of(record: Record) -> Link:
    weight = record.get("weight", 1.0)
    if not isinstance(weight, (int, float)):
        raise UsageError(f"A weight from 0 to 1 was wanted, found {weight!r}.", fix="Check the file.")
    return Link(
        from_id=_text(record, "from_id") or "",
        to_id=_text(record, "to_id") or "",
        relation=check_relation(_text(record, "relation") or ""),
        space=check_space(_text(record, "space") or ""),
        to_space=check_space(_text(record, "to_space") or ""),
        weight=clean_score(weight, "weight"),
        provenance=_text(record, "provenance"),
        created_at=_time(record, "created_at", 0),
    )
