"""The façade: a store, and handles on it. It composes what stands below, and implements nothing.

    store = lukasa.open("memory.lukasa")
    ana = store.agent("ana", shares=["project/apollo"])
    ana.remember("The user prefers short answers.")

A `Store` is for its operator: it sees every agent. A `Handle` is for one agent: nothing that it
can be asked reaches beyond the spaces that it was bound to when it was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack

from lukasa.clock import Clock, SystemClock
from lukasa.config import DEFAULT_AGENT, Settings
from lukasa.db import as_json, open_database
from lukasa.entries import forgetting, formats, links, naming, reading, writing
from lukasa.entries.checking import Verdict, check
from lukasa.entries.reach import Reach
from lukasa.entries.records import Intake, Intaken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from types import TracebackType

    from lukasa.db import Database
    from lukasa.entries.entry import Entry
    from lukasa.entries.fields import Fields
    from lukasa.entries.forgetting import Receipt
    from lukasa.entries.kinds import Status
    from lukasa.entries.links import Link
    from lukasa.entries.reading import Change, Filters, Page, Ref


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSummary:
    """One agent as its operator sees it."""

    agent: str
    spaces: int
    entries: int
    created_at: int
    updated_at: int


@dataclass(frozen=True, kw_only=True, slots=True)
class KindCount:
    """How many entries of a kind there are, and how many of them are answers now."""

    kind: str
    entries: int
    live: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Stats:
    """The size of a store, or of what one agent sees of it."""

    location: str
    spaces: int
    agents: int
    entries: int
    kinds: tuple[KindCount, ...]


def _quiet(_: int) -> None:
    """Progress that nobody watches."""


def open(  # noqa: A001 - lukasa.open reads as it should
    location: str | Path,
    *,
    settings: Settings | None = None,
    clock: Clock | None = None,
    read_only: bool = False,
) -> Store:
    """A store at a path or a postgresql:// URL. A file is made by the first write that succeeds."""
    ticking = clock or SystemClock()
    database = open_database(location, clock=ticking, read_only=read_only)
    return Store(database, settings=settings or Settings(), clock=ticking)


class Store:
    """A whole store, for the one who runs it. Close it, or use it in a `with`."""

    def __init__(self, db: Database, *, settings: Settings, clock: Clock) -> None:
        self._db = db
        self._settings = settings
        self._clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store; a cleanly closed file stands alone."""
        self._db.close()

    @property
    def location(self) -> str:
        """The path or URL, without any password."""
        return self._db.location

    def agent(self, agent: str, *, shares: Sequence[str] = (), reads: Sequence[str] = ()) -> Handle:
        """One agent's handle, bound to shared spaces that it may write (`shares`) or only read (`reads`)."""
        return Handle(self._reach(agent, tuple(shares), tuple(reads)))

    def _reach(self, agent: str, shares: tuple[str, ...] = (), reads: tuple[str, ...] = ()) -> Reach:
        return Reach(
            db=self._db, clock=self._clock, settings=self._settings, agent=agent, shares=shares, reads=reads
        )

    def transaction(self) -> AbstractContextManager[None]:
        """Several operations as one: all of them are kept, or none."""
        return self._db.transaction()

    def agents(self) -> list[AgentSummary]:
        """Every agent that has something here."""
        return [
            AgentSummary(
                agent=row.text("agent"),
                spaces=row.integer("spaces"),
                entries=row.integer("entries"),
                created_at=row.integer("created_at"),
                updated_at=row.integer("updated_at"),
            )
            for row in self._db.rows("list_agents")
        ]

    def stats(self) -> Stats:
        """How much there is in all."""
        with self._db.transaction(write=False):
            spaces = forgetting.spaces_of(self._db, None)
            return _stats(self._db, spaces, len(self._db.rows("list_agents")), self._clock.now())

    def check(self, *, progress: Callable[[int], None] = _quiet) -> Verdict:
        """Verifies everything that can be verified, and changes nothing."""
        return check(self._db, progress=progress)

    def forget_agent(
        self, agent: str, *, dry_run: bool = False, progress: Callable[[int], None] = _quiet
    ) -> Receipt:
        """Erases everything that is an agent's own; a dry run only says what that would be."""
        return forgetting.forget_agent(self._reach(agent), dry_run=dry_run, progress=progress)

    def export(
        self,
        target: str | Path,
        *,
        form: str = "jsonl",
        agent: str | None = None,
        progress: Callable[[Entry], None] = lambda _: None,
    ) -> int:
        """Writes the store, or what is one agent's own, to a file or tree; returns how many entries."""
        count = 0

        def seen(entry: Entry) -> None:
            nonlocal count
            count += 1
            progress(entry)

        with self._db.transaction(write=False):
            spaces = forgetting.spaces_of(self._db, agent)
            formats.write_out(self._db, spaces, Path(target), formats.check_format(form), seen)
        return count

    def import_(
        self,
        source: str | Path,
        *,
        agent: str | None = None,
        dry_run: bool = False,
        progress: Callable[[int], None] = _quiet,
    ) -> Intaken:
        """Takes a file or tree in, all of it or nothing. With `agent`, all of it becomes that agent's own."""
        reach = self._reach(agent or DEFAULT_AGENT)
        try:
            with self._db.transaction():
                intake = Intake(reach, into=reach.home if agent else None)
                for number, record in enumerate(formats.read_in(Path(source)), 1):
                    intake.take(record)
                    progress(number)
                done = intake.finish()
                if dry_run:
                    raise _DryRunDone(done)  # noqa: TRY301 - what takes a transaction back is an exception
                intake.keep_numbers()
        except _DryRunDone as rehearsal:
            return rehearsal.intaken
        return done


