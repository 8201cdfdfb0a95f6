"""The same commands on PostgreSQL, by its URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lukasa

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from conftest import Cli


def test_a_whole_round_on_postgres(
    cli: Cli, postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUKASA_STORE", postgres_url)
    cli.ok("remember", "Deploy with make release.", "--name", "deploy", "--tag", "ops")
    cli.ok("remember", "todo: renew the certificate", "--name", "certificate")
    cli.ok("alias", "deploy", "ship")
    cli.ok("link", "ship", "depends_on", "certificate")
    cli.ok("write", "ship", "Deploy on Fridays.")
    cli.ok("undo", "ship")
    assert cli.json("get", "ship")["content"] == "Deploy with make release."
    assert [entry["name"] for entry in cli.entries("--text", "RELEASE")] == ["deploy"]
    file = str(tmp_path / "copy.lukasa")
    cli.ok("export", "memory.jsonl")
    cli.ok("import", "memory.jsonl", "--store", file)
    assert cli.ok("export", "-").out == cli.ok("export", "-", "--store", file).out
    cli.ok("forget", "certificate")
    assert cli("get", "certificate").code == 1
    assert cli.json("stats")["entries"] == 1
    assert cli.ok("check").out.startswith("Sound: 1 entry, ")
    for store in (postgres_url, file):
        with lukasa.open(store) as opened:
            assert opened.check().problems == ()


def test_no_password_is_ever_shown(cli: Cli) -> None:
    refused = cli("list", "--store", "postgresql://ana:hunter2@127.0.0.1:1/nowhere")
    assert refused.code == 1
    assert "hunter2" not in refused.err
    assert refused.out == ""
