"""Writing entries: remember, update, complete, undo, and the one way in which a row changes.

Always true: an operation is one transaction that first locks the entry's space; a change writes
the row, its names and tags, and the state that it replaced; the same thing said twice in a space
is one entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast

from lukasa.db import as_json
from lukasa.entries.entry import Entry, fingerprint
from lukasa.entries.fields import Fields, clean, clean_content
from lukasa.entries.indexing import add_to_index, remove_from_index, update_index
from lukasa.entries.kinds import Status, check_class, check_kind, check_status, class_of, expiry, infer_kind
from lukasa.entries.reach import lock_space
from lukasa.entries.reading import Address, Change, Ref, changes, load_one, locate, moment_of, with_state
from lukasa.errors import ConflictError, DuplicateError, UsageError
from lukasa.ids import new_id
from lukasa.text import concept_tags

if TYPE_CHECKING:
    from datetime import datetime

    from lukasa.db import Database
    from lukasa.entries.reach import Reach

_UNTOUCHED_BY_UNDO = ("superseded_at", "superseded_by", "seen", "revision", "updated_at")


def remember(
    reach: Reach,
    content: str,
    *,
    scope: str | None = None,
    at: int | str | datetime | None = None,
    **fields: Unpack[Fields],
) -> Entry:
    """A new memory, or the one that says the same already, seen once more; `at` is when it was."""
    door = reach.door()
    given = clean(fields, door)
    draft = draft_entry(reach, clean_content(content, door), given, door.now)
    moment = moment_of(at, door.now)
    if moment is not None:
        draft = draft.changed(created_at=moment)
    space = reach.place(scope)
    with reach.db.transaction():
        lock_space(reach, space, now=door.now, added=1)
        twin = find_twin(reach, space, draft)
        if twin is not None:
            lock_space(reach, space, now=door.now, added=-1)
            return _see_again(reach, twin, draft, given)
        entry = insert_entry(reach, draft, space)
        _make_room(reach, entry)
    return entry


def draft_entry(reach: Reach, content: str, given: Fields, now: int) -> Entry:
    """The entry that the fields describe, with every default decided; its place and number are not."""
    inferred, inferred_class = infer_kind(content)
    kind = check_kind(given.get("kind") or inferred)
    entry_class = given.get("entry_class") or (inferred_class if kind == inferred else class_of(kind))
    status = check_status(given.get("status", "open"))
    draft = Entry(
        number=0,
        id=new_id(now),
        space="",
        agent_id=reach.agent,
        kind=kind,
        entry_class=check_class(entry_class),
        class_given=bool(given.get("entry_class")),
        category=given.get("category") or "general",
        content=content,
        summary=given.get("summary"),
        name=given.get("name"),
        aliases=(),
        tags=tuple(given.get("tags", ())),
        concepts=_concepts(content, given.get("tags", ())),
        importance=given.get("importance", 0.5),
        confidence=given.get("confidence", 0.7),
        pinned=given.get("pinned", False),
        status=status,
        seen=1,
        source_type=given.get("source_type"),
        source_id=given.get("source_id"),
        session_id=given.get("session_id"),
        metadata=given.get("metadata") or {},
        context=given.get("context"),
        created_at=now,
        updated_at=now,
        expires_at=None,
        expiry_given=False,
        completed_at=None if status == "open" else now,
        superseded_at=None,
        superseded_by=None,
        revision=1,
    )
    return _with_expiry(reach, draft, given, now)


def _concepts(content: str, tags: object) -> tuple[str, ...]:
    given = set(cast("tuple[str, ...]", tags))
    return tuple(tag for tag in concept_tags(content) if tag not in given)


def _with_expiry(reach: Reach, entry: Entry, given: Fields, now: int) -> Entry:
    """The date that was given, else the one that the class gives from now on."""
    wanted = given.get("expires_at")
    if wanted is not None:
        explicit = None if wanted == "never" else cast("int", wanted)
        return entry.changed(expires_at=explicit, expiry_given=True)
    span = expiry(
        kind=entry.kind,
        entry_class=entry.entry_class,
        status=entry.status,
        now=now,
        retention=reach.settings.retention,
    )
    return entry.changed(expires_at=span, expiry_given=False)


def find_twin(reach: Reach, space: str, draft: Entry) -> Entry | None:
    """The entry of the space that says the same already."""
    said = fingerprint(draft.kind, draft.name, draft.content)
    row = reach.db.row("find_by_fingerprint", space=space, fingerprint=said)
    return load_one(reach.db, Address(space, row.text("id"))) if row else None


def _see_again(reach: Reach, twin: Entry, draft: Entry, given: Fields) -> Entry:
    """Counts the repetition; what was said anew with it (tags, summary, …) is taken in."""
    now = draft.created_at
    lives_until = twin.expires_at
    if not twin.expiry_given and twin.status == draft.status:
        lives_until = _with_expiry(reach, twin, {}, now).expires_at
    reach.db.rows("see_entry", space=twin.space, id=twin.id, now=now, expires_at=lives_until)
    reach.db.rows("touch_chunks", space=twin.space, owner=twin.id)
    seen = twin.changed(seen=twin.seen + 1, updated_at=now, expires_at=lives_until)
    news: Fields = {key: value for key, value in given.items() if key not in {"kind", "name"}}  # type: ignore[assignment]
    if "tags" in news:
        news["tags"] = tuple(dict.fromkeys((*twin.tags, *news["tags"])))[:16]
    if twin.status != "open" and "status" not in news:
        news["status"] = "open"
    if twin.expires_at is not None and twin.expiry_given and twin.expires_at <= now:
        news.setdefault("expires_at", None)
    wanted = _apply(reach, seen, news, now)
    return seen if wanted.state() == seen.state() else store_change(reach, seen, wanted, "update", now)


def insert_entry(reach: Reach, draft: Entry, space: str) -> Entry:
    """Writes a new entry with its names, its tags and the beginning of its history."""
    if draft.name is not None:
        check_free(reach, space, draft.name)
    row = reach.db.row("next_number")
    entry = draft.changed(space=space, number=row.integer("number") if row else 0)
    reach.db.rows("add_entry", **entry.columns())
    write_names(reach, entry)
    write_tags(reach, entry)
    note_change(reach, entry, "add", None, None)
    add_to_index(reach, [entry])
    return entry


def write_names(reach: Reach, entry: Entry) -> None:
    """The name and aliases of an entry, in their order."""
    names = ((entry.name,) if entry.name is not None else ()) + entry.aliases
    if names:
        canonical = int(entry.name is not None)
        reach.db.rows("add_names", space=entry.space, id=entry.id, names=as_json(names), canonical=canonical)


def write_tags(reach: Reach, entry: Entry) -> None:
    """The tags of an entry: the user's first, then those that its text gave."""
    if entry.tags:
        reach.db.rows("add_tags", space=entry.space, id=entry.id, origin="user", tags=as_json(entry.tags))
    if entry.concepts:
        reach.db.rows(
            "add_tags", space=entry.space, id=entry.id, origin="concept", tags=as_json(entry.concepts)
        )


