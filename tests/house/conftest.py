"""What the house tests read: the project's own files, parsed once."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def trees() -> dict[str, ast.Module]:
    """Each module of the package by its dotted name, parsed."""
    source = ROOT / "src"
    return {
        _dotted(path.relative_to(source)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(source.rglob("*.py"))
    }


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Every text file that is in the repository, or would be by the next commit."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = (ROOT / name for name in listed.stdout.splitlines())
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()[:1000]]
