"""What a store should hold, as plain dicts: the model that a state machine compares a real store with.

Always true: nothing here reads a store; each rule is written as the documents say it, not as the code does
it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lukasa.errors import DuplicateError, NotFoundError, UsageError

if TYPE_CHECKING:
    import lukasa

UNDONE = ("content", "name", "aliases", "tags", "status")
SHOWN = (*UNDONE, "id", "number", "space", "kind", "seen", "revision", "superseded_by")
SHARED = "project/apollo"
Refer = str | tuple[str, int]


@dataclass
class Known:
    """One entry of the model; `undoable` holds what it was before each change that can be taken back."""

    id: str
    number: int
    space: str
    kind: str
    content: str
    name: str | None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    status: str = "open"
    seen: int = 1
    revision: int = 1
    superseded: bool = False
    superseded_by: str | None = None
    undoable: list[dict[str, object]] = field(default_factory=list[dict[str, object]])

    def keep_for_undo(self) -> None:
        """Before a change: what an undo will bring back."""
        self.undoable.append({part: getattr(self, part) for part in UNDONE})
        self.revision += 1

    def undo(self) -> None:
        if not self.undoable:
            raise UsageError("nothing to undo")
        for part, value in self.undoable.pop().items():
            setattr(self, part, value)
        self.revision += 1

    def says(self) -> tuple[object, ...]:
        """What makes it the same memory said again."""
        return self.space, self.kind, self.name, self.content, self.id if self.superseded else ""


def shown(entry: Known | lukasa.Entry) -> list[object]:
    """Everything of an entry that is compared."""
    superseded = entry.superseded if isinstance(entry, Known) else entry.superseded_at is not None
    return [superseded, *(getattr(entry, part) for part in SHOWN)]


@dataclass
class Model:
    """All that there should be: entries by id, links with the order in which they were made."""

    known: dict[str, Known] = field(default_factory=dict[str, Known])
    links: dict[tuple[str, str, str], int] = field(default_factory=dict[tuple[str, str, str], int])
    ever: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    def seen_by(self, spaces: tuple[str, ...]) -> list[Known]:
        return [entry for entry in self.known.values() if entry.space in spaces]

    def spelled(self, ref: Refer, spaces: tuple[str, ...], shift: int = 0) -> str | int:
        """A reference as somebody would write it, mostly to something in sight; 0 is to any that ever was."""
        if isinstance(ref, str):
            return ref
        how, pick = ref
        in_sight = [(entry.id, entry.number) for entry in self.seen_by(spaces) if pick]
        pool = in_sight or self.ever or [("0" * 8, 10**9)]
        id_, number = pool[(pick + shift) % len(pool)]
        return {"id": id_, "number": number, "#": f"#{number}"}[how]

    def find(self, ref: str | int, spaces: tuple[str, ...]) -> Known:
        """A name goes before an id, an id before a number, the own space before a shared one."""
        in_sight = sorted(self.seen_by(spaces), key=lambda entry: spaces.index(entry.space))
        text = str(ref)
        by_name = [e for e in in_sight if isinstance(ref, str) and text in (e.name, *e.aliases)]
        by_id = [e for e in in_sight if e.id == ref]
        by_number = [e for e in in_sight if str(e.number) == text.removeprefix("#")]
        found = by_name or by_id or by_number
        if not found:
            raise NotFoundError(wanted=text)
        return found[0]

    def check_free(self, space: str, name: str | None, owner: str = "") -> None:
        for entry in self.seen_by((space,)):
            if name is not None and entry.id != owner and name in (entry.name, *entry.aliases):
                raise DuplicateError(name)

    def check_sound(self, changed: Known) -> None:
        """No name twice in a space, and no text twice."""
        for name in (changed.name, *changed.aliases):
            self.check_free(changed.space, name, changed.id)
        for entry in self.known.values():
            if entry.id != changed.id and entry.says() == changed.says():
                raise DuplicateError(entry.content)

    def two(self, one: str | int, other: str | int, spaces: tuple[str, ...]) -> tuple[Known, Known]:
        start, end = self.find(one, spaces), self.find(other, spaces)
        if start is end:
            raise UsageError("to itself")
        return start, end

    def link(self, start: Known, end: Known, relation: str, at: int) -> None:
        if relation == "supersedes":
            self.supersede(start, end)
        self.links.setdefault((start.id, relation, end.id), at)

    def unlink(self, start: Known, end: Known, relation: str) -> None:
        if self.links.pop((start.id, relation, end.id), None) is None:
            raise NotFoundError(wanted="link")
        if relation != "supersedes":
            return
        left = self.successors(end.id)
        if left and end.superseded_by == start.id:
            end.superseded_by, end.revision = left[-1], end.revision + 1
        elif not left and end.superseded:
            end.superseded, end.superseded_by, end.revision = False, None, end.revision + 1
            self.check_sound(end)

    def successors(self, id_: str) -> list[str]:
        """Those that say they supersede it, the last to say so last."""
        made = sorted((at, link) for link, at in self.links.items() if link[1:] == ("supersedes", id_))
        return [link[0] for _, link in made]

    def forget(self, entry: Known) -> None:
        del self.known[entry.id]
        self.links = {link: at for link, at in self.links.items() if entry.id not in (link[0], link[2])}
        for other in self.known.values():
            if other.superseded_by == entry.id:
                other.superseded_by = next(reversed(self.successors(other.id)), None)

    def supersede(self, new: Known, old: Known) -> None:
        if old.superseded_by == new.id:
            return
        if old.space == SHARED and new.space != SHARED:
            raise UsageError("not everybody sees it")
        front = [new.id]
        while front:
            here = front.pop()
            if here == old.id:
                raise UsageError("a circle")
            front += self.successors(here)
        old.superseded, old.superseded_by, old.revision = True, new.id, old.revision + 1