def note_change(reach: Reach, entry: Entry, operation: str, before: str | None, undoes: int | None) -> None:
    """The history row of the change that made `entry` what it is."""
    change = Change(
        revision=entry.revision,
        operation=operation,
        actor=reach.agent,
        at=entry.updated_at,
        before=before,
        undoes=undoes,
    )
    write_change(reach.db, entry, change)


def write_change(db: Database, entry: Entry, change: Change) -> None:
    """One history row, as it is."""
    db.rows(
        "add_history",
        space=entry.space,
        id=entry.id,
        revision=change.revision,
        operation=change.operation,
        actor=change.actor,
        at=change.at,
        before=change.before,
        undoes=change.undoes,
    )


def check_free(reach: Reach, space: str, name: str, *, owner: str | None = None) -> None:
    """Refuses a name or alias that another entry of the space has."""
    for row in reach.db.rows("find_by_name", name=name, spaces=as_json([space])):
        if row.text("id") != owner:
            raise DuplicateError(
                f"The name {name!r} is taken in {space}.",
                fix="Choose another, or write to the entry that has it.",
            )


def _make_room(reach: Reach, newest: Entry) -> None:
    """Keeps a capped space at its cap, at the cost of what is least worth keeping."""
    cap = reach.settings.max_memories
    if cap is None:
        return
    counted = reach.db.row("touch_space", space=newest.space, now=newest.created_at, added=0)
    over = counted.integer("entries") - cap if counted else 0
    if over > 0:
        spare = reach.db.rows(
            "least_worth", space=newest.space, keep=newest.id, now=newest.created_at, limit=over
        )
        for row in spare:
            erase(reach, Address(newest.space, row.text("id")), newest.created_at)


