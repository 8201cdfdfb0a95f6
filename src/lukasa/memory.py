"""The façade: a store, and handles on it. It composes what stands below, and implements nothing.

    store = lukasa.open("memory.lukasa")
    ana = store.agent("ana", shares=["project/apollo"])
    ana.remember("The user prefers short answers.")

A `Store` is for its operator: it sees every agent. A `Handle` is for one agent: nothing that it
can be asked reaches beyond the spaces that it was bound to when it was made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from lukasa.clock import Clock, SystemClock
from lukasa.config import DEFAULT_AGENT, Settings
from lukasa.db import open_database
from lukasa.embed import Embedding
from lukasa.entries import forgetting
from lukasa.entries.counting import Stats, count_entries
from lukasa.entries.indexing import index_of
from lukasa.entries.reach import Reach
from lukasa.handle import Handle

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType

    from lukasa.db import Database
    from lukasa.embed.embedder import Embedder
    from lukasa.entries.checking import Verdict
    from lukasa.entries.entry import Entry
    from lukasa.entries.forgetting import Receipt
    from lukasa.entries.pending import Embedded, IndexState
    from lukasa.entries.records import Intaken
    from lukasa.entries.reindexing import Reindexed


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSummary:
    """One agent as its operator sees it."""

    agent: str
    spaces: int
    entries: int
    created_at: int
    updated_at: int


def _quiet(_: int) -> None:
    """Progress that nobody watches."""


def _unwatched(_done: int, _all: int) -> None:
    """See above."""


def open(  # noqa: A001 - lukasa.open reads as it should
    location: str | Path,
    *,
    settings: Settings | None = None,
    clock: Clock | None = None,
    read_only: bool = False,
    embedder: Embedder | None = None,
) -> Store:
    """A store at a path or a postgresql:// URL. A file is made by the first write that succeeds.

    `embedder` is a model of your own, in the place of the one that `settings.embedding` names.
    """
    ticking = clock or SystemClock()
    chosen = settings or Settings()
    if read_only:
        # Nobody can write down what was recalled.
        chosen = replace(chosen, recall=replace(chosen.recall, observe=False))
    database = open_database(location, clock=ticking, read_only=read_only)
    return Store(database, settings=chosen, clock=ticking, embedder=embedder)


class Store:
    """A whole store, for the one who runs it. Close it, or use it in a `with`."""

    def __init__(
        self, db: Database, *, settings: Settings, clock: Clock, embedder: Embedder | None = None
    ) -> None:
        self._db = db
        self._settings = settings
        self._clock = clock
        self._embedding = Embedding(embedder or settings.embedding)

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
            db=self._db,
            clock=self._clock,
            settings=self._settings,
            embedding=self._embedding,
            agent=agent,
            shares=shares,
            reads=reads,
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
            return count_entries(self._db, spaces, len(self._db.rows("list_agents")), self._clock.now())

    def check(self, *, progress: Callable[[int], None] = _quiet) -> Verdict:
        """Verifies everything that can be verified, and changes nothing."""
        from lukasa.entries.checking import check  # noqa: PLC0415 - a recall that starts cold needs none of it

        return check(self._db, progress=progress)

    def reindex(
        self,
        *,
        model: str | None = None,
        language: str | None = None,
        progress: Callable[[int, int], None] = _unwatched,
    ) -> Reindexed:
        """Makes pieces, terms and vectors anew where they are not right: by the store's model, or another.

        What was stopped goes on where it was. Recall answers meanwhile, from what is there already.
        """
        from lukasa.entries import reindexing  # noqa: PLC0415 - see `check`

        reach = self._reach(DEFAULT_AGENT)
        return reindexing.reindex(reach, model=model, language=language, progress=progress)

    def embed_pending(self, *, limit: int = 1_000) -> Embedded:
        """Makes the vectors that a remote model still owes, of so many entries at most."""
        from lukasa.entries import pending  # noqa: PLC0415 - see `check`

        return pending.embed_pending(self._reach(DEFAULT_AGENT), limit=limit)

    def index_state(self) -> IndexState:
        """What the index is made with, and what is still missing of it."""
        from lukasa.entries import pending  # noqa: PLC0415 - see `check`

        return pending.index_state(self._db)

    def model(self) -> str | None:
        """The model of meaning that is used here, once it is seen that it can be; None for words alone."""
        with self._db.transaction(write=False):
            embedder = index_of(self._reach(DEFAULT_AGENT)).embedder
        return None if embedder is None else embedder.identity

    @property
    def schema(self) -> int:
        """The number of the newest migration that the store has."""
        return max((row.integer("version") for row in self._db.rows("list_migrations")), default=0)

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
        from lukasa.entries import formats  # noqa: PLC0415 - see `check`

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
        from lukasa.entries import formats  # noqa: PLC0415 - see `check`
        from lukasa.entries.records import Intake  # noqa: PLC0415 - see `check`

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
