"""The list itself: each operation once, under one word, with all that a surface must know of it.

A function becomes an operation by `@operation(FORM, …)` in one of the modules of `_HOMES`. Its first
parameter says what it works on, and so who may do it: `handle` is for agents too, `store` for the operator.
The modules load, and signatures are read, when the list is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeVar, cast

from lukasa.errors import NotFoundError
from lukasa.operations.signatures import Parameter, object_schema, signature_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lukasa.db.database import Json
    from lukasa.operations.answers import Form

Audience = Literal["agent", "operator"]
P = ParamSpec("P")
T = TypeVar("T")

_HOMES = ("entries", "recalling", "keeping")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Operation:
    """One thing that can be done. `writes` may change the store, `destructive` may take something from it."""

    name: str
    summary: str
    about: str
    parameters: tuple[Parameter, ...]
    audience: frozenset[Audience]
    writes: bool
    destructive: bool
    idempotent: bool
    run: Callable[..., object]
    form: Form[object]

    @property
    def schema(self) -> dict[str, Json]:
        """What it takes, as the JSON schema of an object."""
        return object_schema(self.parameters)

    @property
    def for_agents(self) -> bool:
        """Whether an agent may do it; the rest is for who runs the store."""
        return "agent" in self.audience


_entered: dict[str, Callable[[], Operation]] = {}


def operation(
    form: Form[T], *, writes: bool = False, destructive: bool = False, idempotent: bool = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Enters a function into the list, under its own name; `form` says how its result is shown."""

    def enter(function: Callable[P, T]) -> Callable[P, T]:
        name = function.__name__.removesuffix("_")
        _entered[name] = lambda: _read(
            name,
            function,
            form=cast("Form[object]", form),
            writes=writes,
            destructive=destructive,
            idempotent=idempotent or not writes,
        )
        return function

    return enter


@cache
def all() -> Mapping[str, Operation]:  # noqa: A001 - operations.all() reads as it should
    """Every operation by its name, agents' first."""
    for home in _HOMES:
        import_module(f"lukasa.operations.{home}")
    return {name: read() for name, read in _entered.items()}


def _read(
    name: str,
    function: Callable[..., object],
    *,
    form: Form[object],
    writes: bool,
    destructive: bool,
    idempotent: bool,
) -> Operation:
    signature = signature_of(function)
    audience: frozenset[Audience] = frozenset(
        ("agent", "operator") if signature.subject == "handle" else ("operator",)
    )
    return Operation(
        name=name,
        summary=signature.summary,
        about=signature.about,
        parameters=signature.parameters,
        audience=audience,
        writes=writes,
        destructive=destructive,
        idempotent=idempotent,
        run=function,
        form=form,
    )


def find(name: str) -> Operation | None:
    """The operation of that name, or None."""
    return all().get(name)


def get(name: str, audience: Audience = "operator") -> Operation:
    """The operation of that name, if this audience may do it; else an error with the nearest names."""
    found = find(name)
    if found is not None and audience in found.audience:
        return found
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    known = [known for known, operation in all().items() if audience in operation.audience]
    raise NotFoundError(wanted=f"operation {name!r}", near=get_close_matches(name, known, n=3, cutoff=0.5))
