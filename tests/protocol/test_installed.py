"""The server as it is installed: without the extra it says what to install, with the extra it serves."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}
TOOLS = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def run(*command: str | Path, cwd: Path, said: str = "") -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        command, cwd=cwd, env=kept, input=said, capture_output=True, text=True, check=False, timeout=600
    )


def test_the_extra_is_named_and_enough(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    here = tmp_path / "venv" / "bin"
    install = (here / "python", "-m", "pip", "install", "--quiet", "-c", ROOT / "requirements-dev.txt")
    done = run(*install, ROOT, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    refused = run(here / "lukasa", "mcp", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "pip install 'lukasa[mcp]'" in refused.stderr
    done = run(*install, f"{ROOT}[mcp]", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    talk = "".join(f"{json.dumps(message)}\n" for message in (HELLO, TOOLS))
    served = run(here / "lukasa", "mcp", "--tools", "role", "--store", "new.lukasa", cwd=tmp_path, said=talk)
    assert served.returncode == 0, served.stderr
    first, second = (json.loads(line) for line in served.stdout.splitlines())
    assert first["result"]["serverInfo"]["name"] == "lukasa"
    assert "recall" in {tool["name"] for tool in second["result"]["tools"]}
    assert not (tmp_path / "new.lukasa").exists(), "nothing was asked of the store"
