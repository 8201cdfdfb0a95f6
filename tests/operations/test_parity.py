"""Each operation is documented, has a command that takes what it takes, and says the same on every surface.

The same calls are made through the dispatcher, the default tool box and the command line, each on a store of
its own; what comes back must be the same document, but for ids, times and the last digits of scores.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from mcp import Client

import lukasa
from lukasa import operations
from lukasa.cli import main
from lukasa.cli.overview import HELP
from lukasa.cli.parser import build
from lukasa.mcp.desk import Room, Seat
from lukasa.mcp.server import build as build_server
from lukasa.operations import Binding, perform
from lukasa.toolsets import find_toolset

if TYPE_CHECKING:
    from argparse import Action
    from collections.abc import Mapping

    from lukasa.db.database import Json
    from lukasa.operations import Operation

ROOT = Path(__file__).parents[2]

# The words of a command line, where they are not the operation's own name.
COMMANDS = {"forget_agent": ("forget", "--all"), "store_stats": ("stats",), "models": ("model", "list")}
# What a command calls an argument, where it is not the parameter's own name.
OPTIONS = {
    "entry_class": "class",
    "tags": "tag",
    "pinned": "pin",
    "expires_at": "expires",
    "source_type": "source",
    "source_id": "source",
    "session_id": "session",
    "kinds": "kind",
    "classes": "class",
    "from_ref": "from",
    "to_ref": "to",
    "observe": "no_observe",
}
ELSEWHERE = {
    ("update", "content"): ("text", "the content of the command is what stands without an option"),
}
# What a command's document has beside the operation's.
MORE = {"import": {"file", "dry_run"}}

CALLS: list[tuple[str, dict[str, Json]]] = [
    ("remember", {"content": "The user likes green tea.", "tags": ["tea", "green"], "importance": 0.9}),
    ("remember", {"content": "The user likes green tea.", "at": "2026-01-02", "pinned": True}),
    ("remember", {"content": "The API is frozen.", "scope": "project/apollo", "metadata": {"by": "ben"}}),
    (
        "add",
        {"name": "deploy", "content": "Deploy with make ship.", "kind": "note", "entry_class": "procedural"},
    ),
    ("get", {"ref": "deploy"}),
    ("get", {"ref": "deploy", "scope": "agent/ana"}),
    ("list", {"limit": 1}),
    ("list", {"kinds": ["note", "preference"], "tags": ["tea"], "text": "GREEN", "hidden": True}),
    ("update", {"ref": "deploy", "content": "Deploy with make it so.", "tags": ["ops"], "status": "open"}),
    ("update", {"ref": "deploy", "summary": "how to deploy", "session_id": "s1", "source_type": "mail"}),
    ("write", {"ref": "deploy", "content": "Deploy with make release.", "revision": 3}),
    ("rename", {"ref": "deploy", "name": "ship"}),
    ("alias", {"ref": "ship", "name": "release"}),
    ("complete", {"ref": 1, "status": "cancelled"}),
    ("undo", {"ref": 1}),
    ("history", {"ref": "ship"}),
    ("link", {"from_ref": 1, "relation": "about", "to_ref": "ship", "weight": 0.5, "provenance": "said so"}),
    ("links", {"ref": 1}),
    ("recall", {"query": "how to deploy", "limit": 2, "observe": False, "mode": "keyword"}),
    (
        "recall",
        {"query": "tea", "fusion": "weighted", "weights": {"semantic": 0.5, "keyword": 0.4, "graph": 0.1}},
    ),
    ("recall", {"query": "tea", "kinds": ["preference"], "since": "3d", "until": "2100-01-01", "floor": 0.1}),
    ("why", {"ref": "ship", "query": "green tea", "kinds": ["preference"]}),
    ("context", {"query": "which tea does the user like?", "floor": 0.0}),
    ("unlink", {"from_ref": 1, "relation": "about", "to_ref": "ship"}),
    ("supersede", {"old": 1, "new": "ship"}),
    ("forget", {"ref": 1}),
    ("remove", {"name": "release"}),
    ("stats", {}),
    ("agents", {}),
    ("store_stats", {}),
    ("check", {}),
    ("models", {}),
    ("reindex", {"language": "english"}),
    ("export", {"file": "out.json", "format": "json", "agent": "ana"}),
    ("export", {"file": "all.jsonl"}),
    ("import", {"file": "all.jsonl", "agent": "ben", "dry_run": True}),
    ("forget_agent", {"agent": "ana", "dry_run": True}),
]
CHANGING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d{13}:\d+|\S*memory\.lukasa"
)


def settled(document: Json) -> Json:
    """A document without what differs from run to run."""
    match document:
        case dict():
            return {key: settled(value) for key, value in document.items()}
        case list():
            return [settled(value) for value in document]
        case float():
            return float(f"{document:.1f}")
        case str():
            return CHANGING.sub("*", document)
        case _:
            return document


def without_scores(document: Json) -> Json:
    """A recall without numbers that a moment's passing changes."""
    if isinstance(document, list):
        return [without_scores(value) for value in document]
    if isinstance(document, dict):
        left_out = {"signals", "score", "relevance"}
        return {key: without_scores(value) for key, value in document.items() if key not in left_out}
    return document


