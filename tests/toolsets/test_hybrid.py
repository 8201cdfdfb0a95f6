"""The hybrid view: a scope that must be named, an envelope around every reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from lukasa.db.database import Json

    from .conftest import Boxes


def envelope(said: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", said)


def results(said: Json) -> list[dict[str, Json]]:
    return cast("list[dict[str, Json]]", cast("dict[str, Json]", envelope(said)["data"])["results"])


@pytest.mark.parametrize(
    ("scope", "space"),
    [
        ({"scope_type": "agent", "scope_id": "ana"}, "agent/ana"),
        ({"scope": {"type": "project", "id": "apollo"}}, "project/apollo"),
        ({"scope_type": "channel", "scope_id": "s9"}, "channel/agent:ana:session:s9"),
        ({"scope_type": "channel", "scope": {"id": "agent:ana:session:s9"}}, "channel/agent:ana:session:s9"),
    ],
)
def test_a_save_goes_into_the_scope_that_it_names(box: Boxes, scope: dict[str, Json], space: str) -> None:
    hybrid = box("hybrid")
    said = envelope(
        hybrid.call("memory.save", {"content": "The API is frozen.", "kind": "decision", **scope})
    )
    assert (said["tool"], said["ok"]) == ("memory.save", True)
    entry = cast("dict[str, Json]", cast("dict[str, Json]", said["data"])["entry"])
    kind, _, name = space.partition("/")
    assert entry["scope"] == {"type": kind, "id": name}
    assert hybrid.binding.handle.get(str(entry["id"])).space == space


@pytest.mark.parametrize(
    "scope",
    [
        {},
        {"scope_type": "agent"},
        {"scope_id": "ana"},
        {"scope": {"type": "project"}},
        {"scope": {}},
        {"scope_type": "agent", "scope_id": "ben"},
        {"scope_type": "project", "scope_id": "zeus"},
        {"scope_type": "channel", "scope_id": "agent:ben:session:s1"},
        {"scope_type": "project", "scope_id": "no id"},
    ],
)
def test_without_a_scope_that_may_be_used_nothing_is_saved(box: Boxes, scope: dict[str, Json]) -> None:
    hybrid = box("hybrid")
    said = envelope(hybrid.call("memory.save", {"content": "The API is frozen.", **scope}))
    assert said.keys() == {"tool", "ok", "error"}
    assert (said["tool"], said["ok"]) == ("memory.save", False)
    assert str(said["error"]).startswith("Set memory scope")
    assert hybrid.binding.store.stats().entries == 0


def test_search_is_by_keyword_and_recall_by_meaning(box: Boxes) -> None:
    hybrid = box("hybrid")
    scope: dict[str, Json] = {"scope_type": "agent", "scope_id": "ana"}
    for text in ("The physician prescribed a medicine.", "The car has four wheels."):
        hybrid.call("memory.save", {"content": text, **scope})
    assert results(hybrid.call("memory.search", {"query": "doctor"})) == []
    assert results(hybrid.call("memory.search", {"query": "physician"}))[0]["content"] == (
        "The physician prescribed a medicine."
    )
    for name in ("memory.recall", "memory.get"):
        found = results(hybrid.call(name, {"query": "doctor"}))
        assert found[0]["content"] == "The physician prescribed a medicine."


def test_eight_are_given_and_kinds_are_a_must(box: Boxes) -> None:
    hybrid = box("hybrid")
    for number in range(10):
        hybrid.binding.handle.remember(f"Deploy number {number} went well.", kind="fact")
    hybrid.binding.handle.remember("We deploy on Fridays.", kind="decision")
    said = hybrid.call("memory.recall", {"query": "deploy"})
    assert len(results(said)) == 8
    assert cast("dict[str, Json]", envelope(said)["data"])["count"] == 8
    only = results(hybrid.call("memory.recall", {"query": "deploy", "kinds": ["decision"]}))
    assert [found["content"] for found in only] == ["We deploy on Fridays."]
    assert only[0]["kind"] == "decision"


def test_an_error_has_its_envelope(box: Boxes) -> None:
    said = envelope(box("hybrid").call("memory.recall", {"query": "x", "topK": 3}))
    assert said == {
        "tool": "memory.recall",
        "ok": False,
        "error": "memory.recall takes no argument 'topK'. Did you mean 'top_k'?",
    }
    assert envelope(box("hybrid").call("memory.recal", {}))["ok"] is False
