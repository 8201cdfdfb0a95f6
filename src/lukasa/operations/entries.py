"""Entries, as operations: remembering, reading, changing, naming, linking, forgetting.

Each is one line or two over the handle; what it takes is said here once, for every surface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from lukasa.entries.kinds import Relation, Status
from lukasa.operations.answers import (
    ENTRY,
    HISTORY,
    LINK,
    LINKS,
    PAGE,
    RECEIPT,
    REMEMBERED,
    STATS,
    UNLINKED,
    History,
    Links,
    Unlinked,
    changed,
)
from lukasa.operations.registry import operation
from lukasa.operations.words import Changes, Narrow, Parts, Ref, Unnamed

if TYPE_CHECKING:
    from lukasa.entries.counting import Stats
    from lukasa.entries.entry import Entry
    from lukasa.entries.forgetting import Receipt
    from lukasa.entries.links import Link
    from lukasa.entries.reading import Page
    from lukasa.handle import Handle


@operation(REMEMBERED, writes=True)
def remember(
    handle: Handle, content: str, *, scope: str | None = None, at: str | None = None, **parts: Unpack[Parts]
) -> Entry:
    """Store a memory.

    Kind, class and life span are seen from the text unless they are said. The same text again is the same
    entry, seen once more. Text that holds a secret is refused.

    content: The text to be remembered, complete enough to be understood on its own.
    scope: The space to write to, such as project/apollo; your own if left out.
    at: When it was, if not now: 2d (ago), or 2026-05-01.
    """
    return handle.remember(content, scope=scope, at=at, **parts)


@operation(changed("Added"), writes=True)
def add(
    handle: Handle, name: str, content: str, *, scope: str | None = None, **parts: Unpack[Unnamed]
) -> Entry:
    """Store a memory under a new name.

    A name or alias that is taken is refused; write changes what stands under one.

    name: Any text of 1 to 200 characters that no entry of the space has.
    content: The text to be remembered.
    scope: The space to write to; your own if left out.
    """
    return handle.add(name, content, scope=scope, **parts)


@operation(ENTRY)
def get(handle: Handle, ref: Ref, *, scope: str | None = None, as_of: str | None = None) -> Entry:
    """Show one entry whole, now or as it was.

    A superseded or expired entry is still shown: it is history.

    ref: A name, an alias, a number such as 12, or an id.
    scope: Look in this space only.
    as_of: As it was then: 2d (ago), or 2026-05-01T10:00:00Z.
    """
    return handle.get(ref, scope=scope, as_of=as_of)


@operation(PAGE)
def list(  # noqa: A001 - the word for it
    handle: Handle,
    *,
    limit: int = 50,
    after: str | None = None,
    hidden: bool = False,
    **narrow: Unpack[Narrow],
) -> Page:
    """List entries, newest first.

    Expired and superseded ones only where hidden is asked for.

    limit: How many at most, to 1000.
    after: The next page, by the mark that the last one gave.
    hidden: Whether expired and superseded ones are shown too.
    """
    return handle.list(limit=limit, after=after, hidden=hidden, **narrow)


@operation(changed("Updated"), writes=True, idempotent=True)
def update(
    handle: Handle,
    ref: Ref,
    *,
    content: str | None = None,
    revision: int | None = None,
    **parts: Unpack[Changes],
) -> Entry:
    """Change parts of an entry: text, tags, kind, importance, and so on.

    Parts that are not given stay as they are. What it was before is kept in its history.

    ref: A name, an alias, a number such as 12, or an id.
    content: Another text.
    revision: Change it only if it is still at this revision.
    """
    return handle.update(ref, content=content, revision=revision, **parts)


@operation(changed("Wrote"), writes=True, idempotent=True)
def write(handle: Handle, ref: Ref, content: str, *, revision: int | None = None) -> Entry:
    """Replace the text of an entry.

    Id, number, time, kind, names and tags stay; what it said before is kept in its history.

    ref: A name, an alias, a number such as 12, or an id.
    content: The new text.
    revision: Change it only if it is still at this revision.
    """
    return handle.write(ref, content, revision=revision)


@operation(changed("Renamed"), writes=True)
def rename(handle: Handle, ref: Ref, name: str) -> Entry:
    """Give an entry another name.

    The old name is free again. One of its own aliases as the new name swaps the two.

    ref: A name, an alias, a number such as 12, or an id.
    name: The new name, of 1 to 200 characters.
    """
    return handle.rename(ref, name)


@operation(changed("Found by one more name:"), writes=True)
def alias(handle: Handle, ref: Ref, name: str) -> Entry:
    """Add one more name by which an entry is found.

    Its other names stay. Names and aliases are unique together in their space.

    ref: A name, an alias, a number such as 12, or an id.
    name: The name to add, of 1 to 200 characters.
    """
    return handle.alias(ref, name)


@operation(changed("Marked"), writes=True, idempotent=True)
def complete(handle: Handle, ref: Ref, *, status: Status = "completed") -> Entry:
    """Mark a todo, or any entry, as done.

    A completed todo goes out of sight after thirty days. The status open takes the mark away.

    ref: A name, an alias, a number such as 12, or an id.
    status: What it is from now on.
    """
    return handle.complete(ref, status=status)


@operation(changed("As it was before:"), writes=True)
def undo(handle: Handle, ref: Ref) -> Entry:
    """Take the last change of an entry back.

    Once more takes the one before it back. Links and forgetting are not undone by it.

    ref: A name, an alias, a number such as 12, or an id.
    """
    return handle.undo(ref)


@operation(HISTORY)
def history(handle: Handle, ref: Ref) -> History:
    """Show every change of an entry, oldest first.

    What was done, when and by whom, and what the entry was before.

    ref: A name, an alias, a number such as 12, or an id.
    """
    entry = handle.get(ref)
    return History(entry, handle.history(entry.id))


@operation(LINK, writes=True, idempotent=True)
def link(
    handle: Handle,
    from_ref: Ref,
    relation: Relation,
    to_ref: Ref,
    *,
    weight: float = 1.0,
    provenance: str | None = None,
) -> Link:
    """Join two entries by a relation.

    The same link again changes its weight and provenance only. The relation supersedes also makes the entry
    that it points to history.

    from_ref: The entry that the link starts from: a name, an alias, a number or an id.
    relation: How the first stands to the second.
    to_ref: The entry that it points to.
    weight: How strong it is, from 0 to 1.
    provenance: How it came to be known.
    """
    return handle.link(from_ref, relation, to_ref, weight=weight, provenance=provenance)


@operation(UNLINKED, writes=True, destructive=True)
def unlink(handle: Handle, from_ref: Ref, relation: Relation, to_ref: Ref) -> Unlinked:
    """Take a link away.

    An entry that was superseded by this link alone is an answer again.

    from_ref: The entry that the link starts from: a name, an alias, a number or an id.
    relation: How the first stands to the second.
    to_ref: The entry that it points to.
    """
    start, end = handle.get(from_ref), handle.get(to_ref)
    handle.unlink(start.id, relation, end.id)
    return Unlinked(start.id, relation, end.id)


@operation(LINKS)
def links(handle: Handle, ref: Ref) -> Links:
    """Show the links from and to an entry.

    Only those whose other end is in sight.

    ref: A name, an alias, a number such as 12, or an id.
    """
    entry = handle.get(ref)
    return Links(entry, handle.links(entry.id))


@operation(changed("In its place now:"), writes=True, idempotent=True)
def supersede(handle: Handle, old: Ref, new: Ref) -> Entry:
    """Put one entry in another's place.

    The old one stays as history: out of lists and answers, still there by its name.

    old: The entry that becomes history: a name, an alias, a number or an id.
    new: The entry that answers in its place.
    """
    return handle.supersede(old, new)


@operation(RECEIPT, writes=True, destructive=True)
def forget(handle: Handle, ref: Ref) -> Receipt:
    """Erase an entry for good, with a receipt.

    Text, names, tags, links and history go. The receipt says what went, and what may remain elsewhere.

    ref: A name, an alias, a number such as 12, or an id.
    """
    return handle.forget(ref)


@operation(RECEIPT, writes=True, destructive=True)
def remove(handle: Handle, name: str) -> Receipt:
    """Erase the entry of a name, and free all its names.

    As forget does, by a name or alias.

    name: A name or an alias.
    """
    return handle.remove(name)


@operation(STATS)
def stats(handle: Handle) -> Stats:
    """Show how much there is.

    Of what the agent sees. Live entries are answers now: neither expired nor superseded.
    """
    return handle.stats()
