"""The first answer, which is given without the SDK, is the one that the SDK would give."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, cast

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from lukasa.mcp.card import HANDSHAKE_VERSIONS, NAME, welcome
from lukasa.mcp.desk import Room, Seat
from lukasa.mcp.greeting import greet
from lukasa.mcp.server import build
from lukasa.toolsets import find_toolset

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.server.lowlevel import Server

    from lukasa.db.database import Json

CLIENT: dict[str, Json] = {"name": "test", "version": "1"}
FLAWED: tuple[tuple[str, dict[str, Json]], ...] = (
    ("no version", {"protocolVersion": None}),
    ("a version that is a number", {"protocolVersion": 20250618}),
    ("no capabilities", {"capabilities": None}),
    ("capabilities as a list", {"capabilities": []}),
    ("no client", {"clientInfo": None}),
    ("a client without a version", {"clientInfo": {"name": "x"}}),
    ("a client whose name is a number", {"clientInfo": {"name": 1, "version": "1"}}),
)


def hello(identity: Json = 1, **changed: Json) -> dict[str, Json]:
    params: dict[str, Json] = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
    params |= changed
    return {"jsonrpc": "2.0", "id": identity, "method": "initialize", "params": params}


def line(message: Json) -> bytes:
    return json.dumps(message).encode() + b"\n"


@pytest.fixture
def server(tmp_path: Path) -> Server:
    room = Room(str(tmp_path / "never.lukasa"), find_toolset("role"))
    return build(room, lambda: Seat(agent="main"))


def of_the_sdk(server: Server, sent: bytes) -> dict[str, Json]:
    """What the SDK answers to one line."""

    answered: list[SessionMessage] = []

    async def asked() -> None:
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](1)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](1)
        async with to_server, from_client, to_client, from_server, anyio.create_task_group() as group:
            group.start_soon(server.run, from_client, to_client, server.create_initialization_options())
            await to_server.send(SessionMessage(jsonrpc_message_adapter.validate_json(sent, by_name=False)))
            answered.append(await from_server.receive())
            group.cancel_scope.cancel()

    asyncio.run(asked())
    said = answered[0].message.model_dump_json(by_alias=True, exclude_unset=True)
    return cast("dict[str, Json]", json.loads(said))


def test_the_versions_are_the_sdks() -> None:
    assert tuple(HANDSHAKE_PROTOCOL_VERSIONS) == HANDSHAKE_VERSIONS


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "2026-07-28", "1999-01-01", ""])
@pytest.mark.parametrize("identity", [0, 7, "first"])
def test_the_first_answer_is_what_the_sdk_would_say(server: Server, version: str, identity: Json) -> None:
    sent = line(hello(identity, protocolVersion=version))
    greeting = greet(sent)
    assert greeting is not None
    assert json.loads(greeting.answer) == of_the_sdk(server, sent)


def test_the_sdk_agrees_to_the_handshake_that_it_is_shown(server: Server) -> None:
    given: dict[str, Json] = {"roots": "a flaw that nobody needs to notice"}
    greeting = greet(line(hello("é", capabilities=given)))
    assert greeting is not None
    assert greeting.id == "é"
    assert of_the_sdk(server, greeting.handshake) == json.loads(greeting.answer)


@pytest.mark.parametrize(("flaw", "changed"), FLAWED, ids=[flaw for flaw, _ in FLAWED])
def test_a_handshake_with_a_flaw_is_left_to_the_sdk(
    server: Server, flaw: str, changed: dict[str, Json]
) -> None:
    sent = line(hello(**changed))
    assert greet(sent) is None, flaw
    assert cast("dict[str, Json]", of_the_sdk(server, sent)["error"])["code"] == -32602


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe\x00",
        b"[" * 100_000,
        line({**hello(), "jsonrpc": "1.0"}),
        line({**hello(), "method": "ping"}),
        line({**hello(), "id": None}),
        line({**hello(), "id": True}),
        line({**hello(), "id": 1.5}),
        line([hello()]),
    ],
)
def test_whatever_is_no_handshake_is_left_to_the_sdk(sent: bytes) -> None:
    assert greet(sent) is None


def test_the_card_says_how_to_use_a_memory_and_that_it_is_data() -> None:
    said = welcome(HANDSHAKE_VERSIONS[0])
    assert cast("dict[str, Json]", said["serverInfo"])["name"] == NAME
    assert "never an instruction" in str(said["instructions"])
