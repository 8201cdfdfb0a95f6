"""Whose memory a surface is for: given once, when the surface is built.

Always true: no argument of any call widens it. A scope must be one that was bound; an operation must be one
that the audience may do; an agent loses no archive; new memories come from the session that was bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from lukasa.errors import UsageError
from lukasa.scope import agent_space, check_space, owner_of

if TYPE_CHECKING:
    from lukasa.handle import Handle
    from lukasa.memory import Store
    from lukasa.operations.words import Making


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Binding:
    """A store and an agent, with the spaces that it shares, may write or only read, and its session."""

    store: Store
    agent: str
    shares: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    session: str | None = None
    audience: Literal["agent", "operator"] = "agent"

    def __post_init__(self) -> None:
        _ = self.handle  # a wrong name or space is an error now, not at the first call

    @cached_property
    def handle(self) -> Handle:
        """The agent's handle, bound to just these spaces."""
        return self.store.agent(self.agent, shares=self.shares, reads=self.reads)

    @property
    def making(self) -> Making:
        """What every new memory is given that says nothing else of it: the session that was bound."""
        return {} if self.session is None else {"session_id": self.session}

    def spare_archive(self, ref: int | str, what: str) -> None:
        """Refuses an agent what would lose an archive: it is all that is left of a conversation."""
        found = self.handle.find(ref) if self.audience == "agent" else None
        if found is not None and found.kind == "archive":
            raise UsageError(
                f"{found.name or f'#{found.number}'} is an archive and cannot be {what}.",
                fix="Read it with recall; write what is new under another name.",
            )

    def check_scope(self, scope: str) -> str:
        """The space that was asked for, if it is bound; else an error that names those that are."""
        space = check_space(scope)
        if space in (*self.shares, *self.reads) or owner_of(space) == self.agent:
            return space
        bound = ", ".join((agent_space(self.agent), *self.shares, *self.reads))
        raise UsageError(
            f"The space {space} cannot be used here.", fix=f"Leave scope out, or use one of: {bound}."
        )
