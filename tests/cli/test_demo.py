"""`demo`: every step is a real command, and its answer is what that command says."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, cast

import lukasa

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from conftest import Cli
    from lukasa.db.database import Json


def test_the_demo_shows_the_main_job_and_leaves_nothing(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    said = cli.process("demo")
    assert said.code == 0
    assert said.err == ""
    for part in (
        "$ lukasa alias deploy ship --agent ana",
        "  error: There is no entry 'deploy'.",
        "  to\tdepends_on\t3\tcertificate",
        "  As it was before: #2 release:",
        "  The phrase stands 1 time in the bytes of the store.",
        "  The phrase stands 0 times in the bytes of the store.",
        "  Sound: 5 entries, ",
        "What to try next",
        "This store is gone; with --keep DIR it stays.",
    ):
        assert part in said.out
    assert list(temporary.iterdir()) == []
    assert not cli.exists()


def test_a_kept_demo_can_be_looked_at_with_the_commands_that_it_names(cli: Cli, tmp_path: Path) -> None:
    said = cli.ok("demo", "--keep", "try it")
    store = tmp_path / "try it" / "demo.lukasa"
    assert store.exists()
    after = said.lines[said.lines.index("What to try next") + 1 :]
    commands = [line.removeprefix("$ lukasa ") for line in after if line.startswith("$ lukasa ")]
    assert len(commands) == 6
    for command in commands:
        cli.ok(*shlex.split(command))
    with lukasa.open(store) as opened:
        assert {agent.agent for agent in opened.agents()} == {"ana", "ben", "main"}
        assert opened.check().problems == ()
    again = cli("demo", "--keep", "try it")
    assert again.code == 2
    assert "There is a demo in try it already" in again.err


def test_the_commands_of_the_demo_give_the_same_when_typed(cli: Cli) -> None:
    steps = cast("list[dict[str, Json]]", cli.json("demo")["steps"])
    commands = [step for step in steps if "command" in step]
    assert len(commands) == 24
    for step in commands:
        typed = cli(*shlex.split(str(step["command"]).removeprefix("lukasa ")), "--json")
        if "error" in step:
            assert typed.code == 1
            assert typed.error == step["error"]
        else:
            assert typed.code == 0
            assert set(typed.document) == set(cast("dict[str, Json]", step["result"]))


def test_a_person_sees_the_demo_in_colour(cli: Cli) -> None:
    said = cli.terminal("demo")
    assert said.code == 0
    assert "\x1b[1;36m$ lukasa remember" in said.out
    assert "╭─" in said.out
