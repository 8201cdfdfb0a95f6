"""`remember`, `get` and `list`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

RFC3339_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
RFC3339_LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d\Z")


def test_what_is_remembered_can_be_got_and_listed(cli: Cli) -> None:
    said = cli.ok("remember", "The user prefers short answers.", "--name", "style")
    assert said.lines == [
        "Remembered #1 style: The user prefers short answers.",
        "  preference · semantic · general · in agent/main",
    ]
    assert cli.ok("get", "style").lines[-1] == "The user prefers short answers."
    assert [entry["name"] for entry in cli.entries()] == ["style"]


def test_every_option_of_remember_is_kept(cli: Cli) -> None:
    entry = cli.json(
        *("remember", "The gate opens at nine.", "--name", "gate", "--kind", "note", "--class", "bulletin"),
        *("--category", "My Notes", "--tag", "Ops", "--tag", "gate", "--importance", "0.9"),
        *("--confidence", "0.2", "--summary", "gate at nine", "--expires", "2030-05-01T10:00:00Z", "--pin"),
        *("--source", "mail:42:7", "--session", "s1", "--metadata", '{"ticket": [1, null]}'),
        *("--context", "said at breakfast"),
    )
    wanted = {
        "name": "gate",
        "kind": "note",
        "class": "bulletin",
        "category": "my_notes",
        "tags": ["ops", "gate"],
        "importance": 0.9,
        "confidence": 0.2,
        "summary": "gate at nine",
        "expires_at": "2030-05-01T10:00:00.000Z",
        "pinned": True,
        "source_type": "mail",
        "source_id": "42:7",
        "session_id": "s1",
        "metadata": {"ticket": [1, None]},
        "context": "said at breakfast",
    }
    assert {part: entry[part] for part in wanted} == wanted
    assert cli.json("get", "gate") == entry


def test_several_words_make_one_text(cli: Cli) -> None:
    assert cli.json("remember", "The", "user", "likes", "tea")["content"] == "The user likes tea"


def test_a_dash_reads_the_text_from_standard_input(cli: Cli) -> None:
    cli.ok("remember", "-", "--name", "notes", stdin="first line\nsecond line\n")
    assert cli.json("get", "notes")["content"] == "first line\nsecond line"
    assert cli.ok("get", "notes").lines[-2:] == ["first line", "second line"]


def test_standard_input_reaches_a_process_of_its_own(cli: Cli) -> None:
    said = cli.process("remember", "-", "--json", stdin="naïve 東京\n".encode())
    assert said.code == 0
    assert said.document["content"] == "naïve 東京"


def test_standard_input_that_is_not_text_is_refused(cli: Cli, piped_bytes: Path) -> None:
    piped_bytes.write_bytes(b"caf\xe9")
    refused = cli("remember", "-")
    assert refused.code == 2
    assert "Standard input is not utf-8 text" in refused.err
    assert not cli.exists()


def test_a_text_that_begins_with_a_dash_goes_after_two(cli: Cli) -> None:
    said = cli.ok("remember", "--name=cold", "--", "-5 degrees, --json and --help")
    assert said.lines[0] == "Remembered #1 cold: -5 degrees, --json and --help"


def test_the_same_text_again_is_one_entry_seen_twice(cli: Cli) -> None:
    cli.ok("remember", "The API is frozen.")
    again = cli.ok("remember", "The API is frozen.")
    assert again.lines[0] == "Known already, now seen 2 times: #1: The API is frozen."
    assert [(entry["number"], entry["seen"]) for entry in cli.entries()] == [(1, 2)]


@pytest.mark.parametrize(
    "wrong",
    [
        ["remember", "   "],
        ["remember", ""],
        ["remember", "x", "--kind", "idea"],
        ["remember", "x", "--class", "noble"],
        ["remember", "x", "--importance", "nan"],
        ["remember", "x", "--importance", "much"],
        ["remember", "x", "--expires", "soon"],
        ["remember", "x", "--expires", "999999w"],
        ["remember", "x", "--metadata", "[1]"],
        ["remember", "x", "--metadata", "{"],
        ["remember", "x", "--metadata", "[" * 100_000],
        ["remember", "x", "--metadata", '{"a": NaN}'],
        ["remember", "x", "--name", "n" * 201],
        ["remember", "x" * 100_001],
        ["remember", "x", "--scope", "apollo"],
        ["remember", "x", "--scope", "agent/ben"],
        ["remember", "x", "--share", "agent/ben"],
        ["remember", "half a pair: \udce9"],
        ["remember"],
    ],
)
def test_a_wrong_remember_is_refused_and_makes_no_file(cli: Cli, wrong: list[str]) -> None:
    refused = cli(*wrong)
    assert refused.code == 2
    assert refused.out == ""
    assert refused.err.startswith("error: ")
    assert "\nfix: " in refused.err
    assert not cli.store.parent.exists()


def test_a_secret_is_refused_by_its_kind_and_never_repeated(cli: Cli) -> None:
    token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    refused = cli("remember", f"the token is {token}")
    assert refused.code == 2
    assert "GitHub" in refused.err
    assert token not in refused.err
    assert not cli.exists()


def test_a_scope_is_bound_by_naming_it(cli: Cli) -> None:
    cli.ok(
        "remember", "The API is frozen.", "--scope", "project/apollo", "--name", "freeze", "--agent", "ana"
    )
    assert cli("get", "freeze", "--agent", "ben").code == 1
    assert cli.json("get", "freeze", "--agent", "ben", "--share", "project/apollo")["agent_id"] == "ana"
    assert cli.json("get", "freeze", "--scope", "project/apollo")["space"] == "project/apollo"
    assert len(cli.entries("--scope", "project/apollo")) == 1
    assert cli.entries("--scope", "project/gemini") == []


def test_share_may_be_repeated_on_both_sides_of_the_command(cli: Cli) -> None:
    cli.ok("remember", "one", "--scope", "project/one")
    cli.ok("remember", "two", "--scope", "project/two")
    both = cli.ok("--share", "project/one", "list", "--share", "project/two", "--json").document["entries"]
    assert isinstance(both, list)
    assert len(both) == 2


def test_get_finds_by_name_alias_number_and_id(cli: Cli) -> None:
    entry = cli.json("remember", "Deploy with make release.", "--name", "deploy")
    cli.ok("alias", "deploy", "ship")
    for ref in ("deploy", "ship", "1", "#1", str(entry["id"])):
        assert cli.json("get", ref)["id"] == entry["id"]


def test_get_shows_every_part_that_is_there_on_a_line_of_its_own(cli: Cli) -> None:
    cli.ok("remember", "Deploy.", "--name", "deploy", "--tag", "ops", "--metadata", '{"a": "é"}')
    head, _, body = cli.ok("get", "deploy").out.partition("\n\n")
    parts = dict(line.split(": ", 1) for line in head.splitlines())
    assert body == "Deploy.\n"
    assert parts["number"] == "1"
    assert parts["name"] == "deploy"
    assert parts["tags"] == "ops"
    assert parts["metadata"] == '{"a": "é"}'
    assert parts["state"] == "live"
    assert RFC3339_LOCAL.match(parts["created"])
    assert "expires" not in parts


def test_json_times_are_utc_and_an_entry_is_one_object(cli: Cli) -> None:
    entry = cli.json("remember", "We met on 2026-05-01.")
    assert RFC3339_UTC.match(str(entry["created_at"]))
    assert RFC3339_UTC.match(str(entry["expires_at"]))
    assert entry["completed_at"] is None


def test_what_is_not_there_is_a_failure_that_names_the_nearest(cli: Cli) -> None:
    cli.ok("remember", "Deploy.", "--name", "deploy")
    missing = cli("get", "depoly")
    assert missing.code == 1
    assert missing.err == "error: There is no entry 'depoly'.\nfix: The nearest names: 'deploy'.\n"


def test_get_as_of_shows_what_was_known_then(cli: Cli) -> None:
    cli.ok("remember", "Deploy with make release.", "--name", "deploy")
    then = str(cli.json("get", "deploy")["updated_at"])
    cli.ok("write", "deploy", "Deploy with make ship.")
    assert cli.json("get", "deploy", "--as-of", then)["content"] == "Deploy with make release."
    assert cli.json("get", "deploy", "--as-of", "0s")["content"] == "Deploy with make ship."
    assert cli("get", "deploy", "--as-of", "2d ago").code == 1


def test_a_list_in_a_pipe_is_one_line_an_entry_with_tabs_between(cli: Cli) -> None:
    cli.ok("remember", "first\tline\nsecond line", "--name", "two", "--tag", "a", "--tag", "b")
    [line] = cli.ok("list").lines
    number, kind, state, when, name, tags, text = line.split("\t")
    assert (number, kind, state, name, tags) == ("1", "fact", "live", "two", "a,b")
    assert text == "first line second line"
    assert RFC3339_LOCAL.match(when)


def test_list_filters_are_all_musts(cli: Cli) -> None:
    cli.ok("remember", "todo: renew the certificate", "--tag", "ops", "--tag", "tls", "--source", "mail:1")
    cli.ok("remember", "todo: water the plants", "--tag", "home", "--session", "s1")
    cli.ok("remember", "Certificates are sent by mail.", "--tag", "ops", "--category", "Post Box")
    cli.ok("remember", "We met on 2026-05-01.")
    cli.ok("complete", "2")

    def found(*filters: str) -> list[object]:
        return [entry["number"] for entry in cli.entries(*filters)]

    assert found() == [4, 3, 2, 1]
    assert found("--kind", "todo") == [2, 1]
    assert found("--kind", "todo", "--kind", "event") == [4, 2, 1]
    assert found("--class", "episodic") == [4]
    assert found("--tag", "ops") == [3, 1]
    assert found("--tag", "ops", "--tag", "TLS") == [1]
    assert found("--text", "CERTIFICATE") == [3, 1]
    assert found("--category", "post_box") == [3]
    assert found("--status", "completed") == [2]
    assert found("--kind", "todo", "--status", "open") == [1]
    assert found("--source", "mail") == [1]
    assert found("--source", "mail:2") == []
    assert found("--session", "s1") == [2]


def test_since_and_until_count_spans_back_from_now(cli: Cli) -> None:
    cli.ok("remember", "one")
    assert len(cli.entries("--since", "7d")) == 1
    assert len(cli.entries("--since", "2h ago")) == 1
    assert cli.entries("--until", "1h") == []
    assert cli.entries("--since", "2999-01-01") == []
    assert len(cli.entries("--until", "2999-01-01")) == 1
    assert cli("list", "--since", "yesterday").code == 2


def test_pages_follow_each_other_by_their_mark(cli: Cli) -> None:
    for number in range(5):
        cli.ok("remember", f"thing {number}")
    seen: list[object] = []
    mark: list[str] = []
    for size in (2, 2, 1):
        page = cli.json("list", "--limit", "2", *mark)
        entries = page["entries"]
        assert isinstance(entries, list)
        assert len(entries) == size
        seen += [entry["number"] for entry in entries if isinstance(entry, dict)]
        mark = ["--after", str(page["after"])]
    assert page["after"] is None
    assert seen == [5, 4, 3, 2, 1]


def test_that_there_is_more_is_said_beside_the_rows(cli: Cli) -> None:
    cli.ok("remember", "one")
    cli.ok("remember", "two")
    page = cli.ok("list", "--limit", "1")
    assert len(page.lines) == 1
    mark = page.err.split()[-1]
    assert page.err == f"There is more: the same with --after {mark}\n"
    assert cli.ok("list", "--after", mark).lines[0].endswith("\tone")


@pytest.mark.parametrize(
    "wrong", [["--limit", "0"], ["--limit", "1001"], ["--after", "x"], ["--kind", "idea"]]
)
def test_a_wrong_list_is_refused(cli: Cli, wrong: list[str]) -> None:
    refused = cli("list", *wrong, "--json")
    assert refused.code == 2
    assert refused.out == ""
    assert refused.error["type"] == "UsageError"
    assert refused.error["fix"]


def test_hidden_entries_are_shown_when_asked_for(cli: Cli) -> None:
    cli.ok("remember", "old", "--name", "old")
    cli.ok("remember", "new", "--name", "new")
    cli.ok("supersede", "old", "new")
    cli.ok("remember", "gone by now", "--expires", "1970-01-02")
    assert [entry["content"] for entry in cli.entries()] == ["new"]
    states = {line.split("\t")[6]: line.split("\t")[2] for line in cli.ok("list", "--hidden").lines}
    assert states == {"gone by now": "expired", "new": "live", "old": "superseded"}


def test_an_empty_list_is_no_failure_and_says_where_it_looked(cli: Cli) -> None:
    empty = cli.ok("list")
    assert empty.out == ""
    assert empty.err == f"Nothing to show for agent main in {cli.store}.\n"
    assert cli.ok("list", "--json").document == {"entries": [], "after": None}
    assert not cli.exists()


def test_one_agent_never_sees_another(cli: Cli) -> None:
    entry = cli.json("remember", "Ana's own.", "--name", "secret", "--agent", "ana")
    assert cli.entries("--agent", "ben") == []
    for ref in ("secret", "1", str(entry["id"]), "secrt"):
        missing = cli("get", ref, "--agent", "ben")
        assert missing.code == 1
        assert "'secret'" not in missing.err.replace(repr(ref), "")


def test_json_is_one_line_that_any_parser_reads(cli: Cli) -> None:
    content = 'quotes " and \\ and 東京 and \x1b[31m and \x9b and \u2028.'
    cli.ok("remember", content)
    [line] = cli.ok("list", "--json").lines
    [entry] = json.loads(line)["entries"]
    assert entry["content"] == content
    assert "東京" in line
    assert not {"\x1b", "\x9b", "\u2028"} & set(line)
