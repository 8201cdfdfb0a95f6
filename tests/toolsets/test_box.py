"""A box: any set, bound to one agent, in the form that a framework takes."""

from __future__ import annotations

import asyncio
import inspect
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Literal, cast, get_type_hints

import pytest

import lukasa
from lukasa import operations
from lukasa.errors import StoreError, UsageError
from lukasa.mcp.desk import Room, Seat
from lukasa.toolsets import HOMES, find_toolset

if TYPE_CHECKING:
    from pathlib import Path

    from lukasa.db.database import Json

    from .conftest import Boxes


@pytest.mark.parametrize("name", HOMES)
def test_every_tool_says_all_of_itself(name: str) -> None:
    toolset = find_toolset(name)
    assert toolset.about.endswith(".")
    for tool in toolset.tools:
        assert tool.signature.subject == "binding"
        assert tool.description.endswith(".")
        assert set(tool.operations) <= operations.all().keys()
        assert all(operations.get(used).for_agents for used in tool.operations)
        assert tool.writes >= any(operations.get(used).writes for used in tool.operations)
        assert tool.destructive >= any(operations.get(used).destructive for used in tool.operations)
        assert json.loads(json.dumps(tool.input_schema)) == tool.input_schema
        assert tool.annotations["readOnlyHint"] is not tool.writes
        for parameter in tool.parameters:
            assert parameter.about.endswith("."), parameter


def test_an_unknown_set_is_told_which_there_are() -> None:
    with pytest.raises(UsageError, match="Choose one of: default, memory, tenant"):
        lukasa.tools("memroy")


def test_a_box_opens_the_store_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUKASA_STORE", str(tmp_path / "m.lukasa"))
    monkeypatch.setenv("LUKASA_AGENT", "eva")
    with lukasa.tools() as box:
        box.call("memory", {"action": "remember", "content": "Tea is green."})
        assert (box.toolset.name, box.binding.agent) == ("default", "eva")
    with lukasa.open(tmp_path / "m.lukasa") as store:
        assert [found.agent for found in store.agents()] == ["eva"]
        shared = lukasa.tools("role", store=store, agent="eva")
        shared.close()
        assert store.stats().entries == 1, "a store that was given stays open"


def test_a_box_can_be_bound_only_to_what_may_be_shared(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="another agent"):
        lukasa.tools(store=tmp_path / "m.lukasa", agent="ana", shares=["agent/ben"])


def test_the_forms_of_providers(box: Boxes) -> None:
    hybrid = box("hybrid")
    openai = hybrid.as_openai()
    assert [cast("dict[str, Json]", tool["function"])["name"] for tool in openai] == [
        "memory_save",
        "memory_search",
        "memory_recall",
        "memory_get",
    ]
    assert all(tool["type"] == "function" for tool in openai)
    ours = hybrid.as_anthropic()[0]
    assert ours.keys() == {"name", "description", "input_schema"}
    assert ours["name"] == "memory_save"
    assert box("anthropic").as_anthropic() == [{"type": "memory_20250818", "name": "memory"}]
    scope = {"scope_type": "agent", "scope_id": "ana"}
    said = hybrid.call("memory_save", {"content": "Called by its plain name.", **scope})
    assert cast("dict[str, Json]", said)["tool"] == "memory.save"


def test_plain_functions_are_typed_and_documented(box: Boxes) -> None:
    remember, recall, _ = box("role").callables()
    assert (remember.__name__, recall.__name__) == ("remember", "recall")
    signature = inspect.signature(recall)
    assert list(signature.parameters) == ["query", "top_k", "category"]
    assert signature.parameters["top_k"].default == 5
    assert get_type_hints(recall) == {"query": str, "top_k": int, "category": str | None, "return": object}
    assert "Args:\n    query: What you want to know" in (recall.__doc__ or "")
    assert remember("Tea is green.", category="tea") == "Remembered (id=1, category=tea)"
    assert "Tea is green." in str(recall("tea", top_k=1))
    action = inspect.signature(box("tenant").callables()[0]).parameters["action"]
    assert action.annotation == Literal["remember", "recall", "forget"]


def test_an_async_caller_gets_the_same(box: Boxes) -> None:
    role = box("role")

    async def work() -> list[Json]:
        texts = [f"Fact number {number}." for number in range(6)]
        return list(await asyncio.gather(*(role.acall("remember", {"content": text}) for text in texts)))

    assert sorted(map(str, asyncio.run(work()))) == [
        f"Remembered (id={number}, category=general)" for number in range(1, 7)
    ]


def test_a_store_that_fails_is_told_and_does_not_raise(tmp_path: Path) -> None:
    (tmp_path / "m.lukasa").write_bytes(b"not a store" * 100)
    try:
        box = lukasa.tools("role", store=tmp_path / "m.lukasa", agent="ana")
        reply = box.reply("recall", {"query": "x"})
    except StoreError:
        return  # refused when it was opened, before there was a box
    assert reply.failed
    assert "go on without memory, and tell the user" in str(reply.said)


