"""Every tool of every set is called by a client: each answers, in the form that it declared."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest
from mcp.types import TextContent

from lukasa.toolsets import find_toolset

if TYPE_CHECKING:
    from mcp import Client

    from conftest import Talk
    from lukasa.db.database import Json

pytestmark = pytest.mark.usefixtures("location")

Call = tuple[str, "dict[str, object]"]
TEXT = "The user prefers short answers."
NOTE = "?"  # stands for the id that the first call gave
CALLS: dict[str, tuple[Call, ...]] = {
    "default": (
        ("memory", {"action": "remember", "content": TEXT, "tags": ["tone"]}),
        ("memory", {"action": "recall", "query": "how long should answers be"}),
        ("add", {"name": "deploy", "content": "Deploy with make release."}),
        ("get", {"ref": "deploy"}),
        ("list", {"limit": 5}),
        ("update", {"ref": "deploy", "importance": 0.9}),
        ("complete", {"ref": "deploy"}),
        ("link", {"from_ref": "deploy", "relation": "about", "to_ref": 1}),
        ("history", {"ref": "deploy"}),
        ("find_tool", {"query": "rename an entry"}),
        ("call_tool", {"name": "rename", "arguments": {"ref": "deploy", "name": "release"}}),
        ("memory", {"action": "forget", "ref": "release"}),
    ),
    "tenant": (
        ("memory", {"action": "remember", "content": TEXT, "tags": ["tone"]}),
        ("memory", {"action": "recall", "query": "how long should answers be"}),
        ("memory", {"action": "forget", "id": 1}),
    ),
    "role": (
        ("remember", {"content": TEXT, "category": "preferences"}),
        ("recall", {"query": "how long should answers be"}),
        ("list_memories", {}),
    ),
    "hybrid": (
        ("memory.save", {"content": TEXT, "scope_type": "agent", "scope_id": "main"}),
        ("memory.search", {"query": "answers"}),
        ("memory.recall", {"query": "how long should answers be"}),
        ("memory_get", {"query": "how long should answers be"}),  # as clients spell it that take no dots
        ("memory.get", {"query": "how long should answers be"}),
    ),
    "entries": (
        ("remember", {"name": "style", "content": TEXT}),
        ("recall", {"query": "style"}),
        ("add", {"name": "deploy", "content": "Deploy with make release."}),
        ("rename", {"name": "deploy", "new_name": "release"}),
        ("alias", {"name": "release", "alias": "ship"}),
        ("write", {"name": "ship", "content": "Deploy on Fridays."}),
        ("remove", {"name": "ship"}),
        ("forget", {"name": "style"}),
    ),
    "session": (
        ("memory_save", {"content": TEXT, "tags": ["tone"], "source": "mail"}),
        ("memory_search", {"query": "how long should answers be"}),
        ("memory_update", {"id": NOTE, "content": "The user prefers long answers."}),
        ("memory_delete", {"id": NOTE}),
    ),
    "anthropic": (
        ("memory", {"command": "create", "path": "/memories/style.md", "file_text": f"{TEXT}\n"}),
        ("memory", {"command": "view", "path": "/memories"}),
        ("memory", {"command": "view", "path": "/memories/style.md"}),
    ),
}
WRONG: dict[str, Call] = {
    "tenant": ("memory", {"action": "forget", "id": 404}),
    "hybrid": ("memory.save", {"content": TEXT}),
    "session": ("memory_delete", {"id": "note-nobody"}),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_tool_of_a_set_answers(talk: Talk, name: str) -> None:
    called = {tool.replace("_get", ".get") if name == "hybrid" else tool for tool, _ in CALLS[name]}
    assert called == find_toolset(name).by_name.keys(), "call each tool of the set at least once"

    async def said(client: Client) -> None:
        await client.list_tools()  # from now on the client holds each answer against the tool's schema
        note = ""
        for tool, arguments in CALLS[name]:
            given = {key: note if value == NOTE else value for key, value in arguments.items()}
            answer = await client.call_tool(tool, given)
            [part] = answer.content
            assert isinstance(part, TextContent)
            assert not answer.is_error, f"{tool}: {part.text}"
            assert part.text
            data = cast("dict[str, Json] | None", answer.structured_content)
            assert data is None or json.loads(part.text) == data
            note = note or str((data or {}).get("id", ""))

    talk(said, tools=name)


@pytest.mark.parametrize("name", ["tenant", "hybrid", "session"])
def test_a_set_that_speaks_in_documents_declares_and_keeps_their_form(talk: Talk, name: str) -> None:
    async def said(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            assert tool.output_schema == find_toolset(name).replies
        refused = await client.call_tool(*WRONG[name])
        assert refused.is_error
        assert isinstance(cast("dict[str, Json]", refused.structured_content)["error"], str)

    talk(said, tools=name)


@pytest.mark.parametrize("name", ["default", "role", "entries", "anthropic"])
def test_a_set_that_speaks_in_words_declares_no_form(talk: Talk, name: str) -> None:
    async def said(client: Client) -> None:
        assert [tool.output_schema for tool in (await client.list_tools()).tools if tool.output_schema] == []
        tool, arguments = CALLS[name][0]
        assert (await client.call_tool(tool, arguments)).structured_content is None

    talk(said, tools=name)
