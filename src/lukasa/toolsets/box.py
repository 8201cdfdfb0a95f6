"""A tool set bound to one agent's memory: what an application calls, or hands to a framework.

Always true: a call never raises for what a model did wrong, it tells the model; arguments are checked before
anything runs; nothing reaches beyond the binding.
"""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, cast

from lukasa.errors import LukasaError, NotFoundError
from lukasa.operations.checking import check_arguments
from lukasa.operations.dispatch import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from lukasa.db.database import Json
    from lukasa.operations.binding import Binding
    from lukasa.operations.signatures import Parameter
    from lukasa.toolsets.table import Tool, Toolset


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What a call gives: what the view says, whether it failed, and the same as a document for programs."""

    said: Json
    document: Json
    failed: bool = False

    @property
    def text(self) -> str:
        """What the view says, as text."""
        return self.said if isinstance(self.said, str) else json.dumps(self.said, ensure_ascii=False)


class Toolbox:
    """The tools of a set, for one agent."""

    def __init__(self, toolset: Toolset, binding: Binding, *, owned: bool = False) -> None:
        self.toolset = toolset
        self.binding = binding
        self._owned = owned

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store, if it was opened for this box."""
        if self._owned:
            self.binding.store.close()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool, in the order in which a model should read them."""
        return self.toolset.tools

    def call(self, name: str, arguments: Mapping[str, Json] | None = None) -> Json:
        """What a tool says: text or JSON, as its view has it."""
        return self.reply(name, arguments).said

    async def acall(self, name: str, arguments: Mapping[str, Json] | None = None) -> Json:
        """The same for an async caller: the work is done in a thread."""
        return (await self.areply(name, arguments)).said

    async def areply(self, name: str, arguments: Mapping[str, Json] | None = None) -> Reply:
        """`reply` for an async caller."""
        from asyncio import to_thread  # noqa: PLC0415 - an async caller has it loaded already

        return await to_thread(self.reply, name, arguments)

    def reply(self, name: str, arguments: Mapping[str, Json] | None = None) -> Reply:
        """All that a call gives; what goes wrong is told in the way of the set."""
        try:
            tool = self._tool(name)
            name = tool.name
            given = check_arguments(name, tool.parameters, arguments or {})
            said = tool.run(self.binding, **given)
        except LukasaError as error:
            refusal = self.toolset.refuse(name, error)
            return Reply(said=refusal, document=refusal, failed=True)
        if isinstance(said, Result):
            return Reply(said=said.text, document=said.json)
        return Reply(said=said, document=said)

    def _tool(self, name: str) -> Tool:
        known = self.toolset.by_name
        spelled = {plain(tool): tool for tool in known}
        found = known.get(name) or known.get(spelled.get(name, ""))
        if found is None:
            from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

            raise NotFoundError(wanted=f"tool {name!r}", near=get_close_matches(name, known) or list(known))
        return found

    def as_openai(self) -> list[dict[str, Json]]:
        """The tools as OpenAI's chat completions take them, and most that are compatible."""
        return [
            {
                "type": "function",
                "function": {
                    "name": plain(tool.name),
                    "description": tool.description,
                    "parameters": tool.input_schema,
                },
            }
            for tool in self.tools
        ]

    def as_anthropic(self) -> list[dict[str, Json]]:
        """The tools as Anthropic's messages take them."""
        return [
            {"type": tool.known_as, "name": tool.name}
            if tool.known_as
            else {
                "name": plain(tool.name),
                "description": tool.description,
                "input_schema": tool.input_schema,
            }
            for tool in self.tools
        ]

    def callables(self) -> list[Callable[..., Json]]:
        """The tools as plain typed functions, for frameworks that take functions."""
        return [self._function(tool) for tool in self.tools]

    def _function(self, tool: Tool) -> Callable[..., Json]:
        def function(*values: Json, **named: Json) -> Json:
            names = (parameter.name for parameter in tool.parameters)
            return self.call(tool.name, dict(zip(names, values, strict=False)) | named)

        signature = _python_signature(tool)
        function.__name__ = function.__qualname__ = plain(tool.name)
        function.__doc__ = _python_docstring(tool)
        function.__annotations__ = {
            parameter.name: parameter.annotation for parameter in signature.parameters.values()
        } | {"return": object}
        vars(function)["__signature__"] = signature
        return function


def plain(name: str) -> str:
    """A tool's name in the letters that every provider takes."""
    return name.replace(".", "_")


def _python_signature(tool: Tool) -> inspect.Signature:
    """Required arguments first, the others by name; None stands for leaving one out."""
    parameters = [
        inspect.Parameter(
            parameter.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD if parameter.required else inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if parameter.required else parameter.default,
            annotation=_annotation(parameter),
        )
        for parameter in sorted(tool.parameters, key=lambda parameter: not parameter.required)
    ]
    return inspect.Signature(parameters, return_annotation=object)


def _annotation(parameter: Parameter) -> object:
    """The type, with None where leaving it out is None."""
    hint = cast("type", parameter.hint)
    return hint if parameter.required or parameter.default is not None else hint | None


def _python_docstring(tool: Tool) -> str:
    """The description, and each argument in the form that most frameworks read."""
    arguments = "".join(f"\n    {parameter.name}: {parameter.about}" for parameter in tool.parameters)
    return f"{tool.description}\n\nArgs:{arguments}" if arguments else tool.description
