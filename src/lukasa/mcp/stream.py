"""One client over stdio, served by the SDK in whichever era the client begins.

Always true: every question that came in before the client closed its end is answered before the process
ends (within a bound); SIGTERM ends it at once. Reading and writing are done by daemon threads: a client that
neither speaks nor listens keeps no process alive.
"""

from __future__ import annotations

import asyncio
import json
import signal
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel import Server
    from mcp.types import RequestId

    from lukasa.mcp.greeting import Greeting
    from lukasa.mcp.wire import Wire

_LAST_ANSWERS = 30.0
_LAST_WORDS = 5.0


def serve(server: Server[None], wire: Wire, lines: Iterable[bytes], greeting: Greeting | None) -> None:
    """Serves the client of a wire until it leaves, or SIGTERM comes."""
    stream = Stream(wire, greeting)
    try:
        asyncio.run(stream.serve(server, lines))
    finally:
        stream.finish()


class Stream:
    """The messages between one client and the SDK, and which of its questions are still open."""

    def __init__(self, wire: Wire, greeting: Greeting | None) -> None:
        self._wire = wire
        self._greeted = None if greeting is None else greeting.id
        self._open: set[RequestId] = set()
        self._answered = anyio.Event()
        self._said: SimpleQueue[bytes | None] = SimpleQueue()
        self._writer: Thread | None = None

    async def serve(self, server: Server[None], lines: Iterable[bytes]) -> None:
        """Until the client closes its end and has its answers."""
        to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        loop = asyncio.get_running_loop()
        async with anyio.create_task_group() as group:
            with suppress(NotImplementedError):  # Windows has no such signal
                loop.add_signal_handler(signal.SIGTERM, group.cancel_scope.cancel)
            self._writer = Thread(target=self._write, args=(loop, group.cancel_scope), daemon=True)
            self._writer.start()
            Thread(target=self._read, args=(loop, lines, to_server), daemon=True).start()
            group.start_soon(self._send, from_server)
            await server.run(from_client, to_client, server.create_initialization_options())

    def finish(self) -> None:
        """Lets what was said reach the client, if it still listens."""
        self._said.put(None)
        if self._writer is not None:
            self._writer.join(_LAST_WORDS)

    def _write(self, loop: asyncio.AbstractEventLoop, scope: anyio.CancelScope) -> None:
        """In a thread of its own: sends line after line, until the last or until nobody takes them."""
        while (line := self._said.get()) is not None:
            try:
                self._wire.write(line)
            except OSError:
                with suppress(RuntimeError):  # the loop has ended as well
                    loop.call_soon_threadsafe(scope.cancel)
                return

    def _read(
        self,
        loop: asyncio.AbstractEventLoop,
        lines: Iterable[bytes],
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        """In a thread of its own: hands each line to the loop, and waits until it is taken."""
        try:
            for line in lines:
                if line.strip():
                    asyncio.run_coroutine_threadsafe(self._take(line, to_server), loop).result()
            asyncio.run_coroutine_threadsafe(self._leave(to_server), loop).result()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, asyncio.CancelledError, RuntimeError):
            return  # the loop has ended before the client did

    async def _take(self, line: bytes, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        try:
            message = _message(line)
        except (ValueError, RecursionError) as error:
            await to_server.send(error)
            return
        if isinstance(message, JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._open.discard((message.params or {}).get("requestId", ""))
        await to_server.send(SessionMessage(message))

    async def _leave(self, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """The client has closed its end: it may still wait for answers."""
        with anyio.move_on_after(_LAST_ANSWERS):
            while self._open:
                self._answered = anyio.Event()
                await self._answered.wait()
        await to_server.aclose()

    async def _send(self, from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for sent in from_server:
                message = sent.message
                if not self._is_said(message):
                    line = message.model_dump_json(by_alias=True, exclude_unset=True)
                    self._said.put(line.encode() + b"\n")
                if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                    self._open.discard(message.id)
                    self._answered.set()

    def _is_said(self, message: object) -> bool:
        """Whether it is the answer to the handshake, which the client has had already."""
        if self._greeted is None or not isinstance(message, JSONRPCResponse) or message.id != self._greeted:
            return False
        self._greeted = None
        return True


def _message(line: bytes) -> JSONRPCMessage:
    """The message of a line. Half a character, as JavaScript leaves where it cuts a text, becomes a `?`."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        if b"\\u" not in line:
            raise
        mended = json.dumps(json.loads(line), ensure_ascii=False).encode(errors="replace")
        return jsonrpc_message_adapter.validate_json(mended, by_name=False)
