"""The plugin folders that come with the package: what they call, what they say, and that they are accepted.

The assistants' own programs look at them where npm can get these; the rest is held to what they document.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

import lukasa
from lukasa.hooks.contracts import ASSISTANTS, EVENTS, NATIVE
from lukasa.install.assistants import Calling, group, installed, is_ours

if TYPE_CHECKING:
    from lukasa.db.database import Json
    from lukasa.hooks.contracts import Assistant

PLUGINS = Path(lukasa.__file__).parent / "plugins"
ROOTS = {
    "claude": "${CLAUDE_PLUGIN_ROOT}",
    "codex": "${PLUGIN_ROOT}",
    "cursor": "${CURSOR_PLUGIN_ROOT}",
    "gemini": "${extensionPath}",
}
MANIFESTS = {
    "claude": ".claude-plugin/plugin.json",
    "codex": ".codex-plugin/plugin.json",
    "cursor": ".cursor-plugin/plugin.json",
    "gemini": "gemini-extension.json",
}
NODE_PACKAGES = {
    "claude": "@anthropic-ai/claude-code@2.1.328",
    "codex": "@openai/codex@0.169.0",
    "gemini": "@google/gemini-cli@0.61.0",
}


def document(assistant: str, name: str) -> dict[str, Json]:
    return cast("dict[str, Json]", json.loads((PLUGINS / assistant / name).read_text(encoding="utf-8")))


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_a_plugin_hooks_what_install_hooks(assistant: Assistant) -> None:
    wanted = {
        native: [
            group(assistant, event, f'sh "{ROOTS[assistant]}/lukasa.sh" hook {event} --agent {assistant}')
        ]
        for event, native in NATIVE[assistant].items()
    }
    assert document(assistant, "hooks/hooks.json")["hooks"] == wanted
    assert all(is_ours(groups[0]) for groups in wanted.values())


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_a_plugin_is_named_and_numbered_as_the_package(assistant: Assistant) -> None:
    manifest = document(assistant, MANIFESTS[assistant])
    assert manifest["name"] == "lukasa"
    assert manifest["version"] == lukasa.__version__
    for field in ("skills", "mcpServers", "hooks"):
        named = manifest.get(field)
        if isinstance(named, str):
            assert (PLUGINS / assistant / named).exists()


@pytest.mark.parametrize("assistant", ASSISTANTS)
def test_the_skill_and_the_starter_are_the_same_everywhere(assistant: Assistant) -> None:
    for name in ("skills/memory/SKILL.md", "lukasa.sh"):
        same = (PLUGINS / "claude" / name).read_text(encoding="utf-8")
        assert (PLUGINS / assistant / name).read_text(encoding="utf-8") == same


def test_the_skill_says_what_it_is_for_within_the_limits_that_are_documented() -> None:
    text = (PLUGINS / "claude/skills/memory/SKILL.md").read_text(encoding="utf-8")
    head = re.match(r"---\nname: ([a-z0-9-]{1,64})\ndescription: ([^\n]{1,1024})\n---\n", text)
    assert head is not None
    assert head[1] == "memory"
    assert "<" not in head[2]
    assert len(text.splitlines()) < 500


def test_the_starter_runs_lukasa_and_lets_a_conversation_go_on_without_it(tmp_path: Path) -> None:
    starter = PLUGINS / "claude/lukasa.sh"
    run = ["/bin/sh", str(starter)]
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    version = subprocess.run(
        [*run, "--version"], capture_output=True, text=True, check=True, env={"PATH": beside}
    )
    assert version.stdout == f"lukasa {lukasa.__version__}\n"
    nothing = {"PATH": str(tmp_path)}
    for event in EVENTS:
        done = subprocess.run([*run, "hook", event], capture_output=True, check=False, env=nothing)
        assert (done.returncode, done.stdout) == (0, b"")
    assert subprocess.run([*run, "mcp"], capture_output=True, check=False, env=nothing).returncode == 127


@pytest.fixture(scope="session")
def node(request: pytest.FixtureRequest) -> Path:
    """Where the assistants' programs are, got once and kept between runs."""
    folder = request.config.cache.mkdir("assistants")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm to get the assistants with")
    if not (folder / "node_modules/.bin/gemini").exists():
        got = subprocess.run(
            [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), *NODE_PACKAGES.values()],
            capture_output=True,
            text=True,
            check=False,
        )
        if got.returncode != 0:
            pytest.skip(f"npm cannot get the assistants: {got.stderr.strip()[-200:]}")
    return folder / "node_modules/.bin"


def ask(home: Path, *command: str | Path) -> str:
    """What an assistant's program says, in a home of its own."""
    home.mkdir(exist_ok=True)
    kept = {"PATH": os.environ["PATH"], "HOME": str(home), "CODEX_HOME": str(home / ".codex"), "CI": "1"}
    (home / ".codex").mkdir(exist_ok=True)
    done = subprocess.run(
        command,
        cwd=home,
        env=kept,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_claude_accepts_its_plugin_without_a_warning(node: Path, tmp_path: Path) -> None:
    for path in (PLUGINS / "claude", PLUGINS / "claude/.claude-plugin/plugin.json"):
        said = ask(tmp_path / "home", node / "claude", "plugin", "validate", "--strict", path)
        assert "Validation passed" in said
        for native in NATIVE["claude"].values():
            assert f"hooks: {native} command" in said
        assert "mcpServers: lukasa" in said
        assert "skills: lukasa:memory" in said


@pytest.mark.slow
def test_gemini_accepts_its_extension(node: Path, tmp_path: Path) -> None:
    said = ask(tmp_path / "home", node / "gemini", "extensions", "validate", PLUGINS / "gemini")
    assert "successfully validated" in said


@pytest.mark.slow
def test_codex_takes_its_plugin_from_a_marketplace(node: Path, tmp_path: Path) -> None:
    market, home = tmp_path / "market", tmp_path / "home"
    shutil.copytree(PLUGINS / "codex", market / "plugins/lukasa")
    entry = {
        "name": "lukasa",
        "source": {"source": "local", "path": "./plugins/lukasa"},
        "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
        "category": "Productivity",
    }
    (market / ".agents/plugins").mkdir(parents=True)
    (market / ".agents/plugins/marketplace.json").write_text(
        json.dumps({"name": "lukasa", "plugins": [entry]})
    )
    ask(home, node / "codex", "plugin", "marketplace", "add", market)
    ask(home, node / "codex", "plugin", "add", "lukasa@lukasa")
    listed = ask(home, node / "codex", "mcp", "list")
    assert re.search(r"^lukasa +uvx +--from lukasa\[mcp\] lukasa mcp", listed, re.MULTILINE)


@pytest.mark.slow
def test_codex_reads_what_install_writes(node: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".codex").mkdir(parents=True)
    call = Calling(server=("lukasa", "mcp"), hook=("lukasa", "hook"), options=("--agent", "ana"))
    text = installed("codex", "toml", "[features]\nhooks = true\n", call, "it")
    assert tomllib.loads(text)["features"] == {"hooks": True}
    (home / ".codex/config.toml").write_text(text)
    (home / ".codex/hooks.json").write_text(installed("codex", "hooks", None, call, "it"))
    said = ask(home, node / "codex", "mcp", "get", "lukasa")
    assert "command: lukasa" in said
    assert "args: mcp --agent ana" in said
    assert "hooks config" not in said
