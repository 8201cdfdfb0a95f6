"""The protocol's questions, answered from a desk: tools, resources, prompts.

Always true: the tools are those of the room's tool set, in its order and with its words; an argument that is
wrong, or a store that does not answer, comes back as a tool's error, which the model can read; only what is
no tool, resource or prompt at all is an error of the protocol. All work is done in threads.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

import mcp.types as protocol
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from lukasa.errors import LukasaError, NotFoundError, UsageError
from lukasa.mcp import card
from lukasa.mcp.prompts import PROMPTS, prompt
from lukasa.mcp.resources import TEMPLATE, list_entries, read_entry
from lukasa.operations.failures import told
from lukasa.toolsets.box import Reply, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from mcp.server.context import ServerRequestContext

    from lukasa.db.database import Json
    from lukasa.mcp.desk import Desk, Room, Seat
    from lukasa.toolsets.table import Tool

_LASTING = CacheHint(ttl_ms=3_600_000, scope="private")
_CHANGING = CacheHint(ttl_ms=0, scope="private")
# The handshake versions have a code of their own for it, which later ones gave up.
_NO_RESOURCE = -32002


def build(room: Room, seat: Callable[[], Seat]) -> Server:
    """The server of a room; `seat` says whose desk the request that is being answered belongs to."""
    asked = _Asked(room, seat)
    return Server(
        card.NAME,
        version=card.VERSION,
        title=card.TITLE,
        description=card.ABOUT,
        instructions=card.INSTRUCTIONS,
        cache_hints={
            "tools/list": _LASTING,
            "prompts/list": _LASTING,
            "resources/templates/list": _LASTING,
            "resources/list": _CHANGING,
            "resources/read": _CHANGING,
            "server/discover": _LASTING,
        },
        on_list_tools=asked.list_tools,
        on_call_tool=asked.call_tool,
        on_list_resources=asked.list_resources,
        on_list_resource_templates=asked.list_templates,
        on_read_resource=asked.read_resource,
        on_list_prompts=asked.list_prompts,
        on_get_prompt=asked.get_prompt,
    )


class _Asked:
    """The SDK's questions, one method each."""

    def __init__(self, room: Room, seat: Callable[[], Seat]) -> None:
        self._room = room
        self._seat = seat

    async def _desk(self) -> Desk:
        return await asyncio.to_thread(self._room.desk, self._seat())

    async def list_tools(self, _context: object, _params: object) -> protocol.ListToolsResult:
        """The tools of the set; the store is not needed for that."""
        toolset = self._room.toolset
        replies = None if toolset.replies is None else dict(toolset.replies)
        return protocol.ListToolsResult(tools=[_tool(one, replies) for one in toolset.tools])

    async def call_tool(
        self, _context: object, params: protocol.CallToolRequestParams
    ) -> protocol.CallToolResult:
        """What a tool answers; what goes wrong is an answer too."""
        known = self._room.toolset.by_name
        if params.name not in {*known, *map(plain, known)}:
            near = get_close_matches(params.name, known, n=1)
            hint = f" The nearest: {near[0]}." if near else ""
            raise MCPError(protocol.INVALID_PARAMS, f"There is no tool {params.name!r}.{hint}")
        try:
            desk = await self._desk()
        except LukasaError as error:
            refusal = self._room.toolset.refuse(params.name, error)
            return _result(Reply(said=refusal, document=refusal, failed=True))
        return _result(await desk.toolbox.areply(params.name, params.arguments or {}))

    async def list_resources(
        self, _context: object, params: protocol.PaginatedRequestParams | None
    ) -> protocol.ListResourcesResult:
        """The newest entries."""
        cursor = None if params is None else params.cursor
        with _as_protocol_errors():
            return await asyncio.to_thread(list_entries, await self._desk(), cursor)

    async def list_templates(self, _context: object, _params: object) -> protocol.ListResourceTemplatesResult:
        """How an entry is named."""
        return protocol.ListResourceTemplatesResult(resource_templates=[TEMPLATE])

    async def read_resource(
        self, context: ServerRequestContext, params: protocol.ReadResourceRequestParams
    ) -> protocol.ReadResourceResult:
        """One entry."""
        old = context.protocol_version in card.HANDSHAKE_VERSIONS
        with _as_protocol_errors(_NO_RESOURCE if old else protocol.INVALID_PARAMS, uri=params.uri):
            return await asyncio.to_thread(read_entry, await self._desk(), params.uri)

    async def list_prompts(self, _context: object, _params: object) -> protocol.ListPromptsResult:
        """The prompts, which are the same for everybody."""
        return protocol.ListPromptsResult(prompts=list(PROMPTS))

    async def get_prompt(
        self, _context: object, params: protocol.GetPromptRequestParams
    ) -> protocol.GetPromptResult:
        """One prompt, filled in."""
        with _as_protocol_errors():
            desk = await self._desk()
            return await asyncio.to_thread(prompt, desk, params.name, params.arguments or {})


def _tool(tool: Tool, replies: dict[str, Json] | None) -> protocol.Tool:
    return protocol.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=replies,
        annotations=protocol.ToolAnnotations.model_validate(tool.annotations),
    )


def _result(reply: Reply) -> protocol.CallToolResult:
    """A text as it is; a document both as data and, for older clients, as text."""
    # Clients that find data give that to the model instead of the text. So there is data only where the view
    # itself speaks in documents: words that were chosen for a model must reach it.
    return protocol.CallToolResult(
        content=[protocol.TextContent(type="text", text=reply.text)],
        structured_content=reply.said if isinstance(reply.said, dict) else None,
        is_error=reply.failed,
    )


@contextmanager
def _as_protocol_errors(missing: int = protocol.INVALID_PARAMS, *, uri: str | None = None) -> Generator[None]:
    """What a person asked for by hand, and what cannot be had, is an error of the protocol."""
    try:
        yield
    except NotFoundError as error:
        raise MCPError(missing, str(error), None if uri is None else {"uri": uri}) from error
    except UsageError as error:
        raise MCPError(protocol.INVALID_PARAMS, str(error)) from error
    except LukasaError as error:
        raise MCPError(protocol.INTERNAL_ERROR, told(error)) from error
