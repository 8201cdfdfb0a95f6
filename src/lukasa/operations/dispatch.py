"""The one way in: an operation by its name, its arguments checked, its result in every form.

Always true: nothing is run that the binding's audience may not do, and nothing with arguments that were not
checked first; an async caller gets the same, from a thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.operations import registry
from lukasa.operations.checking import check_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lukasa.db.database import Json
    from lukasa.operations.binding import Binding
    from lukasa.operations.registry import Operation

_MAKING = ("remember", "add")
_LOSING = {"write": "overwritten", "update": "overwritten", "forget": "forgotten", "remove": "forgotten"}


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What came of an operation: the value itself, JSON, and a short text for a model."""

    operation: Operation
    value: object

    @property
    def json(self) -> Json:
        """As a JSON document."""
        return self.operation.form.document(self.value)

    @property
    def text(self) -> str:
        """In words for a model; what was remembered stands in it as data."""
        return self.operation.form.text(self.value)


def perform(binding: Binding, name: str, arguments: Mapping[str, Json]) -> Result:
    """Does one thing; whatever goes wrong is a LukasaError."""
    operation = registry.get(name, binding.audience)
    given = check_arguments(name, operation.parameters, arguments)
    scope = given.get("scope")
    if isinstance(scope, str):
        binding.check_scope(scope)
    if name in _LOSING:
        _spare_archive(binding, name, given)
    if name in _MAKING and binding.session is not None:
        given.setdefault("session_id", binding.session)
    subject = binding.handle if operation.for_agents else binding.store
    return Result(operation, operation.run(subject, **given))


def _spare_archive(binding: Binding, name: str, given: Mapping[str, Json]) -> None:
    ref = given.get("ref", given.get("name"))
    if isinstance(ref, int | str) and (name != "update" or given.keys() & {"content", "kind"}):
        binding.spare_archive(ref, _LOSING[name])


async def perform_async(binding: Binding, name: str, arguments: Mapping[str, Json]) -> Result:
    """The same for an async caller: the work is done in a thread, the loop goes on."""
    from asyncio import to_thread  # noqa: PLC0415 - an async caller has it loaded already

    return await to_thread(perform, binding, name, arguments)
