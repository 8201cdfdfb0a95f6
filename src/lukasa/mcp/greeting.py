"""The first answer over stdio, given before the SDK is loaded: loading takes ten times as long as answering.

Always true: only a handshake without a flaw is answered here, and in the SDK's words (a test compares the two
for every version); anything else is left to the SDK. The SDK is shown the same handshake afterwards, so that
it knows the version that was agreed on, and its own answer to that is not sent a second time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lukasa.mcp.card import welcome

if TYPE_CHECKING:
    from lukasa.db.database import Json


@dataclass(frozen=True, kw_only=True, slots=True)
class Greeting:
    """One handshake: what was answered, the handshake for the SDK, and the id that its answer will bear."""

    answer: bytes
    handshake: bytes
    id: int | str


def greet(line: bytes) -> Greeting | None:
    """The answer to a client's first line, if that is a handshake without a flaw."""
    asked = _handshake(line)
    if asked is None:
        return None
    identity, version, client = asked
    question: dict[str, Json] = {
        "jsonrpc": "2.0",
        "id": identity,
        "method": "initialize",
        "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": client},
    }
    answer: dict[str, Json] = {"jsonrpc": "2.0", "id": identity, "result": welcome(version)}
    return Greeting(answer=_line(answer), handshake=_line(question), id=identity)


def _handshake(line: bytes) -> tuple[int | str, str, dict[str, Json]] | None:
    """The id, version and client of an `initialize` in which nothing is missing or of another type."""
    try:
        message = cast("object", json.loads(line))
    except (ValueError, RecursionError):
        return None
    match message:
        case {
            "jsonrpc": "2.0",
            "id": (int() | str()) as identity,
            "method": "initialize",
            "params": {
                "protocolVersion": str(version),
                "capabilities": {},
                "clientInfo": {"name": str(name), "version": str(release)},
            },
        } if not isinstance(identity, bool):
            return identity, version, {"name": name, "version": release}
        case _:
            return None


def _line(message: dict[str, Json]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
