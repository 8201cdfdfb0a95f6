"""What a function takes, read from its signature and docstring: the one source of schemas and of help.

A docstring is a summary line, prose, and as its last paragraph one line `name: text` for each parameter, a
longer text going on in indented lines. Parameters that belong together are a TypedDict, unpacked, each key
Annotated with its text. Always true: a parameter without a text is an error here, not a gap in the help.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, SimpleNamespace, UnionType
from typing import (
    TYPE_CHECKING,
    Literal,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lukasa.db.database import Json

_ABOUT = r"(\w+): (.+(?:\n[ ]+.+)*)"
_TYPES: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Parameter:
    """One argument that may be given by name."""

    name: str
    schema: Mapping[str, Json]
    required: bool
    default: Json
    about: str
    hint: object


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Signature:
    """What a function says of itself; `subject` is its first parameter, which no caller gives."""

    subject: str
    summary: str
    about: str
    parameters: tuple[Parameter, ...]


def signature_of(function: Callable[..., object]) -> Signature:
    """Everything that a function says of itself."""
    summary, about, texts = docstring_of(function)
    subject, *rest = inspect.signature(function).parameters.values()
    hints = _hints(function, [parameter.name for parameter in rest])
    parameters: list[Parameter] = []
    for parameter in rest:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            parameters += _unpacked(get_args(hints[parameter.name])[0])
        else:
            parameters.append(_parameter(parameter, hints[parameter.name], texts))
    return Signature(subject=subject.name, summary=summary, about=about, parameters=tuple(parameters))


def object_schema(parameters: Sequence[Parameter]) -> dict[str, Json]:
    """The parameters as the JSON schema of one object."""
    properties: dict[str, Json] = {
        parameter.name: {**parameter.schema, "description": parameter.about} for parameter in parameters
    }
    required: list[Json] = [parameter.name for parameter in parameters if parameter.required]
    schema: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    return schema


def _hints(function: Callable[..., object], names: Sequence[str]) -> dict[str, object]:
    """The types of some parameters. The others, such as the subject's, need not be known when it runs."""
    holder = SimpleNamespace(__annotations__={name: function.__annotations__[name] for name in names})
    return get_type_hints(holder, globalns=function.__globals__, include_extras=True)


def _parameter(parameter: inspect.Parameter, hint: object, texts: Mapping[str, str]) -> Parameter:
    required = parameter.default is inspect.Parameter.empty
    default = cast("Json", None if required else parameter.default)
    schema = schema_of(hint, nullable=default is not None)
    if default is not None:
        schema["default"] = default
    return Parameter(
        name=parameter.name,
        schema=schema,
        required=required,
        default=default,
        about=texts[parameter.name],
        hint=hint,
    )


def _unpacked(parts: type) -> Iterator[Parameter]:
    """The keys of a TypedDict, each a parameter."""
    wanted: frozenset[str] = parts.__required_keys__  # type: ignore[attr-defined]
    for name, hint in get_type_hints(parts, include_extras=True).items():
        kind, about = get_args(hint)
        yield Parameter(
            name=name, schema=schema_of(kind), required=name in wanted, default=None, about=about, hint=kind
        )


def schema_of(hint: object, *, nullable: bool = True) -> dict[str, Json]:
    """The JSON schema of a type; with `nullable`, null where the type has None."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint in _TYPES:
        return {"type": _TYPES[hint]}
    if origin is Literal:
        return {"type": "string", "enum": list(parts)}
    if origin in {Union, UnionType}:
        return _any_of(parts, nullable=nullable and NoneType in parts)
    if origin in {list, Sequence}:
        return {"type": "array", "items": schema_of(parts[0])}
    if hint is Mapping:
        return {"type": "object"}
    if is_typeddict(hint):
        return object_schema(list(_unpacked(cast("type", hint))))
    raise TypeError(f"no JSON schema is known for {hint!r}")


def _any_of(parts: Sequence[object], *, nullable: bool) -> dict[str, Json]:
    """One of several types: plain ones beside each other, and null with whatever may be empty."""
    known = [schema_of(part) for part in parts if part is not NoneType]
    if len(known) == 1 and not nullable:
        return known[0]
    merged: dict[str, Json] = {}
    for schema in known:
        merged.update(schema)
    types: list[Json] = list(dict.fromkeys(str(schema["type"]) for schema in known))
    merged["type"] = [*types, "null"] if nullable else types
    if "enum" in merged and nullable:
        merged["enum"] = [*cast("list[Json]", merged["enum"]), None]
    return merged


def docstring_of(owner: object) -> tuple[str, str, dict[str, str]]:
    """The summary, the prose, and the text of each parameter."""
    summary, _, rest = inspect.cleandoc(owner.__doc__ or "").partition("\n")
    *prose, last = rest.strip().split("\n\n")
    found = list(re.finditer(_ABOUT, last))
    if not found or "\n".join(match[0] for match in found) != last:
        return summary, _flowing([*prose, last]), {}
    return summary, _flowing(prose), {match[1]: " ".join(match[2].split()) for match in found}


def _flowing(paragraphs: Sequence[str]) -> str:
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).strip()
