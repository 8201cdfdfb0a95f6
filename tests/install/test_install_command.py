"""`lukasa install`: into the files of each assistant, once however often, and out again to the byte."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lukasa.hooks.contracts import NATIVE
from lukasa.install import files, plan

if TYPE_CHECKING:
    from conftest import Home
    from lukasa.db.database import Json
    from lukasa.hooks.contracts import Assistant

ASSISTANTS: tuple[Assistant, ...] = ("claude", "codex", "cursor", "gemini")
# What a person may have there already: each file with something that must stay.
OWN = {
    ".claude.json": '{"numStartups": 7, "mcpServers": {"other": {"command": "x"}}, "projects": {}}',
    ".claude/settings.json": (
        '{\n    "hooks": {\n        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],\n'
        '        "PreToolUse": []\n    },\n    "model": "opus"\n}'
    ),
    ".codex/config.toml": 'model = "x"  # mine\n\n[mcp_servers.other]\ncommand = "x"',
    ".codex/hooks.json": '{"hooks":{}}',
    ".cursor/mcp.json": '{\r\n\t"mcpServers": {}\r\n}\r\n',
    ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "./mine.sh"}]}}\n',
    ".gemini/settings.json": '{\n  "theme": "Default"\n}\n',
}


def hooks_of(home: Home, name: str) -> dict[str, Json]:
    hooks = home.json(name)["hooks"]
    assert isinstance(hooks, dict)
    return hooks


def lines_of(groups: Json) -> list[str]:
    """The command of every hook of one event, whatever the assistant's form."""
    assert isinstance(groups, list)
    found: list[str] = []
    for group in groups:
        assert isinstance(group, dict)
        inner = group.get("hooks", [group])
        assert isinstance(inner, list)
        found += [str(hook["command"]) for hook in inner if isinstance(hook, dict)]
    return found


@pytest.mark.parametrize("assistant", ASSISTANTS)
@pytest.mark.parametrize("own", [False, True], ids=["bare", "own files"])
def test_in_once_however_often_and_out_to_the_byte(home: Home, assistant: Assistant, own: bool) -> None:
    for name, text in OWN.items() if own else ():
        home.write(name, text)
    before = home.everything()
    home.ok(assistant)
    once = home.everything()
    assert once != before
    assert "Changed" not in home.ok(assistant)
    assert home.everything() == once
    home.ok(assistant, "--uninstall")
    assert home.everything() == before
    assert "Changed" not in home.ok(assistant, "--uninstall")
    assert home.everything() == before
    assert own or list(home.path.iterdir()) == []


def test_claude_gets_a_server_and_hooks_and_keeps_its_own(home: Home) -> None:
    home.write(".claude.json", OWN[".claude.json"], mode=0o600)
    home.write(".claude/settings.json", OWN[".claude/settings.json"])
    out = home.ok("claude", "--agent", "ana", "--share", "project/apollo")
    assert "Changed" in out
    servers = home.json(".claude.json")["mcpServers"]
    assert isinstance(servers, dict)
    assert servers["other"] == {"command": "x"}
    ours = servers["lukasa"]
    assert isinstance(ours, dict)
    assert ours["type"] == "stdio"
    assert ours["args"] == ["mcp", "--agent", "ana", "--share", "project/apollo"]
    assert home.json(".claude.json")["numStartups"] == 7
    assert (home.path / ".claude.json").stat().st_mode & 0o777 == 0o600
    hooks = hooks_of(home, ".claude/settings.json")
    assert lines_of(hooks["Stop"])[0] == "say done"
    for event, native in NATIVE["claude"].items():
        words = shlex.split(lines_of(hooks[native])[-1])
        assert Path(words[0]).is_absolute()
        assert words[1:] == [
            *("hook", event, "--agent", "claude", "--memory-agent", "ana", "--share", "project/apollo")
        ]
    assert home.json(".claude/settings.json")["model"] == "opus"


