"""One agent's memory, as it is handed to the agent: what can be read, and what can be changed.

Always true: nothing that a handle can be asked reaches beyond the spaces that it was bound to; each method is
one line over the module that does it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from lukasa.entries import forgetting, links, naming, reading, writing
from lukasa.entries.counting import count_entries

if TYPE_CHECKING:
    from datetime import datetime

    from lukasa.entries.counting import Stats
    from lukasa.entries.entry import Entry
    from lukasa.entries.fields import Fields
    from lukasa.entries.forgetting import Receipt
    from lukasa.entries.kinds import Status
    from lukasa.entries.links import Link
    from lukasa.entries.reach import Reach
    from lukasa.entries.reading import Change, Filters, Page, Ref
    from lukasa.recall.answer import Answer
    from lukasa.recall.context import Context
    from lukasa.recall.plan import Asking
    from lukasa.recall.why import Why


class Reader:
    """What an agent may ask of its memory: its own space, its channels, the spaces it was bound to."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach

    @property
    def agent(self) -> str:
        """Whose memory it is."""
        return self._reach.agent

    @property
    def spaces(self) -> tuple[str, ...]:
        """Every space in sight, the agent's own first."""
        return self._reach.readable()

    def get(self, ref: Ref, *, scope: str | None = None, as_of: int | str | datetime | None = None) -> Entry:
        """The entry of a name, alias, id or number, as it is or as it was at a moment."""
        if as_of is not None:
            return reading.get_as_of(self._reach, ref, as_of, scope=scope)
        return reading.get(self._reach, ref, scope=scope)

    def find(self, ref: Ref, *, scope: str | None = None) -> Entry | None:
        """The entry of a name, alias, id or number, or None."""
        return reading.find(self._reach, ref, scope=scope)

    def list(self, *, limit: int = 50, after: str | None = None, **filters: Unpack[Filters]) -> Page:
        """One page, newest first; expired and superseded entries only where `hidden` is asked for."""
        return reading.list_page(self._reach, limit=limit, after=after, **filters)

    def recall(self, query: str, *, limit: int | None = None, **asking: Unpack[Asking]) -> Answer:
        """The best answers to a question, each with its reasons; they are noted, unless told not to."""
        from lukasa.recall.search import recall  # noqa: PLC0415 - brings numpy with it

        return recall(self._reach, query, limit=limit, asking=asking)

    def context(self, message: str, *, limit: int | None = None, **asking: Unpack[Asking]) -> Context:
        """The memories that may help with a message, as a block for the prompt; empty if none is."""
        from lukasa.recall.context import context  # noqa: PLC0415 - see `recall`

        return context(self._reach, message, limit=limit, asking=asking)

    def opening(self, *, limit: int | None = None) -> str:
        """The block for the beginning of a conversation: what is pinned, important or new."""
        from lukasa.recall.opening import opening  # noqa: PLC0415 - most handles never need it

        return opening(self._reach, limit=limit)

    def why(self, ref: Ref, query: str, *, limit: int | None = None, **asking: Unpack[Asking]) -> Why:
        """What a question makes of an entry: its place and every reason, or what keeps it out."""
        from lukasa.recall.why import why  # noqa: PLC0415 - see `recall`

        return why(self._reach, ref, query, limit=limit, asking=asking)

    def links(self, ref: Ref) -> tuple[Link, ...]:
        """The links from and to an entry whose other end is in sight too."""
        return links.links(self._reach, ref)

    def history(self, ref: Ref) -> tuple[Change, ...]:
        """Every change, oldest first."""
        return reading.history(self._reach, ref)

    def stats(self) -> Stats:
        """How much this handle sees."""
        reach = self._reach
        with reach.db.transaction(write=False):
            return count_entries(reach.db, reach.readable(), 1, reach.clock.now())


class Handle(Reader):
    """One agent's memory, to read and to change."""

    def remember(
        self,
        content: str,
        *,
        scope: str | None = None,
        at: int | str | datetime | None = None,
        **fields: Unpack[Fields],
    ) -> Entry:
        """A new memory, or the one that says the same already, seen once more; `at` is when it was."""
        return writing.remember(self._reach, content, scope=scope, at=at, **fields)

    def add(self, name: str, content: str, /, *, scope: str | None = None, **fields: Unpack[Fields]) -> Entry:
        """A new named entry; a name or alias that is taken is refused."""
        fields["name"] = name
        return naming.add(self._reach, content, scope=scope, **fields)

    def update(
        self, ref: Ref, *, content: str | None = None, revision: int | None = None, **fields: Unpack[Fields]
    ) -> Entry:
        """Changes the given parts; None clears one. With `revision`, only if nobody changed it since."""
        return writing.update(self._reach, ref, content=content, revision=revision, **fields)

    def write(self, ref: Ref, content: str, *, revision: int | None = None) -> Entry:
        """Replaces the text; id, time and kind stay."""
        return writing.write(self._reach, ref, content, revision=revision)

    def rename(self, ref: Ref, name: str) -> Entry:
        """Gives another name; the old one is free. Its own alias as the new name swaps the two."""
        return naming.rename(self._reach, ref, name)

    def alias(self, ref: Ref, name: str) -> Entry:
        """Adds one more name; the others stay."""
        return naming.alias(self._reach, ref, name)

    def complete(self, ref: Ref, *, status: Status = "completed") -> Entry:
        """Marks as completed, cancelled, or open again."""
        return writing.complete(self._reach, ref, status=status)

    def link(
        self, from_ref: Ref, relation: str, to_ref: Ref, *, weight: float = 1.0, provenance: str | None = None
    ) -> Link:
        """Joins two entries by a relation."""
        return links.link(self._reach, from_ref, relation, to_ref, weight=weight, provenance=provenance)

    def unlink(self, from_ref: Ref, relation: str, to_ref: Ref) -> None:
        """Takes a link away; what was superseded by it alone is valid again."""
        links.unlink(self._reach, from_ref, relation, to_ref)

    def supersede(self, old: Ref, new: Ref) -> Entry:
        """Puts one entry in another's place: the old one becomes history. Returns the new one."""
        return links.supersede(self._reach, old, new)

    def undo(self, ref: Ref) -> Entry:
        """Takes the last change back; again, the one before it."""
        return writing.undo(self._reach, ref)

    def forget(self, ref: Ref) -> Receipt:
        """Erases an entry and all that hangs on it; the receipt says where something may remain."""
        return forgetting.forget(self._reach, ref)

    def remove(self, name: str) -> Receipt:
        """Erases the entry of a name or alias, and frees all its names."""
        return forgetting.forget(self._reach, name)
