"""The tenant view: one tool, exact replies, no scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from lukasa.db.database import Json

    from .conftest import Boxes


def test_what_is_remembered_is_recalled_and_forgotten(box: Boxes) -> None:
    memory = box("tenant")
    said = memory.call(
        "memory", {"action": "remember", "content": "The user lives in Madrid.", "tags": ["Home"]}
    )
    assert said == {"ok": True, "id": 1}
    assert memory.call("memory", {"action": "recall", "query": "where does the user live"}) == {
        "ok": True,
        "results": [{"id": 1, "content": "The user lives in Madrid.", "tags": ["home"]}],
    }
    assert memory.call("memory", {"action": "forget", "id": 1}) == {"ok": True}
    assert memory.call("memory", {"action": "recall", "query": "Madrid"}) == {"ok": True, "results": []}


def test_five_results_are_given_unless_more_are_asked_for(box: Boxes) -> None:
    memory = box("tenant")
    for number in range(9):
        memory.call("memory", {"action": "remember", "content": f"Tea number {number} is green."})

    def count(**more: Json) -> int:
        said = memory.call("memory", {"action": "recall", "query": "green tea", **more})
        return len(cast("list[Json]", cast("dict[str, Json]", said)["results"]))

    assert (count(), count(limit=7), count(limit=0)) == (5, 7, 0)


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ({}, "action"),
        ({"action": "remember"}, "content"),
        ({"action": "remember", "content": "  "}, "content"),
        ({"action": "recall"}, "query"),
        ({"action": "recall", "query": ""}, "query"),
        ({"action": "forget"}, "id"),
    ],
)
def test_an_error_names_what_is_missing(box: Boxes, arguments: dict[str, Json], missing: str) -> None:
    reply = box("tenant").reply("memory", arguments)
    said = cast("dict[str, str]", reply.said)
    assert reply.failed
    assert said["ok"] is False  # pyright: ignore[reportUnnecessaryComparison]
    assert f"needs '{missing}', which is missing" in said["error"]


def test_another_agents_memory_is_neither_recalled_nor_forgotten(box: Boxes) -> None:
    box("tenant", agent="ben").call("memory", {"action": "remember", "content": "Ben keeps a secret garden."})
    ana = box("tenant")
    assert ana.call("memory", {"action": "recall", "query": "garden"}) == {"ok": True, "results": []}
    refused = cast("dict[str, str]", ana.call("memory", {"action": "forget", "id": 1}))
    assert "There is no entry 1." in refused["error"]
    assert box("tenant", agent="ben").binding.handle.get(1)


@pytest.mark.parametrize("widening", ["agent_id", "agent", "scope", "shares"])
def test_no_argument_widens_the_binding(box: Boxes, widening: str) -> None:
    said = box("tenant").call("memory", {"action": "recall", "query": "x", widening: "ben"})
    assert f"memory takes no argument '{widening}'" in cast("dict[str, str]", said)["error"]


def test_an_unknown_action_is_told_the_nearest(box: Boxes) -> None:
    said = box("tenant").call("memory", {"action": "forgot", "id": 1})
    assert "Did you mean 'forget'?" in cast("dict[str, str]", said)["error"]


def test_new_memories_come_from_the_bound_session(box: Boxes) -> None:
    memory = box("memory")
    memory.call("memory", {"action": "remember", "content": "Tea is green."})
    assert memory.binding.handle.get(1).session_id == "s1"
