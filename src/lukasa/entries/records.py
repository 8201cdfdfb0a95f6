"""Records: entries, links and changes as plain JSON objects, out and in again.

`lines_of` writes the lossless form, one object a line: a header, then each entry with its history,
then the links. `Intake` takes records back: an id that is there already is left alone, and so
is a text that the space knows; so the same import twice changes nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from lukasa.clock import check_instant, parse_time, to_rfc3339
from lukasa.db import as_json
from lukasa.entries.entry import TIMES, Entry
from lukasa.entries.fields import (
    Door,
    Fields,
    clean,
    clean_content,
    clean_json,
    clean_name,
    clean_score,
    clean_text,
)
from lukasa.entries.indexing import add_to_index
from lukasa.entries.kinds import check_relation
from lukasa.entries.links import Link, check_apart, check_successor, close_validity, links_at, write_link
from lukasa.entries.reach import lock_space
from lukasa.entries.reading import Address, Change, changes, load_one, walk, with_state
from lukasa.entries.writing import check_free, draft_entry, write_change, write_names, write_tags
from lukasa.errors import UsageError
from lukasa.ids import is_id
from lukasa.scope import check_agent, check_space

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lukasa.db import Database
    from lukasa.db.database import Json
    from lukasa.entries.reach import Reach

FORMAT = 1
_BATCH = 500
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
        self._unindexed: list[Entry] = []
        self._counts = {"added": 0, "known": 0, "links": 0, "links_without_end": 0}

    def take(self, record: Record) -> None:
        """One record of any type."""
        kind = record.get("type", "entry")
        if kind == "change":
            self._changes.append(_change_of(record, self._reach.door()))
            return
        self._write_pending()
        if kind == "entry":
            self._entry = entry_of(self._reach, record, into=self._into)
        elif kind == "link":
            self._take_link(_link_of(record, self._reach.door()))
        elif kind != "lukasa" or record.get("format") != FORMAT:
            raise UsageError(
                f"Format {FORMAT} was wanted, found type {kind!r} of format {record.get('format')!r}.",
                fix="Export it again with this release.",
            )

    def finish(self) -> Intaken:
        """Writes what is still held, and the counters."""
        self._write_pending()
        self._write_index()
        now = self._reach.clock.now()
        for space, added in sorted(self._added.items()):
            self._reach.db.rows("release_without_link", space=space)
            lock_space(self._reach, space, now=now, added=added)
        return Intaken(**self._counts)

    def keep_numbers(self) -> None:
        """Takes the store's counter past the numbers that came along; last, as no sequence is rolled back."""
        if self._highest:
            self._reach.db.rows("raise_number", number=self._highest)

    def _lock(self, space: str) -> None:
        if space not in self._added:
            self._added[space] = 0
            lock_space(self._reach, space, now=self._reach.clock.now())

    def _write_pending(self) -> None:
        entry, past, self._entry, self._changes = self._entry, self._changes, None, []
        if entry is None:
            return
        self._lock(entry.space)
        if self._is_known(entry):
            self._counts["known"] += 1
            return
        self._write_new(entry, past)

    def _is_known(self, entry: Entry) -> bool:
        db = self._reach.db
        there = db.row("find_by_id", id=entry.id, spaces=as_json([entry.space]))
        said = there or db.row("find_by_fingerprint", space=entry.space, fingerprint=entry.fingerprint)
        return said is not None

    def _write_new(self, entry: Entry, past: list[Change]) -> None:
        whole = bool(past) and max(change.revision for change in past) == entry.revision
        _check_readable(entry, past)
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
        self._unindexed.append(entry)
        if len(self._unindexed) >= _BATCH:
            self._write_index()

    def _write_index(self) -> None:
        """The pieces of what came in, many at once: a model makes vectors faster so."""
        add_to_index(self._reach, self._unindexed)
        self._unindexed.clear()

    def _number(self, wanted: int) -> int:
        if not self._keeps_numbers:
            row = self._reach.db.row("next_number")
            return row.integer("number") if row else 0
        kept = wanted if wanted > 0 and wanted not in self._numbers else self._highest + 1
        self._numbers.add(kept)
        self._highest = max(self._highest, kept)
        return kept

    def _take_link(self, link: Link) -> None:
        db = self._reach.db
        if self._into:
            link = replace(link, space=self._into, to_space=self._into)
        start, end = Address(link.space, link.from_id), Address(link.to_space, link.to_id)
        check_apart(start, end)
        ends = [db.row("find_by_id", id=one.id, spaces=as_json([one.space])) for one in (start, end)]
        if None in ends:
            self._counts["links_without_end"] += 1
            return
        self._counts["links"] += 1
        if db.row("find_edge", **link.key()) is None:
            self._join(link, end)

    def _join(self, link: Link, end: Address) -> None:
        now = self._reach.clock.now()
        for space in sorted({link.space, link.to_space}):
            self._lock(space)
        if link.relation == "supersedes":
            check_successor(self._reach.db, link)
            old = load_one(self._reach.db, end)
            if old.superseded_at is None:
                close_validity(self._reach, old, link, now)
        write_link(self._reach.db, link)


