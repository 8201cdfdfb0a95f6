"""Serving assistants: `mcp`, and the tokens of its HTTP server, `token`."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lukasa.cli.command import Command
from lukasa.cli.pieces import Grid, Line, Outcome
from lukasa.cli.runner import ask_again
from lukasa.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

    from lukasa.cli.call import Call
    from lukasa.mcp.desk import Room, Seat

_HTTP_ONLY = ("host", "port", "tokens", "allow_host")
_HOST, _PORT = "127.0.0.1", 8377
_ALONE = (
    "Waiting for a client on standard input: an assistant starts this command by itself.\n"
    "`lukasa install claude` tells one of it; Ctrl-D ends it."
)


def _mcp_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--tools",
        metavar="SET",
        help="default, memory, tenant, role, hybrid, entries, session or anthropic [default]",
    )
    http = parser.add_argument_group("over HTTP, for clients that do not start it themselves")
    http.add_argument("--http", action="store_true", help="serve streamable HTTP instead of stdio")
    http.add_argument("--host", metavar="HOST", help=f"where to listen [{_HOST}]")
    http.add_argument("--port", metavar="N", type=int, help=f"[{_PORT}]; 0 takes one that is free")
    http.add_argument("--tokens", metavar="FILE", help="ask for a bearer token of this file")
    http.add_argument(
        "--allow-host", metavar="NAME", action="append", help="one more name that clients may call it by"
    )


def _mcp(call: Call) -> Outcome:
    if find_spec("mcp") is None:
        ask_again("mcp")
        raise MissingExtraError(wanted="The MCP server", extra="mcp")
    from lukasa.mcp.desk import Room, Seat  # noqa: PLC0415 - `token` needs no desk
    from lukasa.mcp.start import over_stdio  # noqa: PLC0415 - see above
    from lukasa.toolsets import find_toolset  # noqa: PLC0415 - see above

    room = Room(call.place().store, find_toolset(call.maybe("tools") or "default"))
    seat = Seat(agent=call.place().agent, shares=tuple(call.texts("share")))
    if call.flag("http"):
        _over_http(call, room, seat)
    elif given := [name for name in _HTTP_ONLY if call.given.get(name) is not None]:
        raise UsageError(f"--{given[0].replace('_', '-')} is for --http.", fix="Add --http, or leave it out.")
    else:
        if sys.stdin.isatty():
            print(_ALONE, file=sys.stderr)
        over_stdio(room, seat)
    return Outcome(document=None, pieces=())


def _over_http(call: Call, room: Room, seat: Seat) -> None:
    from lukasa.mcp.http import Address  # noqa: PLC0415 - brings the SDK
    from lukasa.mcp.start import over_http  # noqa: PLC0415 - see above

    tokens = call.maybe("tokens")
    if tokens is not None and (call.maybe("agent") is not None or call.texts("share")):
        raise UsageError(
            "With --tokens, each token says whose memory it opens.", fix="Leave --agent and --share out."
        )
    port = call.number("port")
    address = Address(
        host=call.maybe("host") or _HOST,
        port=_PORT if port is None else port,
        names=tuple(call.texts("allow_host")),
    )
    over_http(room, seat, address, None if tokens is None else Path(tokens), _listening(seat, tokens))


def _listening(seat: Seat, tokens: str | None) -> Callable[[str], None]:
    who = (
        "each token's own memory" if tokens else f"the memory of {seat.agent}, to whoever is on this machine"
    )

    def said(url: str) -> None:
        print(f"Serving {who}, at {url}", file=sys.stderr, flush=True)

    return said


def _token_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("what", metavar="WHAT", choices=("add", "list", "remove"), help="add, list or remove")
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="the token's; for add, the agent's if left out"
    )
    parser.add_argument("--tokens", metavar="FILE", help="where they are kept [your folder of settings]")


def _token(call: Call) -> Outcome:
    from lukasa.mcp.tokens import tokens_file  # noqa: PLC0415 - see `_mcp`

    given = call.maybe("tokens")
    path = tokens_file() if given is None else Path(given)
    match call.text("what"):
        case "add":
            return _added(call, path)
        case "remove":
            return _removed(call, path)
        case _:
            return _listed(path)


def _added(call: Call, path: Path) -> Outcome:
    from lukasa.mcp.tokens import add_token  # noqa: PLC0415 - see `_mcp`

    grant, token = add_token(
        path, name=call.maybe("name"), agent=call.place().agent, shares=call.texts("share")
    )
    also = f" and {', '.join(grant.shares)}" if grant.shares else ""
    return Outcome(
        document={
            "name": grant.name,
            "token": token,
            "agent": grant.agent,
            "shares": list(grant.shares),
            "file": str(path),
        },
        pieces=(Line(text=token),),
        notes=(
            Line(text=f"This is {grant.name}, for the memory of {grant.agent}{also}. It is not shown again."),
            Line(text=f"Serve it: lukasa mcp --http --tokens {path}"),
        ),
    )


def _removed(call: Call, path: Path) -> Outcome:
    from lukasa.mcp.tokens import remove_token  # noqa: PLC0415 - see `_mcp`

    name = call.maybe("name")
    if name is None:
        raise UsageError("No token was named.", fix="`lukasa token list` shows their names.")
    gone = remove_token(path, name)
    return Outcome(
        document={"removed": gone.name, "agent": gone.agent},
        pieces=(Line(text=f"The token {gone.name} opens nothing any more.", tone="good"),),
    )


def _listed(path: Path) -> Outcome:
    from lukasa.mcp.tokens import Tokens  # noqa: PLC0415 - see `_mcp`

    grants = Tokens(path).grants() if path.exists() else ()
    rows = tuple((grant.name, grant.agent, ", ".join(grant.shares), grant.sha256[:8]) for grant in grants)
    return Outcome(
        document=[
            {"name": one.name, "agent": one.agent, "shares": list(one.shares), "sha256": one.sha256}
            for one in grants
        ],
        pieces=(Grid(columns=("name", "agent", "shares", "sha256"), rows=rows),) if rows else (),
        notes=() if rows else (Line(text=f"No token yet in {path}. Make one: lukasa token add"),),
    )


COMMANDS = {
    "mcp": Command(
        about="For assistants: Claude, Codex, Cursor, Gemini and every other client of the Model Context\n"
        "Protocol. Over stdio the client starts it and ends it. Over HTTP it serves this machine;\n"
        "with --tokens, whoever has one. docs/mcp.md says how each client is told of it.",
        examples=(
            "lukasa mcp",
            "lukasa mcp --agent ana --share project/apollo --tools role",
            "lukasa mcp --http --port 8377",
            "lukasa mcp --http --host 0.0.0.0 --allow-host memory.example.com --tokens tokens.toml",
        ),
        arguments=_mcp_arguments,
        run=_mcp,
    ),
    "token": Command(
        about="A token opens the memory of one agent, with the spaces that --share names, over\n"
        "`lukasa mcp --http --tokens FILE`. It is shown once; the file keeps its SHA-256. What is\n"
        "removed opens nothing from the next request on.",
        examples=(
            "lukasa token add --agent ana --share project/apollo",
            "lukasa token add laptop --tokens tokens.toml",
            "lukasa token list",
            "lukasa token remove laptop",
        ),
        arguments=_token_arguments,
        run=_token,
    ),
}
