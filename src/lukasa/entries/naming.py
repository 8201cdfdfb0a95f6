"""The five write operations on named entries: add, rename, alias, write, remove.

A closed set. Names and aliases of a space are unique together; an operation that fails changes
nothing. `write` stands in `writing`, and `remove` is `forgetting.forget`: what is removed is erased.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from lukasa.entries.fields import Fields, clean, clean_content, clean_name
from lukasa.entries.reach import lock_space
from lukasa.entries.writing import check_free, open_to_change, remember, store_change, swapped_aliases
from lukasa.errors import DuplicateError, UsageError

if TYPE_CHECKING:
    from lukasa.entries.entry import Entry
    from lukasa.entries.reach import Reach
    from lukasa.entries.reading import Ref

MAX_ALIASES = 32


def add(reach: Reach, content: str, *, scope: str | None = None, **fields: Unpack[Fields]) -> Entry:
    """A new entry under the name among its fields; a taken name or alias is refused."""
    door = reach.door()
    space = reach.place(scope)
    clean(fields, door)
    clean_content(content, door)
    with reach.db.transaction():
        lock_space(reach, space, now=door.now)
        check_free(reach, space, clean_name(fields.get("name") or "", door))
        return remember(reach, content, scope=scope, **fields)


def rename(reach: Reach, ref: Ref, name: str) -> Entry:
    """Gives an entry another name; the old one is free. Its own alias as the new name swaps the two."""
    door = reach.door()
    wanted = clean_name(name, door)
    with reach.db.transaction():
        before = open_to_change(reach, ref, now=door.now)
        if wanted == before.name:
            raise DuplicateError(
                f"Entry {before.number} has the name {wanted!r} already.", fix="Choose another."
            )
        check_free(reach, before.space, wanted, owner=before.id)
        renamed = before.changed(name=wanted, aliases=swapped_aliases(before, wanted))
        return store_change(reach, before, renamed, "rename", door.now)


def alias(reach: Reach, ref: Ref, name: str) -> Entry:
    """Adds one more name by which an entry is found; the others stay."""
    door = reach.door()
    wanted = clean_name(name, door)
    with reach.db.transaction():
        before = open_to_change(reach, ref, now=door.now)
        if wanted == before.name or wanted in before.aliases:
            raise DuplicateError(
                f"Entry {before.number} is called {wanted!r} already.", fix="Choose another."
            )
        if len(before.aliases) >= MAX_ALIASES:
            raise UsageError(
                f"Entry {before.number} has {MAX_ALIASES} aliases, the most there may be.", fix="Rename it."
            )
        check_free(reach, before.space, wanted)
        return store_change(
            reach, before, before.changed(aliases=(*before.aliases, wanted)), "alias", door.now
        )
