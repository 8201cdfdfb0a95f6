"""Installing as a person does it, in a home folder of the test's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest

from lukasa.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from lukasa.db.database import Json


class Home:
    """A home folder, and what `lukasa install` does to the files in it."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code and both outputs of `lukasa install`."""
        self._capsys.readouterr()
        code = main(["install", *arguments])
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def ok(self, *arguments: str) -> str:
        code, out, err = self(*arguments)
        assert code == 0, err
        return out

    def write(self, name: str, text: str, mode: int = 0o644) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod(mode)
        return path

    def json(self, name: str) -> dict[str, Json]:
        return cast("dict[str, Json]", json.loads((self.path / name).read_text(encoding="utf-8")))

    def everything(self) -> dict[str, bytes]:
        """Every file there is, with its bytes."""
        files = (path for path in sorted(self.path.rglob("*")) if path.is_file())
        return {str(path.relative_to(self.path)): path.read_bytes() for path in files}


@pytest.fixture
def home(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Home:
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.setenv("HOME", str(path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "LUKASA_STORE", "LUKASA_AGENT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(path)
    return Home(path, capsys)
