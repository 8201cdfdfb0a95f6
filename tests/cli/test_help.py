"""The help: complete, grouped, with examples that work."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from lukasa.cli import overview, parser

if TYPE_CHECKING:
    from conftest import Cli

WANTED = [
    "remember",
    "add",
    "remove",
    "recall",
    "why",
    "context",
    "get",
    "list",
    "write",
    "update",
    "rename",
    "alias",
    "link",
    "unlink",
    "supersede",
    "links",
    "complete",
    "history",
    "undo",
    "forget",
    "agents",
    "stats",
    "check",
    "reindex",
    "model",
    "export",
    "import",
    "bench",
    "demo",
    "completion",
    "doctor",
    "hook",
    "install",
    "mcp",
    "token",
]
EXAMPLES = [(name, example) for name in overview.HOMES for example in parser.find_command(name).examples]


def calls(example: str) -> list[list[str]]:
    """The arguments of each call of ours in a line of shell."""
    parts = (shlex.split(part.split(" > ")[0].split(" < ")[0]) for part in example.split(" | "))
    return [words[1:] for words in parts if words[0] == "lukasa"]


def test_every_command_that_was_promised_is_there() -> None:
    assert sorted(overview.HOMES) == sorted(WANTED)
    assert overview.HOMES.keys() == overview.HELP.keys()


def test_the_overview_shows_every_command_by_purpose_and_a_first_use(cli: Cli) -> None:
    said = cli.ok("--help")
    assert cli.ok().out == cli.ok("-h").out == cli.ok("help").out == said.out
    assert said.err == ""
    for name, line in overview.HELP.items():
        assert any(shown.split() == [name, *line.split()] for shown in said.lines)
    for heading in ("Start:", "Remember and read:", "Change:", "Names and links:", "Run the store:"):
        assert heading in said.lines
    assert '  lukasa remember "The user prefers short answers." --name style' in said.lines


def test_the_overview_fits_a_terminal() -> None:
    assert max(len(line) for line in overview.overview_text().splitlines()) <= 100


@pytest.mark.parametrize("name", WANTED)
def test_the_help_of_a_command_teaches_it(cli: Cli, name: str) -> None:
    said = cli.ok(name, "--help")
    assert cli.ok("--agent", "ana", name, "-h").out == cli.ok("help", name).out == said.out
    assert said.lines[0].startswith(f"usage: lukasa {name} ")
    assert overview.HELP[name] in said.lines
    command = parser.find_command(name)
    assert command.about in said.out
    assert said.lines[said.lines.index("Examples:") + 1].startswith("  ")
    for example in command.examples:
        assert f"  {example}" in said.lines
    for option in ("--store", "--agent", "--share", "--json", "--help"):
        assert option in said.out
    assert not cli.exists()


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_an_example_is_understood_and_shows_its_command(name: str, example: str) -> None:
    found = calls(example)
    assert name in [arguments[0] for arguments in found]
    for first, *rest in found:
        assert parser.parse(first, rest).given


def test_the_examples_of_reading_and_writing_run_one_after_the_other(cli: Cli) -> None:
    cli.ok("remember", "todo: renew the TLS certificate", "--name", "certificate")
    for number in range(2, 12):
        cli.ok("remember", f"thing {number}")
    for name in ("remember", "alias", "link", "links", "update", "get", "list", "complete", "history"):
        for example in parser.find_command(name).examples:
            if "--as-of" not in example and "14" not in example:
                [arguments] = calls(example)
                cli.ok(*arguments, stdin="a commit\n")
    assert len(cli.entries()) == 15


def test_an_option_is_explained_by_what_it_takes(cli: Cli) -> None:
    shown = " ".join(cli.ok("remember", "--help").out.split())
    for kind in ("identity", "todo", "archive"):
        assert kind in shown
    for cls in ("semantic", "bulletin"):
        assert cls in shown
    assert "derived_from" in cli.ok("link", "--help").out
