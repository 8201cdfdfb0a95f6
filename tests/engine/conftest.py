"""What the engine's tests share: the seam itself, children by fork, and other processes."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import closing
from textwrap import dedent
from typing import IO, TYPE_CHECKING, Protocol

import pytest

from lukasa.db import open_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lukasa.db import Database
    from lukasa.testing import FrozenClock

PATIENCE = 60


class Start(Protocol):
    """Starts a Python program in a process of its own, with its arguments."""

    def __call__(self, program: str, *arguments: str) -> subprocess.Popen[str]: ...


@pytest.fixture
def database(location: str, clock: FrozenClock) -> Iterator[Database]:
    """The seam on each engine."""
    with closing(open_database(location, clock=clock)) as opened:
        yield opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a SQLite store may be, in a folder with nothing else in it."""
    return tmp_path / "alone" / "memory.lukasa"


@pytest.fixture
def start() -> Iterator[Start]:
    """Other processes; none of them outlives the test."""
    started: list[subprocess.Popen[str]] = []

    def begin(program: str, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", dedent(program), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def ends_well() -> Callable[[subprocess.Popen[str]], list[str]]:
    """Waits for a process and gives the lines that it printed; what it complains of fails the test."""

    def wait(process: subprocess.Popen[str]) -> list[str]:
        said, complaint = process.communicate(timeout=PATIENCE)
        assert (process.returncode, complaint) == (0, "")
        return said.splitlines()

    return wait


@pytest.fixture
def in_child() -> Callable[[Callable[[], object]], str]:
    """Runs something in a forked child; gives what it returned, or the error that it raised, as text."""
    return _in_child


def _in_child(work: Callable[[], object]) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with os.fdopen(writing, "w") as answer:
            _answer(work, answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        if not select.select([answer], [], [], PATIENCE)[0]:
            os.kill(child, signal.SIGKILL)
        said = answer.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child ended with {status} after {said!r}"
    return said


def _answer(work: Callable[[], object], answer: IO[str]) -> None:
    try:
        answer.write(str(work()))
    except BaseException as error:  # noqa: BLE001 - whatever it is, the parent is to see it
        answer.write(f"{type(error).__name__}: {error}")
