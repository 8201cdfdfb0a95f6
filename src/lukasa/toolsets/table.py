"""What a tool and a tool set are: names, arguments and returned text over the operations.

A function becomes a tool by `@tool(…)`; what it takes is read from its signature and docstring, as an
operation's is. Its first parameter is the binding; a model gives the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from lukasa.errors import UsageError
from lukasa.operations.signatures import object_schema, signature_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lukasa.db.database import Json
    from lukasa.errors import LukasaError
    from lukasa.operations.dispatch import Result
    from lukasa.operations.signatures import Parameter, Signature

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Tool:
    """One tool: its name, the operations that it stands for, and what it does."""

    name: str
    operations: tuple[str, ...]
    run: Callable[..., Result | Json]
    writes: bool
    destructive: bool
    idempotent: bool
    known_as: str | None = None
    """The type by which a provider's own model knows it; no schema is sent then."""

    @cached_property
    def signature(self) -> Signature:
        """All that its function says of itself."""
        return signature_of(self.run)

    @property
    def description(self) -> str:
        """What a model is told of it."""
        return f"{self.signature.summary} {self.signature.about}".strip()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What it takes."""
        return self.signature.parameters

    @property
    def input_schema(self) -> dict[str, Json]:
        """What it takes, as the JSON schema of an object."""
        return object_schema(self.parameters)

    @property
    def annotations(self) -> dict[str, bool]:
        """Hints for whoever asks before a call, by the names that MCP has for them."""
        return {
            "readOnlyHint": not self.writes,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": False,
        }


def tool(
    *operations: str,
    name: str | None = None,
    writes: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    known_as: str | None = None,
) -> Callable[[Callable[..., Result | Json]], Tool]:
    """Makes a tool of a function, under the function's name or another."""

    def make(function: Callable[..., Result | Json]) -> Tool:
        return Tool(
            name=name or function.__name__.removesuffix("_"),
            operations=operations,
            run=function,
            writes=writes,
            destructive=destructive,
            idempotent=idempotent or not writes,
            known_as=known_as,
        )

    return make


def needed(action: str, name: str, value: T | None) -> T:
    """An argument that the action cannot do without."""
    if value is None or (isinstance(value, str) and not value.strip()):
        raise UsageError(f"{action} needs {name!r}, which is missing.", fix=f"Give {name} with it.")
    return value


def in_words(_tool: str, error: LukasaError) -> Json:
    """An error as a model is told it where its view says nothing else."""
    from lukasa.operations.failures import told  # noqa: PLC0415 - a table is read without it

    return f"Error: {told(error)}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Toolset:
    """A vocabulary: its tools, how it tells an error, and how many memories an agent has in it at most."""

    name: str
    about: str
    tools: tuple[Tool, ...]
    refuse: Callable[[str, LukasaError], Json] = field(default=in_words)
    max_memories: int | None = None
    replies: Mapping[str, Json] | None = None
    """The JSON schema of what its tools answer, where the view speaks in documents rather than in words."""

    @cached_property
    def by_name(self) -> Mapping[str, Tool]:
        """The tools by their names."""
        return {tool.name: tool for tool in self.tools}
