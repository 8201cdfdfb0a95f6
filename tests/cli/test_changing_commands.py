"""`write`, `update`, `complete`, `undo`, `history`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from conftest import Cli
    from lukasa.db.database import Json


@pytest.fixture
def deploy(cli: Cli) -> dict[str, Json]:
    return cli.json(
        *("remember", "Deploy with make release.", "--name", "deploy", "--tag", "ops"),
        *("--summary", "how to deploy", "--expires", "30d", "--source", "wiki:7", "--session", "s1"),
        *("--metadata", '{"a": 1}', "--context", "from the wiki", "--category", "work"),
    )


def changes(cli: Cli, ref: str) -> list[dict[str, Json]]:
    return cast("list[dict[str, Json]]", cli.json("history", ref)["changes"])


def test_write_replaces_the_text_and_keeps_the_rest(cli: Cli, deploy: dict[str, Json]) -> None:
    said = cli.ok("write", "deploy", "Deploy with", "make ship.")
    assert said.lines[0] == "Wrote #1 deploy: Deploy with make ship."
    after = cli.json("get", "deploy")
    same = {"id", "number", "kind", "name", "tags", "created_at", "summary"}
    assert {part: after[part] for part in same} == {part: deploy[part] for part in same}
    assert after["content"] == "Deploy with make ship."


@pytest.mark.usefixtures("deploy")
def test_write_reads_standard_input(cli: Cli) -> None:
    cli.ok("write", "deploy", "-", stdin="one\ntwo\n")
    assert cli.json("get", "deploy")["content"] == "one\ntwo"


@pytest.mark.usefixtures("deploy")
def test_a_stale_revision_changes_nothing(cli: Cli) -> None:
    cli.ok("write", "deploy", "second", "--revision", "1")
    for late in (["write", "deploy", "third"], ["update", "deploy", "--text", "third"]):
        refused = cli(*late, "--revision", "1", "--json")
        assert refused.code == 1
        assert refused.error["type"] == "ConflictError"
    assert cli.json("get", "deploy")["content"] == "second"


@pytest.mark.usefixtures("deploy")
def test_update_changes_only_what_was_given(cli: Cli) -> None:
    before = cli.json("get", "deploy")
    after = cli.json("update", "deploy", "--tag", "release", "--importance", "0.9", "--pin")
    changed = {part for part in after if after[part] != before[part]}
    assert changed == {"tags", "importance", "pinned", "updated_at", "revision", "concepts"} & changed
    assert after["tags"] == ["release"]
    assert after["importance"] == 0.9
    assert after["pinned"] is True
    assert cli.json("update", "deploy", "--no-pin")["pinned"] is False


@pytest.mark.usefixtures("deploy")
def test_update_gives_another_text_name_kind_and_class(cli: Cli) -> None:
    after = cli.json(
        *("update", "deploy", "--text", "We ship.", "--name", "ship", "--kind", "decision"),
        *("--class", "bulletin", "--expires", "never"),
    )
    assert after["content"] == "We ship."
    assert after["name"] == "ship"
    assert (after["kind"], after["class"]) == ("decision", "bulletin")
    assert after["expires_at"] is None
    assert cli("get", "deploy").code == 1


@pytest.mark.parametrize(
    ("part", "column", "empty"),
    [
        ("name", "name", None),
        ("tags", "tags", []),
        ("summary", "summary", None),
        ("expires", "expires_at", None),
        ("source", "source_id", None),
        ("session", "session_id", None),
        ("metadata", "metadata", {}),
        ("context", "context", None),
        ("category", "category", "general"),
    ],
)
def test_update_clears_a_part(
    cli: Cli, deploy: dict[str, Json], part: str, column: str, empty: object
) -> None:
    assert deploy[column] != empty
    assert cli.json("update", "1", "--clear", part)[column] == empty


@pytest.mark.usefixtures("deploy")
def test_update_with_nothing_or_a_contradiction_is_refused(cli: Cli) -> None:
    nothing = cli("update", "deploy")
    assert nothing.code == 2
    assert "needs something to change" in nothing.err
    both = cli("update", "deploy", "--summary", "x", "--clear", "summary")
    assert both.code == 2
    assert "--summary is given and cleared at once" in both.err
    assert cli("update", "deploy", "--clear", "content").code == 2
    assert cli.json("get", "deploy")["revision"] == 1


def test_complete_marks_a_todo_and_open_takes_the_mark_away(cli: Cli) -> None:
    cli.ok("remember", "todo: renew the certificate", "--name", "certificate")
    said = cli.ok("complete", "certificate")
    assert said.lines[0] == "Completed #1 certificate: todo: renew the certificate"
    assert said.lines[1].endswith("· completed")
    done = cli.json("get", "certificate")
    assert done["status"] == "completed"
    assert done["completed_at"] is not None
    assert done["expires_at"] is not None
    assert cli.ok("list").lines[0].split("\t")[2] == "completed"
    assert cli.ok("complete", "certificate", "--status", "open").lines[0].startswith("Reopened #1")
    assert cli.json("get", "certificate")["completed_at"] is None
    assert cli.json("complete", "certificate", "--status", "cancelled")["status"] == "cancelled"
    assert cli("complete", "certificate", "--status", "perhaps").code == 2


@pytest.mark.usefixtures("deploy")
def test_undo_takes_changes_back_one_by_one(cli: Cli) -> None:
    cli.ok("write", "deploy", "second")
    cli.ok("update", "deploy", "--importance", "1")
    assert cli.json("undo", "deploy")["importance"] == 0.5
    assert cli.ok("undo", "deploy").lines[0] == "As it was before: #1 deploy: Deploy with make release."
    nothing = cli("undo", "deploy")
    assert nothing.code == 2
    assert "no change to undo" in nothing.err


@pytest.mark.usefixtures("deploy")
def test_history_says_what_each_change_changed(cli: Cli) -> None:
    cli.ok("alias", "deploy", "ship")
    cli.ok("rename", "deploy", "release")
    cli.ok("write", "ship", "Deploy on Fridays.")
    cli.ok("undo", "ship")
    rows = [line.split("\t") for line in cli.ok("history", "ship").lines]
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5"]
    assert [row[2] for row in rows] == ["add", "alias", "rename", "write", "undo"]
    assert {row[3] for row in rows} == {"main"}
    assert [row[4] for row in rows] == [
        "#1 deploy: Deploy with make release.",
        "aliases: nothing → ship",
        "name: deploy → release",
        "content: Deploy with make release. → Deploy on Fridays.",
        "undoes revision 4; content: Deploy on Fridays. → Deploy with make release.",
    ]


def test_history_in_json_has_the_whole_entry_before_each_change(cli: Cli, deploy: dict[str, Json]) -> None:
    cli.ok("write", "deploy", "second")
    first, second = changes(cli, "deploy")
    assert first["operation"] == "add"
    assert first["before"] is None
    assert second["before"] == deploy
    assert second["actor"] == "main"
    assert str(second["at"]).endswith("Z")


@pytest.mark.parametrize(
    "command",
    [
        ["write", "nobody", "x"],
        ["update", "nobody", "--pin"],
        ["complete", "nobody"],
        ["undo", "nobody"],
        ["history", "nobody"],
    ],
)
def test_a_change_to_nothing_fails_and_makes_no_file(cli: Cli, command: list[str]) -> None:
    refused = cli(*command)
    assert refused.code == 1
    assert "There is no entry 'nobody'" in refused.err
    assert not cli.exists()


def test_another_agent_changes_nothing(cli: Cli, deploy: dict[str, Json]) -> None:
    for command in (
        ["write", "1", "x"],
        ["complete", "deploy"],
        ["undo", "1"],
        ["history", str(deploy["id"])],
    ):
        assert cli(*command, "--agent", "ben").code == 1
    assert cli.json("get", "deploy") == deploy