def test_what_one_view_writes_another_recalls(box: Boxes) -> None:
    box("session").call("memory_save", {"content": "The deploy key is in the safe."})
    said = box("tenant").call("memory", {"action": "recall", "query": "where is the deploy key"})
    found = cast("list[dict[str, Json]]", cast("dict[str, Json]", said)["results"])
    assert found[0]["content"] == "The deploy key is in the safe."
    assert "in the safe" in str(box("role").call("recall", {"query": "deploy key"}))
    assert "in the safe" in str(box("default").call("list"))


def test_the_table_of_sets_loads_nothing_heavy() -> None:
    heavy = ("apsw", "rich", "numpy", "psycopg", "asyncio", "pydantic", "lukasa.memory", "platformdirs")
    code = (
        "import sys, lukasa.toolsets as t; sets = [t.find_toolset(name) for name in t.HOMES]; "
        "said = [tool.input_schema for s in sets for tool in s.tools]; "
        f"print(*(name for name in {heavy} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


LOSING: list[tuple[str, str, dict[str, Json]]] = [
    ("default", "memory", {"action": "forget", "ref": "/memories/talk"}),
    ("default", "update", {"ref": 1, "content": "x"}),
    ("default", "update", {"ref": 1, "kind": "note"}),
    ("default", "call_tool", {"name": "write", "arguments": {"ref": 1, "content": "x"}}),
    ("default", "call_tool", {"name": "remove", "arguments": {"name": "/memories/talk"}}),
    ("tenant", "memory", {"action": "forget", "id": 1}),
    ("session", "memory_update", {"id": "note-", "content": "x"}),
    ("session", "memory_delete", {"id": "note-"}),
    ("entries", "write", {"name": "/memories/talk", "content": "x"}),
    ("anthropic", "memory", {"command": "delete", "path": "/memories"}),
    ("anthropic", "memory", {"command": "delete", "path": "/memories/talk"}),
    (
        "anthropic",
        "memory",
        {"command": "insert", "path": "/memories/talk", "insert_line": 0, "insert_text": "x"},
    ),
]


@pytest.mark.parametrize(("name", "tool", "arguments"), LOSING)
def test_no_agents_tool_loses_an_archive(
    box: Boxes, name: str, tool: str, arguments: dict[str, Json]
) -> None:
    bound = box(name)
    archive = bound.binding.handle.add("/memories/talk", "What was said.", kind="archive")
    if arguments.get("id") == "note-":
        arguments = arguments | {"id": f"note-{archive.id}"}
    reply = bound.reply(tool, arguments)
    assert reply.failed
    assert bound.binding.handle.get(archive.id) == archive


def test_the_operator_may_do_anything_with_an_archive(store: lukasa.Store) -> None:
    operator = operations.Binding(store=store, agent="ana", audience="operator")
    operator.handle.add("talk", "What was said.", kind="archive")
    operations.perform(operator, "forget", {"ref": "talk"})
    assert store.stats().entries == 0


@pytest.mark.parametrize(
    ("name", "tool", "arguments"),
    [
        ("default", "memory", {"action": "remember"}),
        ("tenant", "memory", {"action": "remember"}),
        ("role", "remember", {}),
        ("hybrid", "memory.save", {"scope_type": "agent", "scope_id": "ana"}),
        ("entries", "add", {"name": "key"}),
        ("session", "memory_save", {}),
        ("anthropic", "memory", {"command": "create", "path": "/memories/key"}),
    ],
)
def test_a_secret_is_stopped_at_every_door(
    box: Boxes, name: str, tool: str, arguments: dict[str, Json]
) -> None:
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    where = "file_text" if name == "anthropic" else "content"
    bound = box(name)
    reply = bound.reply(tool, {**arguments, where: f"The key is {secret}."})
    assert reply.failed
    assert "what looks like a secret" in reply.text
    assert secret not in reply.text
    assert bound.binding.store.stats().entries == 0


def test_the_environment_says_which_model_a_store_is_opened_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUKASA_EMBEDDING", "none")
    with lukasa.tools(store=tmp_path / "tools.lukasa", agent="ana") as bound:
        bound.binding.handle.remember("Tea is green.")
        assert bound.binding.handle.recall("tea").mode == "keyword"
    with Room(str(tmp_path / "server.lukasa"), find_toolset("role")) as room:
        handle = room.desk(Seat(agent="ana")).binding.handle
        handle.remember("Tea is green.")
        assert handle.recall("tea").mode == "keyword"


def test_a_refusal_of_half_a_character_can_be_sent(box: Boxes) -> None:
    said = str(box("default").call("memory", {"action": "\ud83d"}))
    assert said.encode().startswith(b'Error: memory: action cannot be "?".')