def test_codex_gets_a_block_and_hooks(home: Home) -> None:
    home.write(".codex/config.toml", OWN[".codex/config.toml"])
    _, out, err = home("codex")
    found = tomllib.loads((home.path / ".codex/config.toml").read_text())
    assert found["model"] == "x"
    assert found["mcp_servers"].keys() == {"other", "lukasa"}
    assert found["mcp_servers"]["lukasa"]["args"] == ["mcp"]
    assert (home.path / ".codex/config.toml").read_text().startswith(OWN[".codex/config.toml"])
    assert hooks_of(home, ".codex/hooks.json").keys() == {
        "SessionStart",
        "UserPromptSubmit",
        "Stop",
        "PreCompact",
    }
    assert "trust the hooks" in err
    assert "Made" in out


def test_cursor_and_gemini_get_their_own_forms(home: Home) -> None:
    home.ok("cursor")
    assert home.json(".cursor/hooks.json")["version"] == 1
    [group] = hooks_of(home, ".cursor/hooks.json")["beforeSubmitPrompt"]  # type: ignore[misc]
    assert isinstance(group, dict)
    assert group.keys() == {"command", "timeout"}
    home.ok("gemini")
    [group] = hooks_of(home, ".gemini/settings.json")["BeforeAgent"]  # type: ignore[misc]
    assert isinstance(group, dict)
    [hook] = group["hooks"]  # type: ignore[misc]
    assert isinstance(hook, dict)
    assert hook["timeout"] == 10_000
    assert home.json(".gemini/settings.json").keys() == {"mcpServers", "hooks"}


def test_the_folders_that_the_environment_names_are_used(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home.path / "elsewhere"))
    monkeypatch.setenv("CODEX_HOME", str(home.path / "codex"))
    home.ok("claude")
    home.ok("codex")
    assert home.everything().keys() == {
        *("codex/config.toml", "codex/hooks.json", "elsewhere/.claude.json", "elsewhere/settings.json")
    }


def test_another_call_takes_the_place_of_the_first(home: Home) -> None:
    for name, text in OWN.items():
        home.write(name, text)
    before = home.everything()
    for assistant in ASSISTANTS:
        home.ok(assistant)
        home.ok(assistant, "--agent", "ben")
        for groups in hooks_of(home, ".claude/settings.json").values():
            ours = [line for line in lines_of(groups) if "lukasa" in line]
            assert all("--memory-agent ben" in line for line in ours)
            assert len(ours) <= 1
        home.ok(assistant, "--uninstall")
    assert home.everything() == before


def test_what_changed_since_stays_when_lukasa_goes(home: Home) -> None:
    home.write(".claude/settings.json", OWN[".claude/settings.json"])
    home.ok("claude")
    path = home.path / ".claude/settings.json"
    path.write_text(path.read_text().replace('"opus"', '"haiku"'))
    home.ok("claude", "--uninstall")
    assert path.read_text() == OWN[".claude/settings.json"].replace('"opus"', '"haiku"')
    assert not files.backup_of(path).exists()


@pytest.mark.parametrize(
    ("assistant", "name", "event"),
    [
        ("claude", ".claude/settings.json", "Stop"),
        ("codex", ".codex/hooks.json", "Stop"),
        ("gemini", ".gemini/settings.json", "AfterAgent"),
    ],
)
def test_a_hook_that_was_put_beside_ours_stays(home: Home, assistant: str, name: str, event: str) -> None:
    home.ok(assistant)
    path = home.path / name
    document = home.json(name)
    theirs: Json = {"type": "command", "command": "echo 'it is done'"}
    document["hooks"][event][0]["hooks"].append(theirs)  # type: ignore[index,call-overload,union-attr]
    path.write_text(json.dumps(document, indent=2))
    for agent in ("ana", "ana"):
        home.ok(assistant, "--agent", agent)
        lines = lines_of(hooks_of(home, name)[event])
        assert lines[0] == "echo 'it is done'"
        assert [" --memory-agent ana" in line for line in lines] == [False, True]
    home.ok(assistant, "--uninstall")
    assert home.json(name) == {"hooks": {event: [{"hooks": [theirs]}]}}


