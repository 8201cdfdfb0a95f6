"""Hooks as an assistant runs them: a process of their own, JSON on standard input, a home of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pytest

import lukasa

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lukasa.db.database import Json


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What a hook gave back."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Json]:
        return cast("dict[str, Json]", json.loads(self.out))


class Hook:
    """Runs hooks against one store, and looks at what they left."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store = home / "memory.lukasa"
        self.transcript = home / "transcript.jsonl"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LUKASA_")}
        self.environment = kept | {
            "HOME": str(home),
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_DATA_HOME": str(home / "data"),
            "LUKASA_STORE": str(self.store),
        }

    def raw(self, stdin: bytes, *arguments: str) -> Said:
        """Whatever bytes stand on standard input."""
        done = subprocess.run(
            [sys.executable, "-m", "lukasa", "hook", *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env=self.environment,
            cwd=self.home,
            timeout=60,
        )
        return Said(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())

    def __call__(self, event: str, assistant: str, *arguments: str, **payload: Json) -> Said:
        """A hook that an assistant calls; it always succeeds."""
        said = self.raw(json.dumps(payload).encode(), event, "--agent", assistant, *arguments)
        assert said.code == 0, said.err
        return said

    def save(self, assistant: str = "claude", event: str = "stop", **payload: Json) -> Said:
        """The end of a turn, with the transcript that was written."""
        said = self(event, assistant, session_id="s1", transcript_path=str(self.transcript), **payload)
        assert said.out == ""
        return said

    def write(self, *records: Json) -> None:
        """Lines that the assistant appends to its transcript."""
        with self.transcript.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def kept(self, agent: str = "main", session: str = "s1") -> list[lukasa.Entry]:
        """What is kept of a conversation, oldest first."""
        with lukasa.open(self.store) as store:
            channel = f"channel/agent:{agent}:session:{session}"
            return list(reversed(store.agent(agent).list(scope=channel, limit=1_000).entries))

    def contents(self) -> list[str]:
        return [entry.content for entry in self.kept()]

    @property
    def log(self) -> str:
        """What hooks wrote down of themselves."""
        path = self.home / "state" / "lukasa" / "hooks.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[Hook]:
    made = Hook(tmp_path)
    yield made
    if made.store.exists():
        with lukasa.open(made.store) as store:
            assert store.check().problems == ()
