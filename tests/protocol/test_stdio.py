"""`lukasa mcp` as the process that a client starts: its streams, its end, what it loads and when."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, cast

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from lukasa.mcp.card import welcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import lukasa
    from conftest import Line
    from lukasa.db.database import Json

pytestmark = pytest.mark.usefixtures("location")

REMEMBER: dict[str, Json] = {"name": "remember", "arguments": {"content": "The sky is blue."}}
HEAVY = ("mcp", "pydantic", "numpy", "apsw", "asyncio", "rich", "lukasa.memory", "lukasa.recall")


def starting(*options: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "lukasa", "mcp", *options], env=dict(os.environ)
    )


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_a_real_client_starts_it_uses_it_and_ends_it(memory: lukasa.Store, era: str) -> None:
    import anyio  # noqa: PLC0415 - only here

    async def used() -> None:
        async with Client(starting("--tools", "role", "--agent", "ana"), mode=era) as client:
            assert len((await client.list_tools()).tools) == 3
            [kept] = (await client.call_tool("remember", {"content": "The sky is blue."})).content
            assert isinstance(kept, TextContent)
            assert kept.text.startswith("Remembered (id=1")

    anyio.run(used)
    [entry] = memory.agent("ana").list().entries
    assert entry.content == "The sky is blue."


@pytest.mark.slow
def test_two_processes_serve_one_store(line: Callable[..., Line], memory: lukasa.Store) -> None:
    pair = [line("--tools", "role"), line("--tools", "role")]
    for one in pair:
        one.greet()
    for number in range(8):
        arguments: dict[str, Json] = {"content": f"Fact number {number}."}
        answer = pair[number % 2].ask("tools/call", {"name": "remember", "arguments": arguments}, number + 1)
        assert cast("dict[str, Json]", answer["result"])["isError"] is False
    assert memory.agent("main").stats().entries == 8
    assert [one.leave()[0] for one in pair] == [0, 0]


def test_the_first_answer_comes_before_anything_heavy_is_loaded(line: Callable[..., Line]) -> None:
    one = line()
    assert one.greet() == welcome("2025-06-18")
    loaded = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, input=FIRST
    ).stderr.split()
    assert "lukasa.mcp.greeting" in loaded
    assert [name for name in HEAVY if name in loaded] == []


FIRST = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "x", "version": "1"},
        },
    }
)
# What stands in sys.modules at the moment when the first answer is written.
LOADED = """
import sys
from lukasa.cli import main
from lukasa.mcp.wire import Wire
write = Wire.write
def written(self, line):
    if not written.said:
        written.said = True
        print(*sys.modules, file=sys.stderr)
    write(self, line)
