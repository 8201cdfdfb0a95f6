"""JSON that somebody else wrote: what is put in and taken out again leaves every other byte as it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.errors import UsageError
from lukasa.install import json_text

if TYPE_CHECKING:
    from lukasa.db.database import Json

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.text(max_size=5).filter(lambda name: name != "lukasa"), VALUES, max_size=4)
INDENTS = st.sampled_from([None, 1, 2, 4, "\t"])
MINE: Json = {"command": "lukasa", "args": ["mcp"]}


def mine(item: Json) -> bool:
    return item == MINE


@given(found=OBJECTS, indent=INDENTS)
def test_what_is_put_in_is_there_and_nothing_else_moved(
    found: dict[str, Json], indent: int | str | None
) -> None:
    text = json.dumps(found, indent=indent)
    done = json_text.put(text, ("lukasa", "server"), MINE)
    assert json.loads(done) == {**found, "lukasa": {"server": MINE}}
    if found:
        assert done.startswith(text.rstrip("}").rstrip())
        assert json_text.drop(done, ("lukasa", "server")) == text


@given(found=OBJECTS, items=st.lists(VALUES, max_size=3), indent=INDENTS)
def test_an_item_goes_to_the_end_and_out_again(
    found: dict[str, Json], items: list[Json], indent: int | str | None
) -> None:
    text = json.dumps({**found, "lukasa": {"list": items}}, indent=indent)
    done = json_text.append(text, ("lukasa", "list"), MINE)
    assert json.loads(done)["lukasa"]["list"] == [*items, MINE]
    again = json_text.drop_items(done, ("lukasa", "list"), mine)
    assert json.loads(again) == json.loads(text)
    if items:
        assert again == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{}\n", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ('{"x":1}', '{"x":1, "a": {"b": 1}}'),
        ('{\r\n\t"x": 1\r\n}\r\n', '{\r\n\t"x": 1,\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n'),
        ('\ufeff{"x": 1}', '\ufeff{"x": 1, "a": {"b": 1}}'),
        ('{\n    "a": {}\n}\n', '{\n    "a": {\n        "b": 1\n    }\n}\n'),
        ('{\n  "a": {"c": 2}\n}', '{\n  "a": {"c": 2, "b": 1}\n}'),
        ('{"a": {"b": [9]}}', '{"a": {"b": 1}}'),
        ('{"a": 5, "a": {"b": 0}}', '{"a": 5, "a": {"b": 1}}'),
        ('{ "é\\u0061": "}]{[" , "a" : { } }', '{ "é\\u0061": "}]{[" , "a" : {"b": 1} }'),
    ],
)
def test_the_form_that_is_there_is_kept(text: str, wanted: str) -> None:
    assert json_text.put(text, ("a", "b"), 1) == wanted


def test_what_becomes_empty_goes_too_and_what_was_there_stays() -> None:
    text = '{"hooks": {"Stop": [1], "Start": [2]}, "x": 1}'
    one = json_text.prune(
        json_text.drop_items(text, ("hooks", "Stop"), lambda item: item == 1), ("hooks", "Stop")
    )
    assert one == '{"hooks": {"Start": [2]}, "x": 1}'
    none = json_text.prune(
        json_text.drop_items(one, ("hooks", "Start"), lambda item: item == 2), ("hooks", "Start")
    )
    assert none == '{"x": 1}'
    assert json_text.prune(text, ("hooks", "Stop")) == text
    assert json_text.drop(text, ("hooks", "None", "such")) == text
    assert json_text.drop_items(text, ("no", "such"), lambda _: True) == text


@pytest.mark.parametrize(
    "text", ["", "[]", "1", "{", '{"a": 1,}', '{"a": 1 // why\n}', "{'a': 1}", "/* x */ {}", '{"a": 1} x']
)
def test_what_is_not_one_plain_object_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="it was not touched"):
        json_text.parsed(text, "the file")


@pytest.mark.parametrize("text", ['{"a": 1}', '{"a": [1]}', '{"a": {"b": {}}}'])
def test_what_stands_in_the_way_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="was wanted at a"):
        json_text.append(text, ("a", "b"), cast("Json", 1))
