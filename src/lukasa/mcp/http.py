"""Memory over streamable HTTP, for clients that are not started beside it.

Always true: a page in a browser reaches nothing (Host and Origin are checked); with tokens, every request
needs one, and is answered from the memory that its token opens, whatever session it names; without tokens
only this machine is served. Both eras of the protocol live under one path.
"""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import socket
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import uvicorn
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware, get_access_token
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.routing import Route

from lukasa.errors import StoreError, UsageError
from lukasa.mcp.desk import Seat

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from types import FrameType

    from mcp.server.lowlevel import Server

    from lukasa.mcp.tokens import Tokens

PATH = "/mcp"
_HERE = ("127.0.0.1", "localhost", "[::1]")
_LAST_ANSWERS = 5
_LAST_PORT = 65_535


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """Where the server listens, and the further names by which clients may call it."""

    host: str = "127.0.0.1"
    port: int = 8377
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.port <= _LAST_PORT:
            raise UsageError(f"A port from 0 to {_LAST_PORT} was wanted, found {self.port}.", fix="Try 8377.")

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def security(self) -> TransportSecuritySettings:
        """The Host and Origin headers that are let in: this machine's, the host's, the further names."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        names = [*dict.fromkeys((*_HERE, own, *self.names))]
        origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
        return TransportSecuritySettings(
            allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
            allowed_origins=[form for origin in origins for form in (origin, f"{origin}:*")],
        )


class _Opened(AccessToken):
    """What a token opened."""

    agent: str
    shares: tuple[str, ...]


class _Verifier:
    """Asks the file of tokens, as the SDK wants it asked."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def verify_token(self, token: str) -> AccessToken | None:
        """What the token opens; nothing where it is unknown, or the file cannot be understood."""
        try:
            grant = await asyncio.to_thread(self._tokens.find, token)
        except UsageError:
            return None
        if grant is None:
            return None
        return _Opened(token="", client_id=grant.sha256, scopes=[], agent=grant.agent, shares=grant.shares)


def seat_of_token() -> Seat:
    """The seat of the request that is being answered."""
    opened = get_access_token()
    if not isinstance(opened, _Opened):
        raise UsageError("This request has no token.", fix="Send `Authorization: Bearer TOKEN`.")
    return Seat(agent=opened.agent, shares=opened.shares)


def application(server: Server[None], address: Address, tokens: Tokens | None) -> Starlette:
    """The whole of it as an ASGI application, with the protocol under /mcp."""
    sessions = StreamableHTTPSessionManager(app=server, security_settings=address.security)
    endpoint = StreamableHTTPASGIApp(sessions)

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncGenerator[None]:
        async with sessions.run():
            yield

    if tokens is None:
        return Starlette(routes=[Route(PATH, endpoint)], lifespan=running)
    asking = [
        Middleware(AuthenticationMiddleware, backend=BearerAuthBackend(_Verifier(tokens))),
        Middleware(AuthContextMiddleware),
    ]
    guarded = RequireAuthMiddleware(endpoint, required_scopes=[])
    return Starlette(routes=[Route(PATH, guarded)], middleware=asking, lifespan=running)


def listen(address: Address) -> socket.socket:
    """The socket, taken before anything is said of it."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        raise StoreError(
            f"{address.host}:{address.port} cannot be listened on: {error.strerror or error}.",
            fix="Name another --port; 0 takes any that is free.",
        ) from error


def serve(app: Starlette, taken: socket.socket, said: Callable[[str], None]) -> None:
    """Serves until SIGTERM or Ctrl-C; requests under way are finished first, within a bound."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=_LAST_ANSWERS
    )
    host, port = _name_of(taken.getsockname())
    # uvicorn ends its work on SIGTERM, then raises the signal again: by itself that would kill the process
    # with the store open.
    signal.signal(signal.SIGTERM, _stop)
    said(f"http://{host}:{port}{PATH}")
    uvicorn.Server(config).run(sockets=[taken])


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(0)


def _name_of(name: Sequence[object]) -> tuple[str, object]:
    host = str(name[0])
    return (f"[{host}]" if ":" in host else host), name[1]