class _DryRunDone(Exception):  # noqa: N818 - not an error: it takes a rehearsal's writes back
    def __init__(self, intaken: Intaken) -> None:
        super().__init__()
        self.intaken = intaken


class Handle:
    """One agent's memory: its own space, its channels, and the shared spaces that it was bound to."""

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

    def remember(self, content: str, *, scope: str | None = None, **fields: Unpack[Fields]) -> Entry:
        """A new memory, or the one that says the same already, seen once more."""
        return writing.remember(self._reach, content, scope=scope, **fields)

    def add(self, name: str, content: str, /, *, scope: str | None = None, **fields: Unpack[Fields]) -> Entry:
        """A new named entry; a name or alias that is taken is refused."""
        fields["name"] = name
        return naming.add(self._reach, content, scope=scope, **fields)

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

    def links(self, ref: Ref) -> tuple[Link, ...]:
        """The links from and to an entry whose other end is in sight too."""
        return links.links(self._reach, ref)

    def supersede(self, old: Ref, new: Ref) -> Entry:
        """Puts one entry in another's place: the old one becomes history. Returns the new one."""
        return links.supersede(self._reach, old, new)

    def history(self, ref: Ref) -> tuple[Change, ...]:
        """Every change, oldest first."""
        return reading.history(self._reach, ref)

    def undo(self, ref: Ref) -> Entry:
        """Takes the last change back; again, the one before it."""
        return writing.undo(self._reach, ref)

    def forget(self, ref: Ref) -> Receipt:
        """Erases an entry and all that hangs on it; the receipt says where something may remain."""
        return forgetting.forget(self._reach, ref)

    def remove(self, name: str) -> Receipt:
        """Erases the entry of a name or alias, and frees all its names."""
        return forgetting.forget(self._reach, name)

    def stats(self) -> Stats:
        """How much this handle sees."""
        reach = self._reach
        with reach.db.transaction(write=False):
            return _stats(reach.db, reach.readable(), 1, reach.clock.now())


def _stats(db: Database, spaces: Sequence[str], agents: int, now: int) -> Stats:
    kinds = tuple(
        KindCount(kind=row.text("kind"), entries=row.integer("entries"), live=row.integer("live"))
        for row in db.rows("count_kinds", spaces=as_json(spaces), now=now)
    )
    return Stats(
        location=db.location,
        spaces=len(spaces),
        agents=agents,
        entries=sum(kind.entries for kind in kinds),
        kinds=kinds,
    )
