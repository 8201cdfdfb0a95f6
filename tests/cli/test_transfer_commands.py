"""`export` and `import`."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

import lukasa

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


@pytest.fixture
def filled(cli: Cli) -> None:
    cli.ok("remember", "Deploy with make release.", "--name", "deploy", "--agent", "ana")
    cli.ok("write", "deploy", "Deploy with make ship.", "--agent", "ana")
    cli.ok("remember", "todo: renew the certificate", "--name", "certificate", "--agent", "ana")
    cli.ok("link", "deploy", "depends_on", "certificate", "--agent", "ana")
    cli.ok("remember", "Ben's \x1b[31m only.", "--agent", "ben")


def everything(cli: Cli, *store: str) -> str:
    return cli.ok("export", "-", *store).out


@pytest.mark.usefixtures("filled")
def test_an_export_comes_back_whole_in_another_store(cli: Cli, tmp_path: Path) -> None:
    said = cli.ok("export", "memory.jsonl")
    assert said.lines == ["Exported 3 entries to memory.jsonl"]
    copy = ("--store", str(tmp_path / "copy.lukasa"))
    came = cli.ok("import", "memory.jsonl", *copy)
    assert came.lines == ["Imported 3 entries and 1 link; 0 were known already."]
    assert everything(cli, *copy) == everything(cli)
    again = cli.ok("import", "memory.jsonl", *copy)
    assert again.lines[0].startswith("Imported 0 entries")
    assert again.lines[0].endswith("; 3 were known already.")
    assert everything(cli, *copy) == everything(cli)
    _check(tmp_path / "copy.lukasa")


def _check(store: Path) -> None:
    with lukasa.open(store) as opened:
        assert opened.check().problems == ()


@pytest.mark.usefixtures("filled")
def test_one_store_flows_into_another_through_a_pipe(cli: Cli, tmp_path: Path) -> None:
    exported = cli.process("export", "-")
    assert exported.code == 0
    assert exported.err == "Exported 3 entries\n"
    copy = ("--store", str(tmp_path / "copy.lukasa"))
    came = cli.process("import", "-", *copy, stdin=exported.out.encode())
    assert came.out == "Imported 3 entries and 1 link; 0 were known already.\n"
    assert everything(cli, *copy) == everything(cli)


@pytest.mark.usefixtures("filled")
def test_an_export_holds_nothing_that_a_terminal_obeys(cli: Cli) -> None:
    cli.ok("remember", "eight bit \x9b and \u202e turned")
    text = everything(cli)
    assert not {"\x1b", "\x9b", "\u202e"} & set(text)
    contents = [json.loads(line).get("content") for line in text.splitlines()]
    assert "Ben's \x1b[31m only." in contents
    assert "eight bit \x9b and \u202e turned" in contents


@pytest.mark.usefixtures("filled")
def test_an_agent_that_is_named_exports_its_own_only(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli.json("export", "ben.jsonl", "--agent", "ben")["exported"] == 1
    monkeypatch.setenv("LUKASA_AGENT", "ben")
    assert cli.json("export", "all.jsonl")["exported"] == 3


@pytest.mark.usefixtures("filled")
def test_an_import_for_a_named_agent_becomes_its_own(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.ok("export", "ana.jsonl", "--agent", "ana")
    copy = ("--store", str(tmp_path / "copy.lukasa"))
    came = cli.json("import", "ana.jsonl", "--agent", "eve", *copy)
    assert came == {
        "file": "ana.jsonl",
        "added": 2,
        "known": 0,
        "links": 1,
        "links_without_end": 0,
        "dry_run": False,
    }
    assert [entry["space"] for entry in cli.entries("--agent", "eve", *copy)] == ["agent/eve"] * 2
    monkeypatch.setenv("LUKASA_AGENT", "eve")
    other = ("--store", str(tmp_path / "other.lukasa"))
    cli.ok("import", "ana.jsonl", *other)
    assert cli.entries(*other) == []
    assert len(cli.entries("--agent", "ana", *other)) == 2
    _check(tmp_path / "copy.lukasa")
    _check(tmp_path / "other.lukasa")


@pytest.mark.usefixtures("filled")
def test_the_array_and_the_tree_come_back_too(cli: Cli, tmp_path: Path) -> None:
    cli.ok("export", "memory.json", "--format", "json", "--agent", "ana")
    array = json.loads((tmp_path / "memory.json").read_text())
    assert [set(record) for record in array] == [{"id", "content", "category", "created_at"}] * 2
    cli.ok("export", "notes", "--format", "markdown", "--agent", "ana")
    assert len(list((tmp_path / "notes").rglob("*.md"))) == 2
    for number, source in enumerate(("memory.json", "notes")):
        copy = tmp_path / f"copy{number}.lukasa"
        assert cli.json("import", source, "--agent", "eve", "--store", str(copy))["added"] == 2
        texts = [entry["content"] for entry in cli.entries("--agent", "eve", "--store", str(copy))]
        assert "Deploy with make ship." in texts
        _check(copy)


@pytest.mark.usefixtures("filled")
def test_an_array_goes_to_standard_output_as_one_document(cli: Cli) -> None:
    assert len(json.loads(cli.ok("export", "-", "--format", "json").out)) == 3


@pytest.mark.usefixtures("filled")
def test_a_dry_run_of_an_import_makes_nothing(cli: Cli, tmp_path: Path) -> None:
    cli.ok("export", "memory.jsonl")
    copy = tmp_path / "deep" / "copy.lukasa"
    said = cli.ok("import", "memory.jsonl", "--dry-run", "--store", str(copy))
    assert said.lines == ["Would import 3 entries and 1 link; 0 were known already."]
    assert cli.json("import", "memory.jsonl", "--dry-run", "--store", str(copy))["dry_run"] is True
    assert not copy.parent.exists()


@pytest.mark.usefixtures("filled")
def test_an_export_replaces_a_file_only_by_force_and_the_store_never(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "memory.jsonl").write_text("mine")
    refused = cli("export", "memory.jsonl")
    assert refused.code == 2
    assert "is there already" in refused.err
    assert (tmp_path / "memory.jsonl").read_text() == "mine"
    cli.ok("export", "memory.jsonl", "--force")
    assert (tmp_path / "memory.jsonl").read_text().startswith('{"type": "lukasa"')
    before = cli.store.read_bytes()
    itself = cli("export", str(cli.store), "--force")
    assert itself.code == 2
    assert "is the store itself" in itself.err
    assert cli.store.read_bytes() == before


@pytest.mark.usefixtures("filled")
def test_a_tree_goes_into_an_empty_folder_unless_it_is_forced(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    cli.ok("export", "notes", "--format", "markdown")
    assert cli("export", "notes", "--format", "markdown").code == 2
    cli.ok("export", "notes", "--format", "markdown", "--force")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["export", "-", "--json"], "standard output takes the export itself"),
        (["export", "-", "--format", "markdown"], "A markdown export is a folder"),
        (["export", "memory.xml", "--format", "xml"], "invalid choice"),
        (["export", "no/where/memory.jsonl"], "There is no folder no/where"),
        (["import", "nothing.jsonl"], "There is no file nothing.jsonl"),
        (["import", "broken.jsonl"], "line 2 of broken.jsonl"),
        (["import", "broken.json"], "broken.json is not JSON text"),
        (["import", "latin.jsonl"], "latin.jsonl is not JSON text"),
        (["import", "latin"], "note.md is not UTF-8 text"),
        (["import", "late.jsonl"], "in the years 1 to 9999"),
    ],
)
def test_a_wrong_transfer_is_refused_and_makes_nothing(
    cli: Cli, tmp_path: Path, wrong: list[str], says: str
) -> None:
    (tmp_path / "broken.jsonl").write_text('{"content": "good"}\n{"content": \n')
    (tmp_path / "broken.json").write_text('[{"content": "good"},')
    (tmp_path / "latin.jsonl").write_bytes(b'{"content": "caf\xe9"}\n')
    (tmp_path / "latin").mkdir()
    (tmp_path / "latin" / "note.md").write_bytes(b"caf\xe9")
    (tmp_path / "late.jsonl").write_text('{"content": "late", "expires_at": 999999999999999999}\n')
    before = sorted(tmp_path.rglob("*"))
    refused = cli(*wrong)
    assert refused.code == 2
    assert refused.out == ""
    assert says in refused.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.usefixtures("filled")
def test_a_folder_is_no_place_for_a_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    refused = cli("export", "folder")
    assert refused.code == 2
    assert "folder cannot be written" in refused.err


def test_what_the_system_refuses_is_an_error_like_any_other(cli: Cli) -> None:
    refused = cli("export", "x" * 300, "--json")
    assert refused.code == 1
    assert refused.error["type"] == "StoreError"
    assert refused.error["message"].startswith("The system refused xxx")
    assert refused.error["message"].endswith("File name too long.")


@pytest.mark.usefixtures("filled")
def test_an_export_to_standard_output_leaves_no_file_behind(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    assert cli.process("export", "-").code == 0
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.usefixtures("filled")
def test_the_store_is_private_to_its_owner(cli: Cli) -> None:
    assert stat.S_IMODE(cli.store.stat().st_mode) == 0o600
    assert stat.S_IMODE(cli.store.parent.stat().st_mode) == 0o700
