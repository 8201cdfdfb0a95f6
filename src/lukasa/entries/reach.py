"""How far a handle reaches: the one place where isolation is decided.

Everything that reads or writes entries gets its spaces from here. A handle sees the agent's own
space, the agent's channels, and the shared spaces that it was bound to; it writes to the same,
less those bound for reading only. Nothing else can be named, found, counted or hinted at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lukasa.db import as_json
from lukasa.embed import Embedding
from lukasa.entries.fields import Door
from lukasa.errors import UsageError
from lukasa.scope import agent_space, check_space, owner_of

if TYPE_CHECKING:
    from lukasa.clock import Clock
    from lukasa.config import Settings
    from lukasa.db import Database


@dataclass(frozen=True, kw_only=True, slots=True)
class Reach:
    """An agent, the shared spaces that it is bound to, and what it works with."""

    db: Database
    clock: Clock
    settings: Settings
    agent: str
    embedding: Embedding = field(default_factory=Embedding)
    shares: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for space in (self.home, *self.shares, *self.reads):
            owner = owner_of(check_space(space))
            if owner is not None and owner != self.agent:
                raise UsageError(
                    f"{space} belongs to another agent.", fix="Share a project or a global space."
                )

    @property
    def home(self) -> str:
        """The agent's own space."""
        return agent_space(self.agent)

    def door(self) -> Door:
        """What stands at the door now."""
        return Door(secrets=self.settings.secrets, now=self.clock.now())

    def readable(self) -> tuple[str, ...]:
        """Every space in sight, the agent's own first."""
        return tuple(dict.fromkeys((*self.writable(), *self.reads)))

    def writable(self) -> tuple[str, ...]:
        """Every space that may be written, the agent's own first."""
        channels = (row.text("space") for row in self.db.rows("own_channels", agent=self.agent))
        return tuple(dict.fromkeys((self.home, *channels, *self.shares)))

    def place(self, scope: str | None) -> str:
        """The space to write to: the agent's own, or the one that `scope` names, if it is bound."""
        if scope is None:
            return self.home
        space = check_space(scope)
        if space in self.shares or owner_of(space) == self.agent:
            return space
        raise self._not_bound(space)

    def narrowed(self, scope: str | None) -> tuple[str, ...]:
        """The spaces to read from: all in sight, or the one that `scope` names, if it is bound."""
        if scope is None:
            return self.readable()
        space = check_space(scope)
        if space in self.shares or space in self.reads or owner_of(space) == self.agent:
            return (space,)
        raise self._not_bound(space)

    @staticmethod
    def _not_bound(space: str) -> UsageError:
        return UsageError(
            f"This handle is not bound to {space}.",
            fix="Bind it when it is made: store.agent(NAME, shares=[SPACE]).",
        )


def lock_space(reach: Reach, space: str, *, now: int, added: int = 0) -> None:
    """Holds a space until the transaction ends and moves its version; makes the space at its first use."""
    touched = reach.db.row("touch_space", space=space, now=now, added=added)
    if touched is None:
        number = reach.db.row("next_space")
        given = number.integer("number") if number else 1
        reach.db.rows("add_space", space=space, number=given, owner=owner_of(space), added=added, now=now)


def spaces_json(spaces: tuple[str, ...]) -> str:
    """Spaces in the form in which a query takes them."""
    return as_json(spaces)
