"""`uvx lukasa mcp` brings the core alone; the runner is asked again, once, with the extra."""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path

import pytest

import lukasa

SOURCE = Path(lukasa.__file__).parents[1]
RUNNER = '#!/bin/sh\nprintf "%s\\n" "$@"\n'


def bare(folder: Path) -> Path:
    """The interpreter of an environment that has nothing installed."""
    venv.create(folder, with_pip=False)
    return folder / "bin" / "python"


def start(python: Path, runner: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("UV", "LUKASA"))}
    environment |= {"PYTHONPATH": str(SOURCE), "PATH": f"{runner.parent}:{os.environ['PATH']}", **extra}
    return subprocess.run(
        [python, "-m", "lukasa", "mcp", "--tools", "role"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """Something that is started as a runner is, and says what it was asked."""
    path = tmp_path / "bin" / "pipx"
    path.parent.mkdir()
    path.write_text(RUNNER, encoding="utf-8")
    path.chmod(0o755)
    return path


def test_uvx_is_asked_again_with_the_extra(tmp_path: Path, runner: Path) -> None:
    said = start(bare(tmp_path / "uv" / "archive"), runner, UV=str(runner))
    wanted = f"lukasa[mcp]=={lukasa.__version__}"
    assert said.stdout.split() == ["tool", "run", "--from", wanted, "lukasa", "mcp", "--tools", "role"]


def test_pipx_run_is_asked_again_with_the_extra(tmp_path: Path, runner: Path) -> None:
    said = start(bare(tmp_path / "pipx" / "made"), runner)
    wanted = f"lukasa[mcp]=={lukasa.__version__}"
    assert said.stdout.split() == ["run", "--spec", wanted, "lukasa", "mcp", "--tools", "role"]


def test_it_is_asked_once(tmp_path: Path, runner: Path) -> None:
    said = start(bare(tmp_path / "uv" / "archive"), runner, UV=str(runner), LUKASA_ASKED_RUNNER="1")
    assert (said.returncode, said.stdout) == (2, "")
    assert "pip install 'lukasa[mcp]'" in said.stderr


def test_in_an_environment_of_ones_own_it_is_an_error(tmp_path: Path, runner: Path) -> None:
    for folder in ("own", "uv/tools/lukasa", "pipx/venvs/lukasa"):
        said = start(bare(tmp_path / folder), runner, UV=str(runner))
        assert (said.returncode, said.stdout) == (2, "")
        assert "pip install 'lukasa[mcp]'" in said.stderr