def test_a_copy_of_what_was_there_stands_beside_it(home: Home) -> None:
    path = home.write(".cursor/hooks.json", OWN[".cursor/hooks.json"], mode=0o640)
    home.ok("cursor")
    copy = files.backup_of(path)
    assert copy.read_text() == OWN[".cursor/hooks.json"]
    assert copy.stat().st_mode & 0o777 == 0o640
    assert not files.backup_of(home.path / ".cursor/mcp.json").exists()


def test_print_shows_everything_and_writes_nothing(home: Home) -> None:
    home.write(".gemini/settings.json", "// not plain\n{}")
    before = home.everything()
    for assistant in ASSISTANTS:
        out = home.ok(assistant, "--print", "--agent", "ana")
        assert "lukasa" in out
        assert "hook prompt-submit --agent" in out
    document = json.loads(home.ok("codex", "--print", "--json"))
    assert tomllib.loads(document["files"][0]["text"])["mcp_servers"]["lukasa"]["args"] == ["mcp"]
    assert json.loads(document["files"][1]["text"])["hooks"].keys() == set(NATIVE["codex"].values())
    assert home.everything() == before


@pytest.mark.parametrize(
    ("assistant", "name", "text"),
    [
        ("claude", ".claude/settings.json", '{\n  // mine\n  "model": "opus"\n}'),
        ("claude", ".claude.json", "[]"),
        ("claude", ".claude/settings.json", '{"hooks": []}'),
        ("claude", ".claude/settings.json", '{"hooks": {"Stop": {}}}'),
        ("claude", ".claude.json", '{"mcpServers": 5}'),
        ("codex", ".codex/config.toml", "a = \n"),
        ("codex", ".codex/config.toml", '[mcp_servers.lukasa]\ncommand = "mine"\n'),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": {},}'),
        ("gemini", ".gemini/settings.json", "/* mine */ {}"),
    ],
)
def test_a_file_that_is_not_understood_is_refused_and_no_other_is_touched(
    home: Home, assistant: str, name: str, text: str
) -> None:
    home.write(name, text)
    before = home.everything()
    code, _, err = home(assistant)
    assert code == 2
    assert str(home.path / name) in err or "not touched" in err
    assert "fix:" in err
    assert home.everything() == before


def test_an_empty_file_is_as_none(home: Home) -> None:
    home.write(".gemini/settings.json", "")
    home.ok("gemini")
    assert "lukasa" in (home.path / ".gemini/settings.json").read_text()
    home.ok("gemini", "--uninstall")
    assert (home.path / ".gemini/settings.json").read_bytes() == b""


def test_a_link_stays_a_link(home: Home) -> None:
    real = home.write("dotfiles/settings.json", '{"a": 1}')
    (home.path / ".gemini").mkdir()
    link = home.path / ".gemini/settings.json"
    link.symlink_to(real)
    home.ok("gemini")
    assert link.is_symlink()
    assert "lukasa" in real.read_text()
    home.ok("gemini", "--uninstall")
    assert link.is_symlink()
    assert real.read_text() == '{"a": 1}'


def test_a_file_that_changed_meanwhile_is_not_written_over(home: Home) -> None:
    path = home.write("a.json", "{}")
    with pytest.raises(Exception, match="changed meanwhile"):
        files.write(path, '{"old": 1}', '{"new": 1}')
    assert path.read_text() == "{}"


