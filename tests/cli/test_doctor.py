"""`doctor`: what is installed and whether all is well, with what to do about each thing that is not."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import apsw
import pytest

import lukasa
from lukasa.cli import doctoring

if TYPE_CHECKING:
    from conftest import Cli


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which no assistant lives yet."""
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.setenv("XDG_STATE_HOME", str(path / "state"))
    for name in [name for name in os.environ if name.startswith("LUKASA_") and name != "LUKASA_STORE"]:
        monkeypatch.delenv(name)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return path


def findings(cli: Cli, *arguments: str, code: int = 0) -> dict[str, tuple[str, str]]:
    """What it finds: by the text, the state and what to do."""
    said = cli("doctor", "--json", *arguments)
    assert said.code == code, said.out
    assert said.document["ok"] == (code == 0)
    found = cast("list[dict[str, str]]", said.document["findings"])
    return {item["text"]: (item["state"], item["fix"]) for item in found}


def one(found: dict[str, tuple[str, str]], words: str) -> tuple[str, str]:
    """The state and the remedy of the one finding that says these words."""
    [key] = [text for text in found if words in text]
    return found[key]


@pytest.mark.usefixtures("home")
def test_a_store_that_is_well(cli: Cli) -> None:
    cli.ok("remember", "The user prefers short answers.")
    found = findings(cli)
    assert one(found, f"Lukasa {lukasa.__version__}, Python {sys.version.split()[0]}")[0] == "good"
    assert one(found, f"SQLite {apsw.sqlite_lib_version()}")[0] == "good"
    assert one(found, "lukasa[postgres]")[0] == "good"
    assert one(found, f"store: {cli.store} (LUKASA_STORE)")[0] == "good"
    assert one(found, "agent: main (by default)")[0] == "good"
    assert one(found, "the file is private")[0] == "good"
    assert one(found, "1 entry of 1 agent in 1 space")[0] == "good"
    assert one(found, "index: english, bundled@1, 1 piece")[0] == "good"
    assert one(found, "can be used")[0] == "good"
    assert one(found, "sound: ")[0] == "good"
    said = cli.ok("doctor")
    assert said.err == "Nothing is wrong.\n"
    for heading in ("Software", "Settings", "Store"):
        assert heading in said.lines
    assert "Coding assistants" not in said.lines


@pytest.mark.usefixtures("home")
def test_no_store_is_no_mistake_and_none_is_made(cli: Cli) -> None:
    state, fix = one(findings(cli, "--agent", "ana"), "no store yet")
    assert (state, fix[:15]) == ("note", "lukasa remember")
    assert not cli.exists()


@pytest.mark.usefixtures("home")
def test_a_store_that_others_can_read_is_wrong(cli: Cli) -> None:
    cli.ok("remember", "private")
    cli.store.chmod(0o644)
    state, fix = one(findings(cli, code=1), "others on this machine can read")
    assert (state, fix) == ("wrong", f"chmod 600 {cli.store}")
    cli.store.chmod(0o600)
    findings(cli)


@pytest.mark.usefixtures("home")
def test_a_store_that_is_not_ours_or_broken_is_wrong(cli: Cli, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(b"something else" * 1_000)
    other.chmod(0o600)
    found = findings(cli, "--store", str(other), code=1)
    assert [state for state, _ in found.values()].count("wrong") == 1
    damaged = tmp_path / "damaged.lukasa"
    cli.ok("remember", "one", "--store", str(damaged))
    connection = apsw.Connection(str(damaged))
    connection.execute("UPDATE spaces SET entries = 7")
    connection.close()
    found = findings(cli, "--store", str(damaged), code=1)
    wrong = [fix for state, fix in found.values() if state == "wrong"]
    assert wrong == ["Keep a copy of the store, then: lukasa check"]


@pytest.mark.usefixtures("home")
def test_a_large_store_is_left_to_check(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("remember", "one")
    cli.ok("remember", "two")
    monkeypatch.setattr(doctoring, "_SMALL", 1)
    assert one(findings(cli), "too large") == ("note", "lukasa check")


@pytest.mark.usefixtures("home")
def test_a_model_that_cannot_be_had_is_wrong(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("remember", "one")
    monkeypatch.setenv("LUKASA_EMBEDDING", "hashed:64")
    found = findings(cli, code=1)
    assert one(found, "embedding: hashed:64 (LUKASA_EMBEDDING)")[0] == "good"
    state, fix = one(found, "vectors of this store are by")
    assert state == "wrong"
    assert "lukasa reindex" in fix


@pytest.mark.usefixtures("home")
def test_a_mistyped_setting_is_named_with_the_nearest(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUKASA_AGNET", "ana")
    assert one(findings(cli), "LUKASA_AGNET is set") == ("note", "Did you mean LUKASA_AGENT?")


@pytest.mark.usefixtures("home")
def test_a_password_is_not_shown(cli: Cli) -> None:
    said = cli("doctor", "--store", "postgresql://ana:secret@127.0.0.1:1/memory")
    assert said.code == 1
    assert "secret" not in said.out + said.err
    assert "ana:***@127.0.0.1" in said.out


def test_assistants_are_seen_as_they_are(cli: Cli, home: Path) -> None:
    assert not any("claude" in text for text in findings(cli))
    (home / ".claude").mkdir()
    assert one(findings(cli), "claude is here and has no memory") == ("note", "lukasa install claude")
    cli.ok("install", "claude")
    assert one(findings(cli), "claude has its server and its hooks")[0] == "good"
    (home / ".claude/settings.json").unlink()
    assert one(findings(cli, code=1), "lacks its part") == ("wrong", "lukasa install claude")
    cli.ok("install", "claude")
    for name in (".claude.json", ".claude/settings.json"):
        path = home / name
        path.write_text(path.read_text().replace(str(Path(sys.executable).parent), "/nowhere"))
    assert one(findings(cli, code=1), "claude calls /nowhere/lukasa")[0] == "wrong"
    (home / ".claude/settings.json").write_text("// mine\n{}")
    assert one(findings(cli), "is not plain JSON")[0] == "note"


@pytest.mark.parametrize(
    "line", ["LUKASA_AGENT=ana {}", "{}  # don't", "{} 2>'/dev/null", "{} && missing-program"]
)
def test_a_hook_that_a_person_wrote_on_is_understood(cli: Cli, home: Path, line: str) -> None:
    (home / ".claude").mkdir()
    cli.ok("install", "claude")
    path = home / ".claude/settings.json"
    document = json.loads(path.read_text())
    [group] = document["hooks"]["Stop"]
    group["hooks"][0]["command"] = line.format(group["hooks"][0]["command"])
    group["hooks"].append({"type": "command", "command": "missing-program"})
    path.write_text(json.dumps(document))
    assert one(findings(cli), "claude has its server and its hooks")[0] == "good"


def test_what_hooks_noted_is_shown(cli: Cli, home: Path) -> None:
    log = home / "state" / "lukasa" / "hooks.log"
    log.parent.mkdir(parents=True)
    log.write_text("2026-05-01T10:00:00.000Z stop gave up after 10 s\n")
    assert one(findings(cli), "gave up after 10 s") == ("note", f"See {log}")
