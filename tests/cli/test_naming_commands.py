"""`rename`, `alias`, `link`, `unlink`, `supersede`, `links`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from conftest import Cli
    from lukasa.db.database import Json


@pytest.fixture(autouse=True)
def two_entries(cli: Cli) -> None:
    cli.ok("remember", "Deploy with make release.", "--name", "deploy")
    cli.ok("remember", "todo: renew the certificate", "--name", "certificate")


def links(cli: Cli, ref: str) -> list[dict[str, Json]]:
    return cast("list[dict[str, Json]]", cli.json("links", ref)["links"])


def test_rename_frees_the_old_name_and_keeps_the_rest(cli: Cli) -> None:
    cli.ok("alias", "deploy", "ship")
    before = cli.json("get", "deploy")
    said = cli.ok("rename", "deploy", "release steps")
    assert said.lines[0] == "Renamed to #1 release steps: Deploy with make release."
    assert said.lines[1].endswith("· also ship")
    after = cli.json("get", "ship")
    assert after["id"] == before["id"]
    assert after["created_at"] == before["created_at"]
    assert cli("get", "deploy").code == 1
    cli.ok("remember", "another", "--name", "deploy")


def test_renaming_to_the_own_alias_swaps_the_two(cli: Cli) -> None:
    cli.ok("alias", "deploy", "ship")
    after = cli.json("rename", "deploy", "ship")
    assert (after["name"], after["aliases"]) == ("ship", ["deploy"])


def test_an_alias_finds_the_entry(cli: Cli) -> None:
    said = cli.ok("alias", "deploy", "ship")
    assert said.lines[0] == "Found by one more name: #1 deploy: Deploy with make release."
    assert cli.json("get", "ship")["aliases"] == ["ship"]


@pytest.mark.parametrize(
    "command",
    [
        ["rename", "deploy", "certificate"],
        ["alias", "deploy", "certificate"],
        ["alias", "deploy", "deploy"],
        ["remember", "a third", "--name", "deploy"],
    ],
)
def test_a_taken_name_is_refused_and_nothing_changes(cli: Cli, command: list[str]) -> None:
    before = cli.ok("list").out
    refused = cli(*command, "--json")
    assert refused.code == 1
    assert refused.error["type"] == "DuplicateError"
    assert cli.ok("list").out == before


def test_a_link_is_shown_from_both_ends(cli: Cli) -> None:
    said = cli.ok("link", "deploy", "depends_on", "certificate", "--weight", "0.5", "--provenance", "said so")
    start, end = "#1 deploy: Deploy with make release.", "#2 certificate: todo: renew the certificate"
    assert said.lines == [f"Linked: {start} — depends_on → {end}"]
    [out], [back] = links(cli, "deploy"), links(cli, "certificate")
    assert out == back
    assert (out["relation"], out["weight"], out["provenance"]) == ("depends_on", 0.5, "said so")
    row = cli.ok("links", "deploy").lines[0].split("\t")
    assert row[:5] == ["to", "depends_on", "2", "certificate", "0.5"]
    assert row[6] == "todo: renew the certificate"
    assert cli.ok("links", "certificate").lines[0].startswith("from\tdepends_on\t1\tdeploy")


def test_a_link_in_json_is_what_links_shows(cli: Cli) -> None:
    made = cli.json("link", "1", "supports", "2")
    assert links(cli, "1") == [made]
    assert made["from_id"] == cli.json("get", "1")["id"]
    assert str(made["created_at"]).endswith("Z")


def test_no_links_is_no_failure(cli: Cli) -> None:
    none = cli.ok("links", "deploy")
    assert none.out == ""
    assert none.err == "No links at #1 deploy: Deploy with make release.\n"
    assert links(cli, "deploy") == []


def test_unlink_takes_a_link_away(cli: Cli) -> None:
    cli.ok("link", "deploy", "about", "certificate")
    said = cli.ok("unlink", "deploy", "about", "certificate")
    assert said.lines[0].startswith("Unlinked: #1 deploy")
    assert links(cli, "deploy") == []
    again = cli("unlink", "deploy", "about", "certificate")
    assert again.code == 1
    assert "There is no link" in again.err


def test_unlink_in_json_names_what_went(cli: Cli) -> None:
    made = cli.json("link", "deploy", "about", "certificate")
    gone = cli.json("unlink", "deploy", "about", "certificate")["unlinked"]
    assert gone == {part: made[part] for part in ("from_id", "relation", "to_id")}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["link", "deploy", "likes", "certificate"], 2),
        (["link", "deploy", "about", "deploy"], 2),
        (["link", "deploy", "about", "nobody"], 1),
        (["link", "deploy", "about", "certificate", "--weight", "nan"], 2),
        (["link", "deploy", "about"], 2),
        (["unlink", "deploy", "likes", "certificate"], 2),
        (["supersede", "deploy", "deploy"], 2),
        (["supersede", "deploy", "nobody"], 1),
        (["links", "nobody"], 1),
        (["rename", "nobody", "x"], 1),
        (["rename", "deploy", " "], 2),
        (["rename", "deploy"], 2),
    ],
)
def test_a_wrong_link_or_name_is_refused(cli: Cli, command: list[str], code: int) -> None:
    refused = cli(*command)
    assert refused.code == code
    assert refused.err.startswith("error: ")
    assert links(cli, "deploy") == []
    assert cli.json("get", "deploy")["revision"] == 1


def test_supersede_puts_one_in_the_place_of_another(cli: Cli) -> None:
    cli.ok("remember", "Deploy with make ship.", "--name", "ship")
    said = cli.ok("supersede", "deploy", "ship")
    assert said.lines[0] == "deploy is history; in its place #3 ship: Deploy with make ship."
    assert [entry["name"] for entry in cli.entries()] == ["ship", "certificate"]
    assert "state: superseded" in cli.ok("get", "deploy").lines
    assert cli("supersede", "ship", "deploy").code == 2
    cli.ok("unlink", "ship", "supersedes", "deploy")
    assert "state: live" in cli.ok("get", "deploy").lines


def test_supersede_in_json_is_the_new_entry(cli: Cli) -> None:
    entry = cli.json("supersede", "deploy", "certificate")
    assert entry["name"] == "certificate"
    assert cli.json("get", "deploy")["superseded_by"] == entry["id"]


def test_links_of_another_agent_are_out_of_sight(cli: Cli) -> None:
    cli.ok("link", "deploy", "about", "certificate")
    assert cli("links", "deploy", "--agent", "ben").code == 1
    assert cli("link", "1", "supports", "2", "--agent", "ben").code == 1