def comparable(document: Json) -> Json:
    return without_scores(settled(document))


def words_of(name: str) -> tuple[str, ...]:
    return COMMANDS.get(name, (name,))


def argument_for(found: Operation, parameter: str) -> Action | None:
    """The argument of the command that takes a parameter."""
    wanted = ELSEWHERE.get((found.name, parameter), (OPTIONS.get(parameter, parameter),))[0]
    actions = build(words_of(found.name)[0])._actions
    return next((action for action in actions if action.dest == wanted), None)


def command_line(name: str, arguments: Mapping[str, Json]) -> list[str]:
    """The command line that says what a call says."""
    found = operations.get(name)
    texts: list[str] = []
    options: list[str] = []
    for parameter, value in arguments.items():
        action = argument_for(found, parameter)
        assert action is not None, f"{name} has no argument for {parameter}"
        words = spelled(parameter, value)
        if not action.option_strings:
            texts += words
        elif action.nargs == 0:
            options += [action.option_strings[0]] if value is not (parameter == "observe") else []
        else:
            options += [part for word in words for part in (action.option_strings[0], word)]
    agent = ["--agent", "ana", "--share", "project/apollo"] if found.for_agents else []
    return [*words_of(name), *options, *agent, "--json", *(["--", *texts] if texts else [])]


def spelled(parameter: str, value: Json) -> list[str]:
    if parameter == "weights":
        return [",".join(str(part) for part in cast("dict[str, float]", value).values())]
    if isinstance(value, dict):
        return [json.dumps(value)]
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


@pytest.mark.parametrize("name", operations.all())
def test_an_operation_has_a_command_that_takes_what_it_takes(name: str) -> None:
    found = operations.get(name)
    assert words_of(name)[0] in HELP
    missing = [
        parameter.name for parameter in found.parameters if argument_for(found, parameter.name) is None
    ]
    assert not missing, f"give the command these: {missing}"


@pytest.mark.parametrize("name", operations.all())
def test_an_operation_is_documented(name: str) -> None:
    commands = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
    assert f"## `{words_of(name)[0]}`" in commands
    tools = (ROOT / "docs/tools.md").read_text(encoding="utf-8")
    assert f"`{name}`" in tools, "say in docs/tools.md who may do it"


def test_no_exception_is_left_that_is_not_needed() -> None:
    taken = {parameter.name for found in operations.all().values() for parameter in found.parameters}
    assert OPTIONS.keys() <= taken
    assert COMMANDS.keys() <= operations.all().keys()
    assert {name for name, _ in CALLS} == operations.all().keys(), "call each of them"


def test_each_surface_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("dispatch", "box", "line"):
        (tmp_path / folder).mkdir()
    monkeypatch.setenv("LUKASA_STORE", str(tmp_path / "line" / "memory.lukasa"))
    with (
        lukasa.open(tmp_path / "dispatch" / "memory.lukasa") as store,
        lukasa.tools(store=tmp_path / "box" / "memory.lukasa", agent="ana", shares=["project/apollo"]) as box,
    ):
        binding = Binding(store=store, agent="ana", shares=("project/apollo",), audience="operator")
        for name, arguments in CALLS:
            expected = comparable(perform(binding, name, arguments).json)
            if name == "export":
                (tmp_path / str(arguments["file"])).unlink()  # a command replaces nothing unasked
            if operations.get(name).for_agents:
                reply = box.reply("call_tool", {"name": name, "arguments": arguments})
                assert not reply.failed, reply.said
                assert comparable(reply.document) == expected, name
            line = command_line(name, arguments)
            capsys.readouterr()
            assert main(line) == 0, (line, capsys.readouterr().err)
            said = cast("dict[str, Json]", json.loads(capsys.readouterr().out))
            for extra in MORE.get(name, ()):
                del said[extra]
            assert comparable(said) == expected, line


def test_an_mcp_client_is_told_what_the_box_says(tmp_path: Path) -> None:
    calls = [(name, arguments) for name, arguments in CALLS if operations.get(name).for_agents]
    with lukasa.tools(store=tmp_path / "box.lukasa", agent="ana", shares=["project/apollo"]) as box:
        wanted = [box.reply("call_tool", {"name": name, "arguments": given}).text for name, given in calls]
    with Room(str(tmp_path / "mcp.lukasa"), find_toolset("default")) as room:
        seat = Seat(agent="ana", shares=("project/apollo",))

        async def told() -> list[str]:
            async with Client(build_server(room, lambda: seat)) as client:
                results = [
                    await client.call_tool("call_tool", {"name": name, "arguments": given})
                    for name, given in calls
                ]
            assert not any(result.is_error for result in results)
            return ["".join(getattr(part, "text", "") for part in result.content) for result in results]

        said = asyncio.run(told())
    number = re.compile(r"-?\d+\.\d+")
    for ours, theirs in zip(wanted, said, strict=True):
        assert number.sub("*", str(settled(theirs))) == number.sub("*", str(settled(ours)))
