"""What one client may use: an agent's memory in a store, through one tool set.

Always true: the store is opened by the first thing that needs it, once for all clients, and closed by the one
who made the room; a seat is given by whoever starts the server or by a token, never by an argument of a call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Self

from lukasa.scope import check_agent, check_space

if TYPE_CHECKING:
    from types import TracebackType

    from lukasa.memory import Store
    from lukasa.operations.binding import Binding
    from lukasa.toolsets.box import Toolbox
    from lukasa.toolsets.table import Toolset


@dataclass(frozen=True, kw_only=True, slots=True)
class Seat:
    """Whose memory a client uses, and the shared spaces with it."""

    agent: str
    shares: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_agent(self.agent)
        for space in self.shares:
            check_space(space)


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """A seat at a store that is open."""

    binding: Binding
    toolbox: Toolbox


class Room:
    """One store and one tool set, and the desks in it."""

    def __init__(self, location: str, toolset: Toolset) -> None:
        self._location = location
        self._toolset = toolset
        self._lock = Lock()
        self._store: Store | None = None
        self._desks: dict[Seat, Desk] = {}

    @property
    def toolset(self) -> Toolset:
        """The tools that every desk has."""
        return self._toolset

    def desk(self, seat: Seat) -> Desk:
        """The desk of a seat. The first call opens the store, so it belongs into a thread."""
        from lukasa.operations.binding import Binding  # noqa: PLC0415 - a start does not wait for an engine
        from lukasa.toolsets.box import Toolbox  # noqa: PLC0415 - see above

        with self._lock:
            if seat not in self._desks:
                binding = Binding(store=self._opened(), agent=seat.agent, shares=seat.shares)
                self._desks[seat] = Desk(binding=binding, toolbox=Toolbox(self._toolset, binding))
            return self._desks[seat]

    def _opened(self) -> Store:
        from lukasa.config import settings_from  # noqa: PLC0415 - see above
        from lukasa.memory import open as open_store  # noqa: PLC0415 - see above

        if self._store is None:
            settings = replace(settings_from(), max_memories=self._toolset.max_memories)
            self._store = open_store(self._location, settings=settings)
        return self._store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the store."""
        with self._lock:
            self._desks.clear()
            if self._store is not None:
                self._store.close()
                self._store = None
