"""The MCP server as tests use it: within this process, over stdio line by line, and over HTTP.

Every test has a store of its own behind LUKASA_STORE; what was written to it is checked at the end.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, cast

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import lukasa
from lukasa.mcp.desk import Room, Seat
from lukasa.mcp.server import build
from lukasa.toolsets import find_toolset

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from lukasa.db.database import Json

COMMAND = (sys.executable, "-m", "lukasa")
ERAS: tuple[str, ...] = ("legacy", "auto")
HELLO: dict[str, Json] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
_URL = re.compile(r"http://\S+")
_PATIENCE = 60.0


@pytest.fixture
def location(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the test's store is; whatever is there at the end is sound."""
    path = tmp_path / "stores" / "memory.lukasa"
    monkeypatch.setenv("LUKASA_STORE", str(path))
    monkeypatch.delenv("LUKASA_AGENT", raising=False)
    yield path
    if path.exists():
        with lukasa.open(path) as store:
            assert store.check().ok


@pytest.fixture
def memory(location: Path) -> Iterator[lukasa.Store]:
    """The test's store, beside whoever serves it."""
    with lukasa.open(location) as store:
        yield store


class Talk:
    """A client of a server in this process, in one era of the protocol."""

    def __init__(self, location: Path, era: str) -> None:
        self._location = location
        self.era: str = era

    def __call__(
        self,
        said: Callable[[Client], Awaitable[None]],
        *,
        tools: str = "default",
        agent: str = "main",
        shares: tuple[str, ...] = (),
        location: Path | None = None,
    ) -> None:
        """Holds one conversation."""
        with Room(str(location or self._location), find_toolset(tools)) as room:
            seat = Seat(agent=agent, shares=shares)

            async def held() -> None:
                async with Client(build(room, lambda: seat), mode=self.era) as client:
                    await said(client)

            asyncio.run(held())


@pytest.fixture(params=ERAS)
def talk(location: Path, request: pytest.FixtureRequest) -> Talk:
    """A conversation, in each era of the protocol."""
    return Talk(location, cast("str", request.param))


class Line:
    """`lukasa mcp` as a process, spoken to line by line."""

    def __init__(self, *options: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen((*COMMAND, "mcp", *options), stdin=pipe, stdout=pipe, stderr=pipe)

    def tell(self, method: str, params: Json = None, **more: Json) -> None:
        """Sends a message, and waits for nothing."""
        message = {"jsonrpc": "2.0", "method": method, **more} | (
            {} if params is None else {"params": params}
        )
        self.send(json.dumps(message).encode() + b"\n")

    def send(self, line: bytes) -> None:
        """Sends just these bytes."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def hear(self) -> dict[str, Json]:
        """The next message of the server."""
        assert self.process.stdout is not None
        return cast("dict[str, Json]", json.loads(self.process.stdout.readline()))

    def ask(self, method: str, params: Json = None, number: int = 1) -> dict[str, Json]:
        """Sends a question, and hears what comes next."""
        self.tell(method, params, id=number)
        return self.hear()

    def greet(self) -> dict[str, Json]:
        """The handshake; what the server says of itself."""
        answer = self.ask("initialize", HELLO, 0)
        self.tell("notifications/initialized")
        return cast("dict[str, Json]", answer["result"])

    def leave(self) -> tuple[int, bytes, str]:
        """Closes the client's end: the exit code, and what else came on either stream."""
        out, err = self.process.communicate(timeout=_PATIENCE)
        return self.process.returncode, out, err.decode()


@pytest.fixture
def line(location: Path) -> Iterator[Callable[..., Line]]:
    """Makes processes that are spoken to line by line, and ends what is left of them."""
    assert location
    made: list[Line] = []

    def make(*options: str) -> Line:
        made.append(Line(*options))
        return made[-1]

    yield make
    for one in made:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()


class Web:
    """`lukasa mcp --http` as a process."""

    def __init__(self, url: str, process: subprocess.Popen[str]) -> None:
        self.url = url
        self.process = process

    @asynccontextmanager
    async def client(self, token: str | None = None, mode: str = "auto") -> AsyncGenerator[Client]:
        """A real client of it, with a token or without."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=_PATIENCE) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
        ):
            yield client

    def post(self, headers: dict[str, str], message: Json = None) -> httpx2.Response:
        """One bare request: the handshake, unless another is given."""
        asked = message or {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        usual = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        return httpx2.post(self.url, json=asked, headers=usual | headers, timeout=_PATIENCE)


@contextmanager
def _serving(*options: str) -> Generator[Web]:
    process = subprocess.Popen(
        (*COMMAND, "mcp", "--http", "--port", "0", *options),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    assert process.stderr is not None
    found = _URL.search(process.stderr.readline())
    try:
        assert found, process.communicate(timeout=_PATIENCE)
        yield Web(found[0], process)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=_PATIENCE)
    assert (process.returncode, out) == (0, ""), err
    assert "Traceback" not in err, err


@pytest.fixture
def web(location: Path) -> Callable[..., AbstractContextManager[Web]]:
    """Serves over HTTP while a block lasts; ended by SIGTERM, it ends well."""
    assert location
    return _serving