def erase(reach: Reach, address: Address, now: int) -> None:
    """Takes an entry away with all that hangs on it; the space must be locked."""
    where = {"space": address.space, "id": address.id}
    reach.db.rows("release_superseded", **where)
    reach.db.rows("remove_edges_to", **where)
    remove_from_index(reach.db, address.space, address.id)
    reach.db.rows("remove_entry", **where)
    lock_space(reach, address.space, now=now, added=-1)


def open_to_change(reach: Reach, ref: Ref, *, now: int, revision: int | None = None) -> Entry:
    """The entry that `ref` means, with its space locked; refused if it is not at the given revision."""
    address = locate(reach, ref, reach.readable())
    if address.space not in reach.writable():
        raise UsageError(
            f"{address.space} is bound for reading only.", fix="Bind it with shares= to write there."
        )
    lock_space(reach, address.space, now=now)
    entry = load_one(reach.db, locate(reach, ref, (address.space,)))
    if revision is not None and entry.revision != revision:
        raise ConflictError(
            f"Entry {entry.number} is at revision {entry.revision}, not {revision}.",
            fix="Read it again and retry.",
        )
    return entry


def update(
    reach: Reach,
    ref: Ref,
    *,
    content: str | None = None,
    revision: int | None = None,
    **fields: Unpack[Fields],
) -> Entry:
    """Changes the given parts of an entry; None clears a part that can be empty."""
    door = reach.door()
    given = clean(fields, door)
    if content is not None:
        content = clean_content(content, door)
    if content is None and not fields:
        raise UsageError("An update needs something to change.", fix="Give at least one field.")
    with reach.db.transaction():
        before = open_to_change(reach, ref, now=door.now, revision=revision)
        wanted = before if content is None else _with_content(before, content)
        return store_change(reach, before, _apply(reach, wanted, given, door.now, fields), "update", door.now)


def _with_content(entry: Entry, content: str) -> Entry:
    return entry.changed(content=content, concepts=_concepts(content, entry.tags))


def write(reach: Reach, name: Ref, content: str, *, revision: int | None = None) -> Entry:
    """Replaces the text of an entry; its id, time and kind stay."""
    door = reach.door()
    text = clean_content(content, door)
    with reach.db.transaction():
        before = open_to_change(reach, name, now=door.now, revision=revision)
        return store_change(reach, before, _with_content(before, text), "write", door.now)


def complete(reach: Reach, ref: Ref, *, status: Status = "completed") -> Entry:
    """Marks an entry as done or cancelled; a todo then lives thirty days more."""
    now = reach.clock.now()
    with reach.db.transaction():
        before = open_to_change(reach, ref, now=now)
        wanted = _apply(reach, before, {"status": check_status(status)}, now)
        return store_change(reach, before, wanted, "complete", now)


def _apply(reach: Reach, entry: Entry, given: Fields, now: int, asked: Fields | None = None) -> Entry:
    """The entry with the given parts; class and expiry follow where they were not chosen."""
    asked = given if asked is None else asked
    kind = check_kind(given.get("kind") or (infer_kind(entry.content)[0] if "kind" in asked else entry.kind))
    chosen_class = (
        entry.entry_class if entry.class_given and "entry_class" not in asked else given.get("entry_class")
    )
    stays = kind == entry.kind and "entry_class" not in asked
    entry_class = check_class(chosen_class or (entry.entry_class if stays else class_of(kind)))
    status = check_status(given.get("status", entry.status))
    changed = entry.changed(
        kind=kind,
        entry_class=entry_class,
        class_given=chosen_class is not None,
        status=status,
        completed_at=None if status == "open" else (entry.completed_at or now),
        **_plain_parts(given),
    )
    if changed.name in entry.aliases:
        changed = changed.changed(aliases=swapped_aliases(entry, changed.name))
    if "tags" in given:
        changed = changed.changed(concepts=_concepts(changed.content, changed.tags))
    moved = (kind, entry_class, status) != (entry.kind, entry.entry_class, entry.status)
    if "expires_at" in given or (moved and not entry.expiry_given):
        changed = _with_expiry(reach, changed, given, now)
    return changed


