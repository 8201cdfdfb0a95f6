"""Changing a JSON text that somebody else wrote: what is not ours stays as it is, to the byte.

A text that is not plain JSON (comments, trailing commas) is refused. What is put in takes the indentation and
the line ends that are there; taking it out again leaves the text as it was.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lukasa.db.database import Json

# Names of members, and places of items.
Path = tuple[str | int, ...]
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Part:
    """A member of an object (`name` says which) or an item of an array, and where its text stands."""

    name: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Holder:
    """An object or an array: its brackets, and its parts in their order."""

    start: int
    end: int
    parts: tuple[_Part, ...]


def parsed(text: str, where: str) -> dict[str, Json]:
    """The object that a text holds; an error where it is none, or is not plain JSON."""
    try:
        found = cast("Json", json.loads(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{where} is not plain JSON ({error}); it was not touched.",
            fix="Take comments and trailing commas out, or add by hand what --print shows.",
        ) from error
    if not isinstance(found, dict):
        raise UsageError(f"{where} holds no JSON object; it was not touched.", fix="Look at the file.")
    return found


def put(text: str, path: tuple[str, ...], value: Json) -> str:
    """The text with a value at a path of names; the objects on the way are made where they are not there."""
    holder = _root(text)
    for depth, name in enumerate(path):
        part = _named(holder, name)
        if part is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value}
            return _inserted(text, holder, value, name=name, depth=depth)
        if depth == len(path) - 1:
            shown = _rendered(text, value, depth + 1, flat="\n" not in text)
            return text[: part.value] + shown + text[part.end :]
        holder = _holder(text, part.value, "{", path[: depth + 1])
    return text


def append(text: str, path: tuple[str, ...], item: Json) -> str:
    """The text with one more item in the array at a path, which is made where it is not there."""
    holder = _reached(text, path)
    return put(text, path, [item]) if holder is None else _inserted(text, holder, item, depth=len(path))


def drop(text: str, path: tuple[str, ...]) -> str:
    """The text without the member at a path, and without the objects on the way that this leaves empty."""
    holder = _holder_of(text, path[:-1])
    part = _named(holder, path[-1]) if holder else None
    if holder is None or part is None:
        return text
    return _pruned(_without(text, holder, part), path[:-1])


def drop_items(text: str, path: Path, ours: Callable[[Json], bool]) -> str:
    """The text without the items of the array at a path that are ours."""
    while (holder := _reached(text, path)) is not None:
        mine = [part for part in holder.parts if ours(_value(text, part))]
        if not mine:
            return text
        text = _without(text, holder, mine[-1])
    return text


def prune(text: str, path: tuple[str, ...]) -> str:
    """The text without what is empty at a path, and on the way to it."""
    return _pruned(text, path)


def _pruned(text: str, path: tuple[str, ...]) -> str:
    while path:
        holder = _holder_of(text, path[:-1])
        part = _named(holder, path[-1]) if holder else None
        if holder is None or part is None or _value(text, part) not in ({}, []):
            return text
        text, path = _without(text, holder, part), path[:-1]
    return text


def _root(text: str) -> _Holder:
    return _holder(text, _skip(text, 1 if text.startswith("\ufeff") else 0), "{", ())


def _holder_of(text: str, path: Path) -> _Holder | None:
    holder = _root(text)
    for name in path:
        part = _named(holder, name)
        if part is None or text[part.value] not in "{[":
            return None
        holder = _holder(text, part.value, text[part.value], path)
    return holder


def _reached(text: str, path: Path) -> _Holder | None:
    """The array at a path, if it is there."""
    holder = _holder_of(text, path[:-1])
    part = _named(holder, path[-1]) if holder else None
    return _holder(text, part.value, "[", path) if part else None


def _named(holder: _Holder, name: str | int) -> _Part | None:
    """The item at that place, or the member of that name; of several, the one that counts is the last."""
    if isinstance(name, int):
        return holder.parts[name]
    return next((part for part in reversed(holder.parts) if part.name == name), None)


def _holder(text: str, start: int, bracket: str, path: Path) -> _Holder:
    """The object or array that begins at a place."""
    if text[start] != bracket:
        wanted = "an object" if bracket == "{" else "an array"
        raise UsageError(
            f"{wanted.capitalize()} was wanted at {'.'.join(map(str, path))}; the file was not touched.",
            fix="Look at the file.",
        )
    parts: list[_Part] = []
    position = _skip(text, start + 1)
    while text[position] not in "]}":
        first, name = position, ""
        if bracket == "{":
            name, position = cast("tuple[str, int]", _DECODER.raw_decode(text, position))
            position = _skip(text, _skip(text, position) + 1)
        value = position
        _, position = _DECODER.raw_decode(text, position)
        parts.append(_Part(name=name, start=first, value=value, end=position))
        position = _skip(text, position)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return _Holder(start=start, end=position + 1, parts=tuple(parts))


def _skip(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _value(text: str, part: _Part) -> Json:
    return cast("Json", json.loads(text[part.value : part.end]))


def _without(text: str, holder: _Holder, part: _Part) -> str:
    place = holder.parts.index(part)
    if place:
        return text[: holder.parts[place - 1].end] + text[part.end :]
    if len(holder.parts) > 1:
        return text[: part.start] + text[holder.parts[1].start :]
    return text[: holder.start + 1] + text[holder.end - 1 :]


def _inserted(text: str, holder: _Holder, value: Json, *, depth: int, name: str | None = None) -> str:
    """One more part at the end of an object or array."""
    whole = text.strip("\ufeff \t\r\n")
    flat = "\n" not in (text[holder.start : holder.end] if holder.parts else whole) and whole != "{}"
    shown = _rendered(text, value, depth + 1, flat=flat)
    member = shown if name is None else f"{json.dumps(name)}: {shown}"
    if holder.parts:
        last = holder.parts[-1].end
        gap = text[holder.start + 1 : holder.parts[0].start] if not flat else " "
        return f"{text[:last]},{gap}{member}{text[last:]}"
    end, unit = _line_end(text), _unit(text)
    inner = "" if flat else f"{end}{unit * (depth + 1)}"
    outer = "" if flat else f"{end}{unit * depth}"
    return f"{text[: holder.start + 1]}{inner}{member}{outer}{text[holder.end - 1 :]}"


def _rendered(text: str, value: Json, depth: int, *, flat: bool) -> str:
    if flat:
        return json.dumps(value, ensure_ascii=False)
    shown = json.dumps(value, ensure_ascii=False, indent=_unit(text))
    return shown.replace("\n", f"{_line_end(text)}{_unit(text) * depth}")


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """One step of indentation, as the text has it."""
    found = re.match(r"\ufeff?\s*\{[ \t]*\r?\n([ \t]+)\S", text)
    return found[1] if found else "  "