def test_a_password_is_never_written_into_a_file(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = home("claude", "--store", "postgresql://ana:secret@localhost/memory")
    assert code == 2
    assert "secret" not in err
    monkeypatch.setenv("LUKASA_STORE", "postgresql://ana:secret@localhost/memory")
    assert home("claude")[0] == 2
    assert home.everything() == {}
    home.ok("claude", "--store", "postgresql://ana@localhost/memory")
    assert "postgresql://ana@localhost/memory" in (home.path / ".claude.json").read_text()


def test_the_store_and_agent_of_the_environment_go_along(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUKASA_STORE", "notes.lukasa")
    monkeypatch.setenv("LUKASA_AGENT", "ana")
    home.ok("cursor")
    servers = home.json(".cursor/mcp.json")["mcpServers"]
    assert isinstance(servers, dict)
    entry = servers["lukasa"]
    assert isinstance(entry, dict)
    assert entry["args"] == ["mcp", "--agent", "ana", "--store", str(home.path / "notes.lukasa")]


def test_a_project_gets_files_that_others_can_share(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = home.path / "apollo" / "src"
    inner.mkdir(parents=True)
    (home.path / "apollo" / ".git").mkdir()
    monkeypatch.chdir(inner)
    monkeypatch.setenv("LUKASA_STORE", str(home.path / "mine.lukasa"))
    monkeypatch.setenv("PATH", os.defpath)
    for assistant in ASSISTANTS:
        home.ok(assistant, "--project", "--bind-project")
    written = home.everything()
    assert written.keys() == {
        f"apollo/{name}"
        for name in (
            *(".mcp.json", ".claude/settings.json", ".codex/config.toml", ".codex/hooks.json"),
            *(".cursor/mcp.json", ".cursor/hooks.json", ".gemini/settings.json"),
        )
    }
    together = b"".join(written.values())
    assert b"--bind-project" in together
    assert str(home.path).encode() not in together
    assert b"uvx" in together
    for assistant in ASSISTANTS:
        home.ok(assistant, "--project", "--uninstall")
    assert home.everything() == {}


def test_the_program_is_the_one_that_is_running_unless_it_is_there_for_one_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    beside = Path(sys.executable).with_name("lukasa")
    assert plan.program(shared=False) == (str(beside),)
    for folder in ("uv/archive-v0/abc/bin", ".cache/pipx/abc/bin"):
        place = tmp_path / folder
        place.mkdir(parents=True)
        (place / "lukasa").write_text("#!/bin/sh\n")
        (place / "lukasa").chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(place / "python"))
        assert plan.program(shared=False) == ("uvx", "--from", "lukasa[mcp]", "lukasa")


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_what_was_written_runs(home: Home, assistant: Assistant) -> None:
    store = home.path / "m.lukasa"
    subprocess.run(
        [sys.executable, "-m", "lukasa", "remember", "It runs.", "--store", store],
        check=True,
        capture_output=True,
    )
    home.ok(assistant, "--store", str(store))
    name = ".claude/settings.json" if assistant == "claude" else f".{assistant}/hooks.json"
    name = ".gemini/settings.json" if assistant == "gemini" else name
    [line] = lines_of(hooks_of(home, name)[NATIVE[assistant]["session-start"]])
    done = subprocess.run(
        ["sh", "-c", line], input=b'{"session_id": "s"}', capture_output=True, check=True, env=os.environ
    )
    assert b"It runs." in done.stdout


def test_the_server_that_was_written_answers(home: Home) -> None:
    home.ok("cursor", "--agent", "ana", "--store", str(home.path / "m.lukasa"))
    servers = home.json(".cursor/mcp.json")["mcpServers"]
    assert isinstance(servers, dict)
    entry = servers["lukasa"]
    assert isinstance(entry, dict)
    assert isinstance(entry["args"], list)
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    done = subprocess.run(
        [str(entry["command"]), *(str(word) for word in entry["args"])],
        input=json.dumps(asked).encode() + b"\n",
        capture_output=True,
        check=False,
        timeout=60,
    )
    answered = json.loads(done.stdout.splitlines()[0])
    assert answered["result"]["serverInfo"]["name"].lower() == "lukasa"


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        ["emacs"],
        ["claude", "--agent", "a b"],
        ["claude", "--share", "x"],
        ["claude", "--user", "--project"],
    ],
)
def test_a_wrong_call_writes_nothing(home: Home, wrong: list[str]) -> None:
    assert home(*wrong)[0] == 2
    assert home.everything() == {}
