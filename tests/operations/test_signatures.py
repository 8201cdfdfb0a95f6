"""Schemas come from signatures: each type has its JSON form, each parameter its text."""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypedDict, Unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa import operations
from lukasa.operations.signatures import docstring_of, object_schema, schema_of, signature_of

if typing.TYPE_CHECKING:
    from lukasa.handle import Handle

TYPES = {"string", "integer", "number", "boolean", "array", "object", "null"}


class Extra(TypedDict, total=False):
    colour: Annotated[Literal["red", "blue"], "Which colour."]
    size: Annotated[float | None, "How large; null for none."]


def paint(handle: Handle, wall: str, times: int = 2, *, by: str | None = None, **extra: Unpack[Extra]) -> str:
    """Paint a wall.

    It takes
    a while.

    wall: Which wall,
      of all.
    times: How often.
    by: Who does it.
    """
    return f"{handle}{wall}{times}{by}{extra}"


def test_a_signature_becomes_a_schema() -> None:
    read = signature_of(paint)
    assert (read.subject, read.summary, read.about) == ("handle", "Paint a wall.", "It takes a while.")
    assert object_schema(read.parameters) == {
        "type": "object",
        "properties": {
            "wall": {"type": "string", "description": "Which wall, of all."},
            "times": {"type": "integer", "default": 2, "description": "How often."},
            "by": {"type": "string", "description": "Who does it."},
            "colour": {"type": "string", "enum": ["red", "blue"], "description": "Which colour."},
            "size": {"type": ["number", "null"], "description": "How large; null for none."},
        },
        "additionalProperties": False,
        "required": ["wall"],
    }


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (int | str, {"type": ["integer", "string"]}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (Mapping, {"type": "object"}),
        (Literal["a"] | None, {"type": ["string", "null"], "enum": ["a", None]}),
        (bool, {"type": "boolean"}),
    ],
)
def test_a_type_has_its_json_form(hint: object, schema: object) -> None:
    assert schema_of(hint) == schema


def test_a_type_without_a_json_form_is_refused() -> None:
    with pytest.raises(TypeError, match="no JSON schema"):
        schema_of(bytes)


def test_a_parameter_without_a_text_is_refused() -> None:
    def silent(handle: Handle, wall: str) -> str:
        """Paint."""
        return f"{handle}{wall}"

    with pytest.raises(KeyError, match="wall"):
        signature_of(silent)


@given(st.lists(st.from_regex(r"[a-z]{1,9}", fullmatch=True), unique=True, min_size=1, max_size=5))
def test_texts_of_parameters_are_read_whatever_their_names(names: list[str]) -> None:
    class Owner:
        pass

    Owner.__doc__ = "Do it.\n\nSome prose: not a parameter.\n\n" + "\n".join(
        f"{n}: About {n}." for n in names
    )
    summary, about, texts = docstring_of(Owner)
    assert (summary, about) == ("Do it.", "Some prose: not a parameter.")
    assert texts == {name: f"About {name}." for name in names}


@pytest.mark.parametrize("name", operations.all())
def test_an_operation_says_all_of_itself(name: str) -> None:
    found = operations.get(name)
    assert found.summary.endswith(".")
    assert found.about.endswith(".")
    for parameter in found.parameters:
        assert parameter.about.endswith("."), parameter
        assert set(_types(parameter.schema)) <= TYPES


def _types(schema: Mapping[str, object]) -> list[object]:
    types = schema["type"]
    return list(types) if isinstance(types, list) else [types]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def test_hints_agree_with_each_other() -> None:
    for found in operations.all().values():
        assert found.writes or not found.destructive, found.name
        assert found.writes or found.idempotent, found.name
        assert "operator" in found.audience
