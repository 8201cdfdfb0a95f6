"""Starting a server, the heavy parts last: over stdio the first answer is given before the SDK is loaded.

Always true: when it returns, or is ended by SIGTERM or Ctrl-C, the store is closed.
"""

from __future__ import annotations

import logging
import sys
from itertools import chain
from typing import TYPE_CHECKING

from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lukasa.mcp.desk import Room, Seat
    from lukasa.mcp.http import Address


def over_stdio(room: Room, seat: Seat) -> None:
    """Serves one client over standard input and output."""
    from lukasa.mcp.greeting import greet  # noqa: PLC0415 - HTTP needs neither of the two
    from lukasa.mcp.wire import Wire  # noqa: PLC0415 - see above

    wire = Wire.claim()
    lines = wire.lines()
    first = next(lines, None)
    if first is None:
        return
    greeting = greet(first)
    if greeting is not None:
        wire.write(greeting.answer)
        first = greeting.handshake
    from lukasa.mcp.server import build  # noqa: PLC0415 - brings the SDK: only now is there time for it
    from lukasa.mcp.stream import serve  # noqa: PLC0415 - see above

    _log()
    with room:
        serve(build(room, lambda: seat), wire, chain([first], lines), greeting)


def over_http(
    room: Room, seat: Seat, address: Address, tokens_at: Path | None, said: Callable[[str], None]
) -> None:
    """Serves many clients over HTTP: with tokens, each from the memory that its token opens."""
    from lukasa.mcp import http  # noqa: PLC0415 - stdio needs none of it
    from lukasa.mcp.server import build  # noqa: PLC0415 - see above
    from lukasa.mcp.tokens import Tokens  # noqa: PLC0415 - see above

    tokens = None if tokens_at is None else Tokens(tokens_at)
    if tokens is not None:
        tokens.grants()  # a file that cannot be understood is an error now, not a refusal later
    elif not address.is_local:
        raise UsageError(
            f"Without tokens only this machine is served, and {address.host} is reached from others.",
            fix="Make a token with `lukasa token add`, and name its file: --tokens FILE.",
        )
    _log()
    server = build(room, (lambda: seat) if tokens is None else http.seat_of_token)
    with room, http.listen(address) as taken:
        http.serve(http.application(server, address, tokens), taken, said)


def _log() -> None:
    """Warnings of the SDK go where nobody takes them for the protocol."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