def swapped_aliases(entry: Entry, name: str | None) -> tuple[str, ...]:
    """The aliases once one of them, `name`, has become the name: the old name stands in its place."""
    swapped = (alias if alias != name else entry.name for alias in entry.aliases)
    return tuple(alias for alias in swapped if alias is not None)


def _plain_parts(given: Fields) -> dict[str, object]:
    """The given parts that go into an entry as they are."""
    decided = {"kind", "entry_class", "status", "expires_at"}
    return {key: value for key, value in given.items() if key not in decided}


def store_change(
    reach: Reach, before: Entry, after: Entry, operation: str, now: int, *, undoes: int | None = None
) -> Entry:
    """Writes a changed entry and what it was before; its space must be locked."""
    after = after.changed(revision=before.revision + 1, updated_at=now)
    if after.fingerprint != before.fingerprint:
        _check_unsaid(reach, after)
    written = reach.db.row("update_entry", was=before.revision, **after.columns())
    if written is None:
        raise ConflictError(f"Entry {before.number} was changed meanwhile.", fix="Read it again and retry.")
    if (after.name, after.aliases) != (before.name, before.aliases):
        for name in (after.name, *after.aliases):
            if name is not None:
                check_free(reach, after.space, name, owner=after.id)
        reach.db.rows("remove_names", space=after.space, id=after.id)
        write_names(reach, after)
    if (after.tags, after.concepts) != (before.tags, before.concepts):
        reach.db.rows("remove_tags", space=after.space, id=after.id)
        write_tags(reach, after)
    update_index(reach, before, after)
    note_change(reach, after, operation, before.state(), undoes)
    return after


def _check_unsaid(reach: Reach, entry: Entry) -> None:
    twin = reach.db.row("find_by_fingerprint", space=entry.space, fingerprint=entry.fingerprint)
    if twin is not None and twin.text("id") != entry.id:
        said = load_one(reach.db, Address(entry.space, twin.text("id")))
        raise DuplicateError(
            f"Entry {said.number} says the same already.",
            fix=f"Use entry {said.number}, or forget one of the two.",
        )


def undo(reach: Reach, ref: Ref) -> Entry:
    """Takes the last change back that was not taken back yet; what it was before stands again."""
    now = reach.clock.now()
    with reach.db.transaction():
        entry = open_to_change(reach, ref, now=now)
        past = changes(reach.db, Address(entry.space, entry.id))
        undone = {change.undoes for change in past}
        standing = [c for c in past if c.undoes is None and c.before is not None and c.revision not in undone]
        last = next((c for c in reversed(standing) if c.operation in UNDOABLE), None)
        if last is None or last.before is None:
            raise UsageError(
                f"Entry {entry.number} has no change to undo.",
                fix="To take the entry itself away, forget it.",
            )
        earlier = with_state(entry, last.before)
        kept = {field: getattr(entry, field) for field in _UNTOUCHED_BY_UNDO}
        if _lives_alike(earlier, entry):
            kept["expires_at"] = entry.expires_at
        return store_change(reach, entry, earlier.changed(**kept), "undo", now, undoes=last.revision)


def _lives_alike(one: Entry, other: Entry) -> bool:
    """Whether both have the same span by rule; then undoing leaves the life that seeing it again gave."""
    by_rule = not one.expiry_given and not other.expiry_given
    return by_rule and all(getattr(one, part) == getattr(other, part) for part in _DECIDE_THE_SPAN)


_DECIDE_THE_SPAN = ("kind", "entry_class", "status")
UNDOABLE = {"update", "write", "complete", "rename", "alias"}