def _beginning(reach: Reach) -> Change:
    now = reach.clock.now()
    return Change(revision=1, operation="import", actor=reach.agent, at=now, before=None, undoes=None)


def _check_readable(entry: Entry, past: list[Change]) -> None:
    """Refuses a history that undo and `as_of` could not read back."""
    for change in past:
        if change.before is None:
            continue
        try:
            with_state(entry, change.before)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UsageError(
                f"Change {change.revision} of entry {entry.id} has a state that cannot be read.",
                fix="Check the file.",
            ) from error


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
    own_id = record.get("id")
    aliases = dict.fromkeys(clean_name(str(name), door) for name in _list(record, "aliases"))
    return draft.changed(
        id=own_id if isinstance(own_id, str) and is_id(own_id) else draft.id,
        number=_integer(record, "number") or _integer(record, "id") or 0,
        space=space,
        agent_id=reach.agent if into else check_agent(_text(record, "agent_id") or reach.agent),
        aliases=tuple(name for name in aliases if name != draft.name),
        seen=max(1, _integer(record, "seen") or 1),
        revision=max(1, _integer(record, "revision") or 1),
        class_given=bool(record.get("class_given", given.get("entry_class") is not None)),
        expiry_given=bool(record.get("expiry_given", record.get("expires_at") is not None)),
        superseded_by=_text(record, "superseded_by") if record.get("superseded_at") else None,
        **_moments_of(record, draft, door.now),
    )


def _moments_of(record: Record, draft: Entry, now: int) -> dict[str, int | None]:
    moments: dict[str, int | None] = {
        column: _time(record, column, now) for column in TIMES if record.get(column) is not None
    }
    if "created_at" in moments:
        moments.setdefault("updated_at", moments["created_at"])
    if record.get("expiry_given"):
        moments.setdefault("expires_at", None)
    if draft.status == "open":
        moments["completed_at"] = None
    return moments


def _fields_of(record: Record) -> Fields:
    named = {"entry_class": record.get("class"), **{key: record.get(key) for key in _FIELDS}}
    fields = cast("Fields", {key: value for key, value in named.items() if value is not None})
    for key, value in fields.items():
        if not isinstance(value, _FIELDS.get(key, str)):
            raise UsageError(
                f"The {key} of a record should be {_NAMED[_FIELDS.get(key, str)]}, found {value!r}.",
                fix="Check the file.",
            )
    if "tags" in fields:
        fields["tags"] = [str(tag) for tag in _list(record, "tags")]
    return fields


_Shape = type | tuple[type, ...]
_NUMBER = (int, float)
_NAMED: dict[_Shape, str] = {
    str: "a text",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    _NUMBER: "a number",
}
_FIELDS: dict[str, _Shape] = {
    "kind": str,
    "category": str,
    "tags": list,
    "summary": str,
    "name": str,
    "importance": _NUMBER,
    "confidence": _NUMBER,
    "pinned": bool,
    "status": str,
    "source_type": str,
    "source_id": str,
    "session_id": str,
    "metadata": dict,
    "context": str,
}


def _text(record: Record, key: str) -> str | None:
    value = record.get(key)
    return value if isinstance(value, str) and value else None


def _integer(record: Record, key: str) -> int | None:
    value = record.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    if abs(value) > _LARGEST:
        raise UsageError(f"The {key} of a record is {value}, beyond what is counted.", fix="Check the file.")
    return value


_LARGEST = 2**53


def _list(record: Record, key: str) -> list[Json]:
    value = record.get(key)
    if value is not None and not isinstance(value, list):
        raise UsageError(f"The {key} of a record should be a list, found {value!r}.", fix="Check the file.")
    return value or []


def _time(record: Record, key: str, now: int) -> int:
    value = record[key]
    if isinstance(value, str):
        return parse_time(value, now=now)
    if isinstance(value, int):
        return check_instant(value)
    raise UsageError(f"A time was wanted as {key}, found {value!r}.", fix="Write it as 2026-05-01T10:00:00Z.")


def _change_of(record: Record, door: Door) -> Change:
    before = _text(record, "before")
    return Change(
        revision=_integer(record, "revision") or 0,
        operation=_text(record, "operation") or "import",
        actor=check_agent(_text(record, "actor") or ""),
        at=_time(record, "at", 0),
        before=_clean_state(before, door) if before else None,
        undoes=_integer(record, "undoes"),
    )


def _clean_state(text: str, door: Door) -> str:
    """An earlier state through the same door; one with nothing to take out stays as it is, to the letter."""
    try:
        kept = cast("Json", json.loads(text))
    except ValueError as error:
        raise UsageError(
            f"A change has a state that is not JSON text: {error}.", fix="Check the file."
        ) from error
    cleaned = clean_json(kept, door)
    return text if cleaned == kept else json.dumps(cleaned, ensure_ascii=False)


def _link_of(record: Record, door: Door) -> Link:
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
        provenance=clean_text(_text(record, "provenance"), "provenance", door),
        created_at=_time(record, "created_at", 0),
    )
