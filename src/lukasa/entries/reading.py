"""Reading entries: by name, id or number, in pages, as they were, and how they changed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, replace
from types import NoneType
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

from lukasa.clock import check_instant, parse_past, to_millis
from lukasa.db import as_json
from lukasa.entries.entry import Entry, entry_from, metadata_from
from lukasa.entries.fields import clean_category, spell_tags, storable
from lukasa.entries.kinds import check_class, check_kind, check_status
from lukasa.errors import NotFoundError, UsageError
from lukasa.ids import is_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from lukasa.db import Database, Row
    from lukasa.entries.reach import Reach

Ref = int | str
MAX_PAGE = 1_000
_END_OF_TIME = 2**62
_MAX_DIGITS = 18
_CURSOR = re.compile(r"(-?[0-9]{1,18}):([0-9]{1,18})\Z")


class Narrowing(TypedDict, total=False):
    """What a list or a recall may be narrowed by; each is a must, and tags must all be there."""

    scope: str | None
    kinds: Sequence[str]
    classes: Sequence[str]
    category: str | None
    status: str | None
    tags: Sequence[str]
    text: str | None
    source_type: str | None
    source_id: str | None
    session_id: str | None
    since: int | str | datetime | None
    until: int | str | datetime | None


class Filters(Narrowing, total=False):
    """What a list may be narrowed by; `hidden` lets expired and superseded entries in."""

    hidden: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """Some entries, and what to ask for to get the next ones; None at the end."""

    entries: tuple[Entry, ...]
    after: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One line of an entry's history: the state `before` is None for its beginning."""

    revision: int
    operation: str
    actor: str
    at: int
    before: str | None
    undoes: int | None


@dataclass(frozen=True, slots=True)
class Address:
    """Where an entry stands."""

    space: str
    id: str


def locate(reach: Reach, ref: Ref, spaces: tuple[str, ...]) -> Address:
    """Where the entry of a name, alias, id or number stands; a name is tried first, the own space first."""
    found = _candidates(reach.db, ref, as_json(spaces))
    if not found:
        raise NotFoundError(wanted=f"entry {ref!r}", near=_nearest(reach, ref, spaces))
    return _first(found, spaces)


def _first(found: list[Row], spaces: tuple[str, ...]) -> Address:
    best = min(found, key=lambda row: spaces.index(row.text("space")))
    return Address(best.text("space"), best.text("id"))


def _candidates(db: Database, ref: Ref, spaces: str) -> list[Row]:
    if isinstance(ref, int):
        return db.rows("find_by_number", number=ref, spaces=spaces) if abs(ref) < _END_OF_TIME else []
    if not _is_storable(ref):
        return []
    text = ref.strip()
    found = db.rows("find_by_name", name=unicodedata.normalize("NFC", text), spaces=spaces)
    if not found and is_id(text):
        return db.rows("find_by_id", id=text, spaces=spaces)
    digits = text.removeprefix("#")
    if not found and digits.isdecimal() and digits.isascii() and len(digits) <= _MAX_DIGITS:
        return db.rows("find_by_number", number=int(digits), spaces=spaces)
    return found


def addresses_named(db: Database, text: str, spaces: Sequence[str]) -> list[Address]:
    """The entries that have a text as their name or alias."""
    if not _is_storable(text):
        return []
    name = unicodedata.normalize("NFC", text.strip())
    rows = db.rows("find_by_name", name=name, spaces=as_json(spaces))
    return [Address(row.text("space"), row.text("id")) for row in rows]


def _is_storable(text: str) -> bool:
    """Whether anything can be called so."""
    try:
        storable(text, "name")
    except UsageError:
        return False
    return True


def _nearest(reach: Reach, ref: Ref, spaces: tuple[str, ...]) -> list[str]:
    if isinstance(ref, int):
        return []
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistyped name needs it

    names = sorted(row.text("name") for row in reach.db.rows("list_names", spaces=as_json(spaces)))
    return get_close_matches(ref, names, n=3, cutoff=0.5)


def load(db: Database, addresses: Sequence[Address]) -> list[Entry]:
    """The entries at these addresses, in their order; one that has gone meanwhile is left out."""
    if not addresses:
        return []
    spaces = as_json(sorted({address.space for address in addresses}))
    ids = as_json([address.id for address in addresses])
    names, tags = (
        _grouped(db.rows("get_names", spaces=spaces, ids=ids)),
        _grouped(db.rows("get_tags", spaces=spaces, ids=ids)),
    )
    rows = {
        (row.text("space"), row.text("id")): row for row in db.rows("get_entries", spaces=spaces, ids=ids)
    }
    keys = [(address.space, address.id) for address in addresses]
    return [entry_from(rows[key], names[key], tags[key]) for key in keys if key in rows]


