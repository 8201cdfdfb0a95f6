"""`forget`, `agents`, `stats`, `check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest

if TYPE_CHECKING:
    from conftest import Cli


@pytest.fixture
def ana_and_ben(cli: Cli) -> None:
    """Three entries of ana's, one of them in a project, and one of ben's."""
    cli.ok("remember", "Ana's first.", "--name", "first", "--tag", "x", "--agent", "ana")
    cli.ok("remember", "todo: Ana's second", "--agent", "ana")
    cli.ok("remember", "Ana's for all.", "--scope", "project/apollo", "--agent", "ana")
    cli.ok("remember", "Ben's only.", "--name", "first", "--agent", "ben")


def contents(cli: Cli, *arguments: str) -> list[object]:
    return [entry["content"] for entry in cli.entries(*arguments)]


def test_forget_gives_a_receipt_and_leaves_no_byte(cli: Cli) -> None:
    phrase = "the rehearsal dinner is at Marlow's"
    cli.ok("remember", phrase, "--name", "private")
    cli.ok("alias", "private", "dinner")
    cli.ok("write", "private", f"{phrase} at eight")
    assert phrase.encode() in cli.store.read_bytes()
    said = cli.ok("forget", "dinner")
    assert said.lines[0].startswith("Erased entry 1 (")
    assert ": 1 entry, 2 names, " in said.lines[0]
    assert "3 changes of its history, 1 piece of its index, 1 vector." in said.lines[0]
    assert said.lines[1] == "  Nothing of it remains in the store."
    assert phrase not in said.out
    assert [path.name for path in cli.store.parent.iterdir()] == [cli.store.name]
    assert phrase.encode() not in cli.store.read_bytes()
    assert cli("get", "private").code == 1


def test_a_receipt_in_json_counts_what_went(cli: Cli) -> None:
    cli.ok("remember", "one", "--name", "one", "--tag", "a")
    cli.ok("remember", "two", "--name", "two")
    cli.ok("link", "one", "about", "two")
    receipt = cli.json("forget", "one")
    assert str(receipt.pop("subject")).startswith("entry 1 (")
    assert receipt.pop("tags") in {1, 2}
    assert receipt == {
        "entries": 1,
        "names": 1,
        "links": 1,
        "history": 1,
        "chunks": 1,
        "vectors": 1,
        "recalls": 0,
        "remains": [],
        "dry_run": False,
    }


def test_a_forgotten_number_is_not_given_again(cli: Cli) -> None:
    cli.ok("remember", "one")
    cli.ok("forget", "1")
    assert cli.json("remember", "two")["number"] == 2


@pytest.mark.usefixtures("ana_and_ben")
def test_forget_touches_nothing_of_another_agent(cli: Cli) -> None:
    before = cli.ok("list", "--agent", "ana").out
    for ref in ("1", "2", "nobody"):
        assert cli("forget", ref, "--agent", "ben").code == 1
    cli.ok("forget", "first", "--agent", "ben")
    assert cli.ok("list", "--agent", "ana").out == before
    assert contents(cli, "--agent", "ben") == []


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["forget"], "Nothing was named"),
        (["forget", "first", "--all", "--agent", "ana"], "both given"),
        (["forget", "--all"], "told whose"),
        (["forget", "first", "--dry-run"], "go with --all"),
        (["forget", "first", "--yes"], "go with --all"),
        (["forget", "--all", "--agent", ""], "empty text"),
        (["forget", "--all", "--agent", "a b", "--yes"], "An agent id was wanted"),
        (["forget", "--all", "--agent", "ana"], "nobody is here to agree"),
    ],
)
@pytest.mark.usefixtures("ana_and_ben")
def test_a_wrong_forget_erases_nothing(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, wrong: list[str], says: str
) -> None:
    monkeypatch.setenv("LUKASA_AGENT", "ana")
    refused = cli(*wrong, stdin="yes\n")
    assert refused.code == 2
    assert says in refused.err
    assert cli.json("stats")["entries"] == 4


@pytest.mark.usefixtures("ana_and_ben")
def test_a_dry_run_says_what_would_go_and_erases_nothing(cli: Cli) -> None:
    plan = cli.ok("forget", "--agent", "ana", "--all", "--dry-run", stdin="")
    assert plan.lines[0].startswith("Would erase agent ana (agent/ana): 2 entries, 1 name, ")
    assert "project/apollo" in plan.lines[1]
    receipt = cli.json("forget", "--agent", "ana", "--all", "--dry-run")
    assert (receipt["entries"], receipt["dry_run"]) == (2, True)
    assert cli.json("stats")["entries"] == 4


@pytest.mark.usefixtures("ana_and_ben")
def test_a_whole_agent_is_erased_with_yes(cli: Cli) -> None:
    receipt = cli.json("forget", "--all", "--yes", "--agent", "ana")
    assert (receipt["entries"], receipt["dry_run"]) == (2, False)
    assert contents(cli, "--agent", "ana") == []
    assert contents(cli, "--agent", "ben") == ["Ben's only."]
    assert contents(cli, "--scope", "project/apollo") == ["Ana's for all."]
    assert [line.split("\t")[0] for line in cli.ok("agents").lines] == ["ben"]
    assert b"Ana's first" not in cli.store.read_bytes()


@pytest.mark.usefixtures("ana_and_ben")
def test_a_mistyped_agent_is_not_said_to_be_erased(cli: Cli) -> None:
    for more in ("--yes", "--dry-run"):
        missing = cli("forget", "--agent", "anna", "--all", more)
        assert missing.code == 1
        assert missing.err == "error: There is no agent 'anna'.\nfix: The nearest names: 'ana'.\n"


@pytest.mark.parametrize(
    ("answer", "code", "left"), [("y\n", 0, 2), ("yes\n", 0, 2), ("n\n", 1, 4), ("\n", 1, 4)]
)
@pytest.mark.usefixtures("ana_and_ben")
def test_a_person_is_asked(cli: Cli, answer: str, code: int, left: int) -> None:
    said = cli.terminal("forget", "--agent", "ana", "--all", keys=answer)
    assert said.code == code
    assert "Erase 2 entries of agent ana" in said.out
    assert "[y/N]" in said.out
    assert ("Nothing was erased." in said.out) == bool(code)
    assert cli.json("stats")["entries"] == left


@pytest.mark.usefixtures("ana_and_ben")
def test_agents_shows_who_has_what(cli: Cli) -> None:
    rows = [line.split("\t")[:3] for line in cli.ok("agents").lines]
    assert rows == [["ana", "2", "1"], ["ben", "1", "1"]]
    agents = cli.json("agents")["agents"]
    assert isinstance(agents, list)
    assert [set(agent) for agent in agents if isinstance(agent, dict)] == [
        {"agent", "entries", "spaces", "created_at", "updated_at"}
    ] * 2


@pytest.mark.usefixtures("ana_and_ben")
def test_stats_counts_the_store_or_what_one_agent_sees(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli.json("stats") == {
        "location": str(cli.store),
        "agents": 2,
        "spaces": 3,
        "entries": 4,
        "kinds": [{"kind": "fact", "entries": 3, "live": 3}, {"kind": "todo", "entries": 1, "live": 1}],
    }
    assert cli.json("stats", "--agent", "ana")["entries"] == 2
    monkeypatch.setenv("LUKASA_AGENT", "ana")
    assert cli.json("stats")["entries"] == 4
    assert cli.ok("stats").lines == [
        f"store: {cli.store}",
        "agents: 2",
        "spaces: 3",
        "entries: 4",
        "fact\t3\t3",
        "todo\t1\t1",
    ]


@pytest.mark.parametrize("command", ["agents", "stats", "check", "list"])
def test_looking_at_a_store_that_is_not_there_makes_none(cli: Cli, command: str) -> None:
    assert cli.ok(command).code == 0
    assert cli.ok(command, "--json").document
    assert not cli.store.parent.exists()


@pytest.mark.usefixtures("ana_and_ben")
def test_check_says_that_a_store_is_sound(cli: Cli) -> None:
    said = cli.ok("check")
    assert said.lines[0].startswith("Sound: 4 entries, ")
    assert said.err == ""
    verdict = cli.json("check")
    assert verdict["ok"] is True
    assert verdict["entries"] == 4
    assert verdict["problems"] == []


def test_check_finds_damage_and_ends_with_one(cli: Cli) -> None:
    cli.ok("remember", "one")
    _run_sql(cli, "UPDATE spaces SET entries = 7")
    found = cli("check")
    assert found.code == 1
    assert found.lines
    assert all(line.startswith("problem: ") for line in found.lines)
    assert found.err.endswith(" problem.\n")
    verdict = cli("check", "--json")
    assert verdict.code == 1
    assert verdict.document["ok"] is False
    assert verdict.document["problems"] == [line.removeprefix("problem: ") for line in found.lines]
    _run_sql(cli, "UPDATE spaces SET entries = 1")


def _run_sql(cli: Cli, statement: str) -> None:
    connection = apsw.Connection(str(cli.store))
    connection.execute(statement)
    connection.close()
