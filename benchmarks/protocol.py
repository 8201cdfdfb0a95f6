"""What the MCP server costs: processor time to its first answer, and what it adds to a recall.

    python benchmarks/protocol.py [--rounds 7] [--peers FOLDER]

Other servers are measured in the same run. Each is installed from the package index into an environment of
its own (kept in FOLDER, if one is named). Rounds of all servers alternate, and the median of each is taken.
`tools listed` is the time until the server has also said which tools it has: the first answer of ours comes
before the SDK of the protocol is loaded, this one after.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import psutil

import lukasa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.db.database import Json

CPU_BAR, PEER_BAR, RECALL_BAR = 0.5, 0.35, 5.0
ENTRIES, QUESTIONS = 2_000, 200
HELLO: dict[str, Json] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}
BARE_SDK = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import ListToolsResult
async def tools(context, params):
    return ListToolsResult(tools=[])
async def main():
    server = Server("bare", on_list_tools=tools)
    async with stdio_server() as (source, target):
        await server.run(source, target, server.create_initialization_options())
anyio.run(main)
"""
BARE_FASTMCP = "from fastmcp import FastMCP; FastMCP('bare').run(show_banner=False)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Peer:
    """Another server: what is installed, and how it is started from there."""

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]


PEERS = (
    Peer(name="the SDK alone", packages=("mcp==2.3.0",), command=("python", "-c", BARE_SDK)),
    Peer(name="FastMCP alone", packages=("fastmcp==4.1.2",), command=("python", "-c", BARE_FASTMCP)),
    Peer(
        name="mcp-server-sqlite",
        packages=("mcp-server-sqlite==2025.4.25", "mcp<2"),  # it does not start with mcp 2
        command=("mcp-server-sqlite", "--db-path", "peer.db"),
    ),
    Peer(name="mcp-server-fetch", packages=("mcp-server-fetch==2026.10.24",), command=("mcp-server-fetch",)),
    Peer(name="mcp-server-git", packages=("mcp-server-git==2026.10.19",), command=("mcp-server-git",)),
    Peer(
        name="mem0-mcp-server",
        packages=("mem0-mcp-server==0.2.1", "mcp<2"),
        command=("mem0-mcp-server",),
    ),
)


class Server:
    """One server as a process, spoken to line by line."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        variables = os.environ | {"LUKASA_STORE": str(folder / "memory.lukasa"), "MEM0_API_KEY": "none"}
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(
            command, cwd=folder, env=variables, stdin=pipe, stdout=pipe, stderr=nowhere
        )
        self._to, self._from = self._process.stdin, self._process.stdout

    def ask(self, method: str, params: Json, number: int) -> dict[str, Json]:
        """One question and its answer; what the server says unasked in between is skipped."""
        self.tell(method, params, id=number)
        while self._from and (line := self._from.readline()):
            message = cast("dict[str, Json]", json.loads(line))
            if message.get("id") == number:
                return message
        raise SystemExit(f"{self._process.args!r} said nothing to {method}")

    def tell(self, method: str, params: Json, **more: Json) -> None:
        """One message that wants no answer."""
        message: dict[str, Json] = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        if self._to:
            self._to.write(json.dumps(message).encode() + b"\n")
            self._to.flush()

    def greet(self) -> None:
        """The handshake."""
        self.ask("initialize", HELLO, 0)

    def cpu(self) -> float:
        """The seconds of processor time that it and its children have used."""
        process = psutil.Process(self._process.pid)
        times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
        return sum(each.user + each.system for each in times)

    def end(self) -> None:
        """Stops it, as it stands."""
        self._process.kill()
        self._process.communicate()


def installed(peer: Peer, folder: Path) -> list[str]:
    """The command of a peer, which is installed if it is not there yet."""
    home = folder / peer.name.replace(" ", "-")
    here = home / "bin"
    if not home.exists():
        venv.create(home, with_pip=True)
        pip = [str(here / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        subprocess.run([*pip, *peer.packages], check=True)
    return [str(here / peer.command[0]), *peer.command[1:]]


def started(command: Sequence[str]) -> tuple[float, float]:
    """Processor time until the first answer, and until the tools are listed."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(command, Path(folder))
        try:
            server.greet()
            first = server.cpu()
            server.tell("notifications/initialized", {})
            server.ask("tools/list", {}, 1)
            return first, server.cpu()
        finally:
            server.end()


def starts(commands: dict[str, list[str]], rounds: int) -> dict[str, tuple[float, float]]:
    """The median of each server's two times; a first round warms the disk and is not counted."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            times = started(command)
            if number:
                found[name].append(times)
    return {
        name: (statistics.median(first for first, _ in times), statistics.median(both for _, both in times))
        for name, times in found.items()
    }


def recalls() -> tuple[float, float]:
    """Milliseconds of one warm recall: by the library, and over the protocol."""
    with tempfile.TemporaryDirectory() as folder, lukasa.open(Path(folder) / "memory.lukasa") as store:
        main = store.agent("main")
        with store.transaction():
            for number in range(ENTRIES):
                main.remember(f"Note {number}: the release {number % 97} waits for review {number % 31}.")
        server = Server(ours("--tools", "role"), Path(folder))
        try:
            server.greet()
            server.tell("notifications/initialized", {})
            library: list[float] = []
            protocol: list[float] = []
            for number in range(QUESTIONS + 20):
                query = f"which release waits for review {number % 31}"
                start = time.perf_counter()
                main.recall(query, limit=5)
                middle = time.perf_counter()
                answer = server.ask(
                    "tools/call", {"name": "recall", "arguments": {"query": query, "top_k": 5}}, number + 1
                )
                protocol.append(time.perf_counter() - middle)
                library.append(middle - start)
                if "error" in answer:
                    raise SystemExit(f"The recall failed: {answer}")
        finally:
            server.end()
    return statistics.median(library[20:]) * 1000, statistics.median(protocol[20:]) * 1000


def ours(*options: str) -> list[str]:
    """How our server is started."""
    return [sys.executable, "-m", "lukasa", "mcp", *options]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--peers", metavar="FOLDER", type=Path, help="keep what is installed here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = given.peers or Path(folder)
        commands = {"lukasa": ours()} | {peer.name: installed(peer, home) for peer in PEERS}
        found = starts(commands, given.rounds)
    best = min(first for name, (first, _) in found.items() if name != "lukasa")
    print(f"{'processor seconds from start':<28} {'first answer':>14} {'tools listed':>14}")
    for name, (first, both) in found.items():
        print(f"{name:<28} {first:>14.2f} {both:>14.2f}")
    mine = found["lukasa"][0]
    library, protocol = recalls()
    added = protocol - library
    bars = (
        (f"first answer {mine:.2f} s", mine <= CPU_BAR, f"{CPU_BAR} s"),
        (f"of the best peer {mine / best:.2f}", mine / best <= PEER_BAR, f"{PEER_BAR}"),
        (
            f"a recall {library:.1f} ms, over the protocol + {added:.1f}",
            added <= RECALL_BAR,
            f"{RECALL_BAR} ms",
        ),
    )
    for said, held, bar in bars:
        print(f"{said:<50} bar {bar:<8} {'ok' if held else 'OVER'}")
    return 0 if all(held for _, held, _ in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
