"""The command line as tests use it: in this process, as a process of its own, and on a terminal.

Every test has a store of its own behind LUKASA_STORE; whatever was written to it is checked at the end.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from io import StringIO, TextIOWrapper
from typing import TYPE_CHECKING, cast

import pytest

import lukasa
from lukasa.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lukasa.db.database import Json

COMMAND = (sys.executable, "-m", "lukasa")


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a command line gave back."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Json]:
        """The one JSON document on standard output."""
        return cast("dict[str, Json]", json.loads(self.out))

    @property
    def error(self) -> dict[str, str]:
        """The one JSON error on standard error."""
        return cast("dict[str, str]", json.loads(self.err)["error"])

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


class Cli:
    """Runs command lines against one store."""

    def __init__(
        self, store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.store = store
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str, stdin: str | None = None) -> Answer:
        """In this process."""
        if stdin is not None:
            self._monkeypatch.setattr(sys, "stdin", StringIO(stdin))
        self._capsys.readouterr()
        code = main(arguments)
        said = self._capsys.readouterr()
        return Answer(code=code, out=said.out, err=said.err)

    def ok(self, *arguments: str, stdin: str | None = None) -> Answer:
        """In this process, and it must succeed."""
        answer = self(*arguments, stdin=stdin)
        assert answer.code == 0, answer.err
        return answer

    def json(self, *arguments: str) -> dict[str, Json]:
        """What a command that must succeed says in JSON."""
        return self.ok(*arguments, "--json").document

    def entries(self, *arguments: str) -> list[dict[str, Json]]:
        """What `list` shows."""
        return cast("list[dict[str, Json]]", self.json("list", *arguments)["entries"])

    def process(self, *arguments: str, stdin: bytes = b"") -> Answer:
        """In a process of its own, its streams in pipes."""
        done = subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, check=False)
        return Answer(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())

    def terminal(self, *arguments: str, keys: str = "") -> Answer:
        """In a process of its own, at a terminal of a hundred columns; both outputs come as one."""
        ours, theirs = pty.openpty()
        size = {"COLUMNS": "100", "LINES": "40", "TERM": "xterm-256color"}
        with subprocess.Popen(
            [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, **size}
        ) as process:
            os.close(theirs)
            os.write(ours, keys.encode())
            shown = b"".join(iter(lambda: _read(ours), b""))
            code = process.wait()
        os.close(ours)
        return Answer(code=code, out=shown.decode().replace("\r\n", "\n"), err="")

    def exists(self) -> bool:
        """Whether there is a store on disk."""
        return self.store.exists()


def _read(terminal: int) -> bytes:
    """What the terminal shows next; nothing once the last writer has left it."""
    try:
        return os.read(terminal, 65_536)
    except OSError:
        return b""


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    store = tmp_path / "store" / "memory.lukasa"
    monkeypatch.setenv("LUKASA_STORE", str(store))
    monkeypatch.delenv("LUKASA_AGENT", raising=False)
    monkeypatch.chdir(tmp_path)
    yield Cli(store, capsys, monkeypatch)
    if store.exists():
        with lukasa.open(store) as opened:
            assert opened.check().problems == ()


@pytest.fixture
def piped_bytes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A file whose bytes stand behind standard input."""
    path = tmp_path / "standard-input"
    path.touch()
    with path.open("rb") as file, TextIOWrapper(file, encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        yield path