def _grouped(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.text("space"), row.text("entry_id")].append(row)
    return groups


def load_one(db: Database, address: Address) -> Entry:
    """The entry at an address."""
    found = load(db, [address])
    if not found:
        raise NotFoundError(wanted=f"entry {address.id!r}")
    return found[0]


def get(reach: Reach, ref: Ref, *, scope: str | None = None) -> Entry:
    """The entry of a name, alias, id or number; an error where there is none in sight."""
    with reach.db.transaction(write=False):
        return load_one(reach.db, locate(reach, ref, reach.narrowed(scope)))


def find(reach: Reach, ref: Ref, *, scope: str | None = None) -> Entry | None:
    """The entry of a name, alias, id or number, or None."""
    spaces = reach.narrowed(scope)
    with reach.db.transaction(write=False):
        found = _candidates(reach.db, ref, as_json(spaces))
        return load_one(reach.db, _first(found, spaces)) if found else None


def list_page(reach: Reach, *, limit: int, after: str | None, **filters: Unpack[Filters]) -> Page:
    """One page of what is in sight, newest first; expired and superseded only where `hidden` is asked for."""
    if not 1 <= limit <= MAX_PAGE:
        raise UsageError(
            f"A limit of 1 to {MAX_PAGE} was wanted, found {limit}.", fix="Ask for the next page."
        )
    with reach.db.transaction(write=False):
        rows = matching(reach, filters, limit=limit + 1, after=after)
        entries = load(reach.db, [Address(row.text("space"), row.text("id")) for row in rows[:limit]])
    last = rows[limit - 1] if len(rows) > limit else None
    return Page(
        entries=tuple(entries),
        after=f"{last.integer('created_at')}:{last.integer('number')}" if last else None,
    )


def matching(
    reach: Reach, filters: Filters, *, limit: int = _END_OF_TIME, after: str | None = None
) -> list[Row]:
    """Where the entries are that the filters let through, newest first."""
    time, number = _cursor(after)
    now = reach.clock.now()
    tags = spell_tags(filters.get("tags", ()))
    return reach.db.rows(
        "list_entries",
        spaces=as_json(reach.narrowed(filters.get("scope"))),
        before_time=time,
        before_number=number,
        hidden=int(filters.get("hidden", False)),
        now=now,
        kinds=_list_of([check_kind(kind) for kind in filters.get("kinds", ())]),
        classes=_list_of([check_class(name) for name in filters.get("classes", ())]),
        category=_spelled(filters.get("category"), clean_category),
        status=_spelled(filters.get("status"), check_status),
        source_type=_spelled(filters.get("source_type"), str.strip),
        source_id=_spelled(filters.get("source_id"), str.strip),
        session_id=_spelled(filters.get("session_id"), str.strip),
        since=moment_of(filters.get("since"), now),
        until=moment_of(filters.get("until"), now),
        text=_spelled(filters.get("text"), str.lower),
        tags=as_json(tags),
        tag_count=len(tags),
        limit=limit,
    )


def lets_through(entry: Entry, filters: Narrowing, now: int) -> bool:
    """Whether filters let through an entry that is not as it is stored; `matching` says it of the others."""
    same = (
        ("category", clean_category, entry.category),
        ("status", check_status, entry.status),
        ("source_type", str.strip, entry.source_type),
        ("source_id", str.strip, entry.source_id),
        ("session_id", str.strip, entry.session_id),
    )
    wanted = [(_spelled(filters.get(name), spell), found) for name, spell, found in same]
    since, until = moment_of(filters.get("since"), now), moment_of(filters.get("until"), now)
    kinds, classes = filters.get("kinds", ()), filters.get("classes", ())
    text = _spelled(filters.get("text"), str.lower)
    return (
        all(one is None or one == found for one, found in wanted)
        and (not kinds or entry.kind in kinds)
        and (not classes or entry.entry_class in classes)
        and (since is None or entry.created_at >= since)
        and (until is None or entry.created_at < until)
        and set(spell_tags(filters.get("tags", ()))) <= set(entry.tags)
        and (text is None or any(text in part.lower() for part in _looked_through(entry)))
    )


def _looked_through(entry: Entry) -> list[str]:
    return [part for part in (entry.content, entry.summary, entry.name) if part]


