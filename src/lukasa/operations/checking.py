"""Arguments against what an operation takes: what was wanted, what was found, what to do.

Always true: what passes fits the schema that was shown; what does not has reached nothing. Null for an
argument that may be left out is the same as leaving it out, since models write it so.
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, cast

from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lukasa.db.database import Json
    from lukasa.operations.signatures import Parameter

_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_FORMS: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": NoneType,
}
_SHOWN = 60


def check_arguments(
    name: str, parameters: Sequence[Parameter], arguments: Mapping[str, Json]
) -> dict[str, Json]:
    """The arguments that were given, fit to be passed on."""
    known = {parameter.name: parameter for parameter in parameters}
    for given in arguments:
        if given not in known:
            raise unknown(f"{name} takes no argument {given!r}.", given, known)
    kept = {
        given: value for given, value in arguments.items() if value is not None or _takes_null(known[given])
    }
    for parameter in parameters:
        if parameter.required and parameter.name not in kept:
            raise UsageError(
                f"{name} needs {parameter.name!r}, which is missing.",
                fix=f"Give {parameter.name}: {parameter.about}",
            )
    for given, value in kept.items():
        check_value(f"{name}: {given}", known[given].schema, value)
    return kept


def unknown(message: str, given: str, known: Iterable[str]) -> UsageError:
    """An error for a word that is not among the known ones, with the nearest of them, or all."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    words = list(known)
    near = get_close_matches(given, words, n=2, cutoff=0.6)
    listed = f"It takes {', '.join(words)}." if words else "It takes none."
    return UsageError(message, fix=f"Did you mean {' or '.join(map(repr, near))}?" if near else listed)


def _takes_null(parameter: Parameter) -> bool:
    return "null" in _types(parameter.schema)


def _types(schema: Mapping[str, Json]) -> list[str]:
    types = schema.get("type", [])
    return cast("list[str]", types if isinstance(types, list) else [types])


def check_value(where: str, schema: Mapping[str, Json], value: Json) -> None:
    """Refuses a value that does not fit its schema."""
    types = _types(schema)
    if not any(_is(kind, value) for kind in types):
        wanted = " or ".join(_WORDS[kind] for kind in types)
        raise UsageError(f"{where} should be {wanted}, found {_shown(value)}.", fix="Write it so.")
    allowed = cast("list[Json] | None", schema.get("enum"))
    if allowed is not None and value not in allowed:
        listed = [str(word) for word in allowed if word is not None]
        raise unknown(f"{where} cannot be {_shown(value)}.", str(value), listed)
    if isinstance(value, list):
        items = cast("Mapping[str, Json]", schema["items"])
        for place, item in enumerate(value, 1):
            check_value(f"{where}, item {place}", items, item)
    if isinstance(value, dict) and "properties" in schema:
        _check_object(where, schema, value)


def _check_object(where: str, schema: Mapping[str, Json], value: Mapping[str, Json]) -> None:
    properties = cast("dict[str, dict[str, Json]]", schema["properties"])
    for name, part in value.items():
        if name not in properties:
            raise unknown(f"{where} takes no {name!r}.", name, properties)
        check_value(f"{where}.{name}", properties[name], part)
    for name in cast("list[str]", schema.get("required", [])):
        if name not in value:
            raise UsageError(
                f"{where} needs {name!r}, which is missing.",
                fix=f"Give {name}: {properties[name]['description']}",
            )


def _is(kind: str, value: Json) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _FORMS[kind])


def _shown(value: Json) -> str:
    import json  # noqa: PLC0415 - only a mistake needs it

    # Half a character, which JSON can spell, could not be sent on.
    text = json.dumps(value, ensure_ascii=False).encode(errors="replace").decode()
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