written.said = False
Wire.write = written
main(["mcp"])
"""


def test_every_question_that_was_sent_is_answered_before_it_ends(
    line: Callable[..., Line], memory: lukasa.Store
) -> None:
    one = line("--tools", "role")
    one.send(FIRST.encode() + b"\n")
    one.tell("notifications/initialized")
    for number in range(2, 12):
        arguments: dict[str, Json] = {"content": f"Fact number {number}."}
        one.tell("tools/call", {"name": "remember", "arguments": arguments}, id=number)
    code, out, _ = one.leave()
    answers = [cast("dict[str, Json]", json.loads(answer)) for answer in out.splitlines()]
    assert code == 0
    assert answers[0]["id"] == 1
    assert sorted(cast("list[int]", [answer["id"] for answer in answers])) == list(range(1, 12))
    assert memory.agent("main").stats().entries == 10


def test_the_handshake_is_answered_once_and_a_later_use_of_its_number_again(
    line: Callable[..., Line],
) -> None:
    one = line()
    one.greet()
    assert one.ask("ping", None, 0)["id"] == 0
    assert one.leave()[:2] == (0, b"")


@pytest.mark.slow
def test_a_client_that_cancels_is_not_answered_and_can_go_on(line: Callable[..., Line]) -> None:
    one = line("--tools", "role")
    one.greet()
    one.tell("tools/call", REMEMBER, id=5)
    one.tell("notifications/cancelled", {"requestId": 5, "reason": "changed my mind"})
    answer = one.ask("ping", None, 6)
    assert answer["id"] in {5, 6}  # the call may have been quicker than the change of mind
    code, _, err = one.leave()
    assert (code, "Traceback" in err) == (0, False)


@pytest.mark.slow
def test_lines_that_are_no_messages_do_not_end_it(line: Callable[..., Line]) -> None:
    one = line()
    for sent in (b"{\n", b"\n", b"\xff\xfe\n", b'{"jsonrpc":"2.0"}\n', b"[" * 100_000 + b"\n"):
        one.send(sent)
    assert one.greet()["serverInfo"]
    code, out, _ = one.leave()
    assert code == 0
    for answer in out.splitlines():
        assert json.loads(answer)["jsonrpc"] == "2.0"


def test_half_a_character_leaves_no_question_without_an_answer(
    line: Callable[..., Line], memory: lukasa.Store
) -> None:
    one = line("--tools", "role")
    client: dict[str, Json] = {"name": "cut \ud83d", "version": "1"}
    hello: Json = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    assert one.ask("initialize", hello, 0)["id"] == 0
    one.tell("notifications/initialized")
    kept = one.ask(
        "tools/call", {"name": "remember", "arguments": {"content": "A smile \ud83d and caf\u00e9"}}, 5
    )
    assert (kept["id"], "Remembered" in str(kept)) == (5, True)
    one.send(b'{"jsonrpc": "2.0", "id": 6, "method": "ping\\ud83d"}\n')
    assert one.hear()["id"] == 6
    assert one.leave()[0] == 0
    assert [entry.content for entry in memory.agent("main").list().entries] == ["A smile ? and caf\u00e9"]


@pytest.mark.slow
def test_a_question_before_the_handshake_is_refused_by_the_protocol(line: Callable[..., Line]) -> None:
    one = line()
    assert cast("dict[str, Json]", one.ask("tools/list", {}, 1)["error"])["code"] == -32602
    assert one.leave()[0] == 0


def test_a_client_that_says_nothing_and_leaves_is_no_failure(line: Callable[..., Line]) -> None:
    assert line().leave() == (0, b"", "")


@pytest.mark.parametrize("asked", [False, True])
def test_sigterm_ends_it_with_the_store_closed(
    line: Callable[..., Line], location: Path, *, asked: bool
) -> None:
    one = line("--tools", "role")
    one.greet()
    if asked:
        assert one.ask("tools/call", REMEMBER, 1)["id"] == 1
    else:
        assert one.ask("ping", None, 1)["id"] == 1
    one.process.send_signal(signal.SIGTERM)
    assert one.process.wait(timeout=30) == 0
    assert one.process.stderr is not None
    assert one.process.stderr.read() == b""
    left = sorted(path.name for path in location.parent.iterdir()) if location.parent.exists() else []
    assert left == (["memory.lukasa"] if asked else [])


@pytest.mark.slow
def test_a_client_that_vanishes_ends_it(line: Callable[..., Line]) -> None:
    one = line()
    one.greet()
    assert one.process.stdout is not None
    one.process.stdout.close()
    one.process.stdout = None
    one.tell("ping", None, id=1)  # its answer meets nobody
    assert one.process.wait(timeout=30) == 0


def test_what_anybody_prints_never_reaches_the_protocol(location: Path) -> None:
    assert location
    code = (
        "import os, sys\n"
        "from lukasa.mcp.wire import Wire\n"
        "wire = Wire.claim()\n"
        "print('stray'); sys.stdout.flush(); os.system('echo child'); wire.write(b'ours\\n')\n"
        "print(repr(sys.stdin.read()))\n"
        "print(*wire.lines())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, input="one\ntwo"
    )
    assert done.stdout == "ours\n"
    assert done.stderr == "stray\nchild\n''\nb'one' b'two'\n"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--tools", "defalt"], "default"),
        (["--port", "1"], "--port is for --http"),
        (["--allow-host", "x"], "--allow-host is for --http"),
        (["--http", "--host", "0.0.0.0"], "lukasa token add"),  # noqa: S104 - it is refused
        (["--http", "--tokens", "nowhere.toml"], "lukasa token add --tokens nowhere.toml"),
        (["--http", "--tokens", "x.toml", "--agent", "ana"], "Leave --agent and --share out"),
        (["--http", "--host", "192.0.2.1", "--tokens", "t.toml"], "cannot be listened on"),
        (["--http", "--port", "65536"], "A port from 0 to 65535"),
        (["--http", "--port", "-1"], "A port from 0 to 65535"),
        (["--agent", "a b"], "An agent id was wanted"),
        (["--share", "everything"], "A space was wanted"),
    ],
)
def test_a_start_that_cannot_be_says_what_to_do(
    line: Callable[..., Line], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.toml").touch()
    code, out, err = line(*options).leave()
    assert code in {1, 2}
    assert out == b""
    assert says in err
    assert "Traceback" not in err


def test_a_person_who_starts_it_is_told_what_it_waits_for(location: Path) -> None:
    assert location
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "lukasa", "mcp"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.close(theirs)
        assert process.stderr is not None
        assert b"Waiting for a client" in process.stderr.readline()
        os.write(ours, b"\x04")  # Ctrl-D
        out, _ = process.communicate(timeout=30)
    os.close(ours)
    assert (process.returncode, out) == (0, b"")


def test_without_the_sdk_the_extra_is_named(location: Path) -> None:
    assert location
    code = (
        "import sys, importlib.machinery as m\n"
        "find = m.PathFinder.find_spec\n"
        "m.PathFinder.find_spec = lambda name, *a: None if name == 'mcp' else find(name, *a)\n"
        "from lukasa.cli import main\n"
        "sys.exit(main(['mcp']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, input="")
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'lukasa[mcp]'" in done.stderr