def _cursor(after: str | None) -> tuple[int, int]:
    if after is None:
        return _END_OF_TIME, _END_OF_TIME
    mark = _CURSOR.match(after)
    if mark is None:
        raise UsageError(
            f"A page mark was wanted, found {after!r}.", fix="Pass the `after` of the page before."
        )
    return int(mark[1]), int(mark[2])


def _spelled(text: str | None, spell: Callable[[str], str]) -> str | None:
    """A filter in the spelling in which what it looks for is stored."""
    return None if text is None else spell(storable(text, "filter"))


def _list_of(values: Sequence[str]) -> str | None:
    return as_json(values) if values else None


def moment_of(value: int | str | datetime | None, now: int) -> int | None:
    """The instant that a caller means, in milliseconds; a span such as `7d` counts back from now."""
    if value is None:
        return None
    if isinstance(value, int):
        return check_instant(value)
    return parse_past(value, now=now) if isinstance(value, str) else to_millis(value)


def walk(db: Database, spaces: Sequence[str]) -> Iterator[Entry]:
    """Every entry of the spaces, space by space in the order of their numbers, a page in memory at a time."""
    for page in walk_addresses(db, spaces):
        yield from load(db, page)


def walk_addresses(db: Database, spaces: Sequence[str], *, step: int = 500) -> Iterator[list[Address]]:
    """Where every entry of the spaces stands, in pages."""
    for space in spaces:
        after = 0
        while rows := db.rows("walk_entries", space=space, after=after, limit=step):
            yield [Address(row.text("space"), row.text("id")) for row in rows]
            after = rows[-1].integer("number")


def changes(db: Database, address: Address) -> list[Change]:
    """All changes of one entry, oldest first."""
    return [
        Change(
            revision=row.integer("revision"),
            operation=row.text("operation"),
            actor=row.text("actor"),
            at=row.integer("at"),
            before=row.maybe_text("before"),
            undoes=row.maybe_integer("undoes"),
        )
        for row in db.rows("list_history", space=address.space, id=address.id)
    ]


def history(reach: Reach, ref: Ref) -> tuple[Change, ...]:
    """All changes of the entry that `ref` means, oldest first."""
    with reach.db.transaction(write=False):
        return tuple(changes(reach.db, locate(reach, ref, reach.readable())))


def get_as_of(reach: Reach, ref: Ref, moment: int | str | datetime, *, scope: str | None) -> Entry:
    """The entry as it was at a moment; an error if it did not exist then."""
    then = moment_of(moment, reach.clock.now())
    with reach.db.transaction(write=False):
        address = locate(reach, ref, reach.narrowed(scope))
        entry = load_one(reach.db, address)
        later = reach.db.row("state_as_of", space=address.space, id=address.id, moment=then)
    if later is None:
        return entry
    before = later.maybe_text("before")
    if before is None:
        raise NotFoundError(wanted=f"entry {ref!r} at that time")
    return with_state(entry, before)


def with_state(entry: Entry, state: str) -> Entry:
    """The entry with all that can change taken from a kept state."""
    kept = cast("dict[str, object]", json.loads(state))
    for field, types in _AS_IS.items():
        if not isinstance(kept[field], types):
            raise TypeError(f"{field} is {kept[field]!r}")
    return replace(
        entry,
        kind=check_kind(str(kept["kind"])),
        entry_class=check_class(str(kept["class"])),
        class_given=bool(kept["class_given"]),
        pinned=bool(kept["pinned"]),
        expiry_given=bool(kept["expiry_given"]),
        status=check_status(str(kept["status"])),
        metadata=metadata_from(str(kept["metadata"])),
        aliases=tuple(cast("list[str]", kept["aliases"])),
        tags=tuple(cast("list[str]", kept["tags"])),
        concepts=tuple(cast("list[str]", kept["concepts"])),
        **{field: kept[field] for field in _AS_IS},  # type: ignore[arg-type]
    )


_MAYBE_TEXT = (str, NoneType)
_MAYBE_TIME = (int, NoneType)
_AS_IS: dict[str, type | tuple[type, ...]] = {
    "category": str,
    "content": str,
    "summary": _MAYBE_TEXT,
    "name": _MAYBE_TEXT,
    "importance": (int, float),
    "confidence": (int, float),
    "seen": int,
    "source_type": _MAYBE_TEXT,
    "source_id": _MAYBE_TEXT,
    "session_id": _MAYBE_TEXT,
    "context": _MAYBE_TEXT,
    "updated_at": int,
    "expires_at": _MAYBE_TIME,
    "completed_at": _MAYBE_TIME,
    "superseded_at": _MAYBE_TIME,
    "superseded_by": _MAYBE_TEXT,
    "revision": int,
}
