"""Memory over HTTP: who is let in, whose memory is opened, and what a page in a browser is told."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent

from lukasa.mcp.tokens import add_token, remove_token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from mcp import Client

    import lukasa
    from conftest import Web
    from lukasa.db.database import Json

    Serving = Callable[..., AbstractContextManager[Web]]

pytestmark = pytest.mark.slow

ERAS = ("legacy", "auto")


async def remembered(client: Client, content: str) -> str:
    answer = await client.call_tool("remember", {"content": content})
    [part] = answer.content
    assert isinstance(part, TextContent)
    assert not answer.is_error, part.text
    return part.text


async def titles(client: Client) -> list[str | None]:
    return [one.title for one in (await client.list_resources()).resources]


@pytest.mark.parametrize("era", ERAS)
def test_this_machine_is_served_without_a_token_and_told_so(
    web: Serving, memory: lukasa.Store, era: str
) -> None:
    async def used(server: Web) -> None:
        async with server.client(mode=era) as client:
            assert await remembered(client, "The sky is blue.") == "Remembered (id=1, category=general)"
            assert await titles(client) == ["The sky is blue."]

    with web("--tools", "role", "--agent", "ana") as server:
        asyncio.run(used(server))
    [entry] = memory.agent("ana").list().entries
    assert entry.content == "The sky is blue."


def test_two_clients_at_once_write_to_one_store(web: Serving, memory: lukasa.Store) -> None:
    async def writes(server: Web, word: str, era: str) -> None:
        async with server.client(mode=era) as client:
            for number in range(10):
                await remembered(client, f"{word} number {number}.")

    async def used(server: Web) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(writes, server, "Apple", "legacy")
            group.start_soon(writes, server, "Pear", "auto")

    with web("--tools", "role") as server:
        asyncio.run(used(server))
    assert memory.agent("main").stats().entries == 20


@pytest.mark.parametrize("era", ERAS)
def test_a_token_opens_its_agents_memory_and_no_other(
    web: Serving, tmp_path: Path, memory: lukasa.Store, era: str
) -> None:
    path = tmp_path / "tokens.toml"
    _, anas = add_token(path, name=None, agent="ana", shares=["project/apollo"])
    _, bobs = add_token(path, name=None, agent="bob", shares=[])
    secret = memory.agent("ana").remember("Ana's own.")
    memory.agent("ana", shares=["project/apollo"]).remember("It flies.", scope="project/apollo")

    async def used(server: Web) -> None:
        async with server.client(anas, mode=era) as client:
            assert await titles(client) == ["It flies.", "Ana's own."]
        async with server.client(bobs, mode=era) as client:
            assert await titles(client) == []
            with pytest.raises(MCPError):
                await client.read_resource(f"lukasa://entry/{secret.id}")
            found = await client.call_tool("recall", {"query": "Ana's own"})
            assert "Ana's own" not in str(found.content)
            await remembered(client, "Bob's own.")

    with web("--tools", "role", "--tokens", str(path)) as server:
        asyncio.run(used(server))
    assert [entry.content for entry in memory.agent("bob").list().entries] == ["Bob's own."]


def test_one_tokens_session_is_nobody_elses(web: Serving, tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    _, anas = add_token(path, name=None, agent="ana", shares=[])
    _, bobs = add_token(path, name=None, agent="bob", shares=[])
    listing: Json = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    with web("--tokens", str(path)) as server:
        session = server.post(bearer(anas)).headers["mcp-session-id"]
        own = bearer(anas) | {"mcp-session-id": session}
        assert server.post(own, listing).status_code == 200
        assert server.post(own | bearer(bobs), listing).status_code == 404


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer lk_wrong"},
        {"Authorization": "Bearer lk_wrong and more"},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "lk_wrong"},
    ],
)
def test_without_the_right_token_nothing_is_answered(guarded: Web, headers: dict[str, str]) -> None:
    for version in ({}, {"mcp-protocol-version": "2026-07-28"}):
        refused = guarded.post(headers | version)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Bearer ")
        assert "lukasa" not in refused.text


@pytest.fixture
def guarded(web: Serving, tmp_path: Path) -> Iterator[Web]:
    path = tmp_path / "tokens.toml"
    add_token(path, name=None, agent="ana", shares=[])
    with web("--tokens", str(path)) as server:
        yield server


def test_a_token_that_is_taken_back_opens_nothing_from_then_on(web: Serving, tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    first, anas = add_token(path, name=None, agent="ana", shares=[])
    with web("--tokens", str(path)) as server:
        _, bobs = add_token(path, name=None, agent="bob", shares=[])
        assert server.post(bearer(bobs)).status_code == 200
        assert server.post(bearer(anas)).status_code == 200
        remove_token(path, first.name)
        assert server.post(bearer(anas)).status_code == 401
        assert server.post(bearer(bobs)).status_code == 200
        path.write_text("[[token]\n")
        assert server.post(bearer(bobs)).status_code == 401


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "localhost:80"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:5173"}, 200),
        ({"Host": "memory.example.com", "Origin": "https://memory.example.com"}, 200),
    ],
)
def test_a_page_in_a_browser_reaches_nothing(web: Serving, headers: dict[str, str], code: int) -> None:
    with web("--allow-host", "memory.example.com") as server:
        for version in ({}, {"mcp-protocol-version": "2026-07-28"}):
            refused = code if not version or code != 200 else 400  # a handshake is not of that era
            assert server.post(headers | version).status_code == refused


def test_other_paths_and_bodies_are_refused(web: Serving) -> None:
    with web() as server:
        elsewhere = server.url.removesuffix("/mcp")
        assert httpx2.get(elsewhere).status_code == 404
        assert (
            httpx2.post(server.url, content=b"{", headers={"Content-Type": "text/plain"}).status_code == 400
        )
        huge = httpx2.post(server.url, content=b" " * 5_000_000, headers={"Content-Type": "application/json"})
        assert huge.status_code == 413


def test_a_client_may_give_up_and_the_others_go_on(web: Serving, memory: lukasa.Store) -> None:
    memory.agent("main").remember("Before.")

    async def used(server: Web) -> None:
        async with server.client() as client:
            with memory.transaction():  # the one writer is held, so that the call cannot end by itself
                memory.agent("main").remember("First.")
                with anyio.move_on_after(0.3) as given_up:
                    await client.call_tool("remember", {"content": "Second."})
                assert given_up.cancelled_caught
            async with server.client(mode="legacy") as other:
                await remembered(other, "Third.")

    with web("--tools", "role") as server:
        asyncio.run(used(server))
    assert "Third." in {entry.content for entry in memory.agent("main").list().entries}


def test_sigterm_ends_it_while_a_client_listens(web: Serving, location: Path) -> None:
    async def used(server: Web) -> None:
        async with server.client(mode="legacy") as client:
            await remembered(client, "The sky is blue.")
            server.process.send_signal(signal.SIGTERM)
            code = await asyncio.to_thread(server.process.wait, 30)
            assert code == 0
            raise Ended

    with web("--tools", "role") as server, suppress(Ended, ExceptionGroup):
        asyncio.run(used(server))
    assert [path.name for path in location.parent.iterdir()] == ["memory.lukasa"]


class Ended(Exception):  # noqa: N818 - not an error: the server is gone, and the client need not say good-bye
    pass
