"""A writer that is killed: what it acknowledged is there, what it had begun is there whole or not at all.

This file is also what is killed: `python test_kill.py LOCATION JOB ROUND [FILE]`. On PostgreSQL it is
the client that dies; the server lives on.
"""

from __future__ import annotations

import itertools
import json
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

import lukasa

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

ROUNDS = 12
IMPORTED = 4_000
Step = tuple[str, str, str]


def steps(turn: int) -> Iterator[Step]:
    """What a writer does in its turn, without end: every kind of change, over and over."""
    for n in itertools.count():
        name = f"{turn}/{n}"
        yield "add", name, f"The text of {name}"
        yield "write", name, f"Another text of {name}" + ", longer" * (n % 50)
        yield "alias", name, f"also {name}"
        if n % 3 == 1:
            yield "forget", f"also {name}", ""
        if n % 3 == 2:
            yield "rename", name, f"renamed {name}"
            yield "undo", f"renamed {name}", ""
            yield "complete", name, ""


def perform(ana: lukasa.Handle, step: Step) -> None:
    operation, name, text = step
    match operation:
        case "add":
            ana.add(name, text, tags=["one", "two"], metadata={"of": name})
        case "write":
            ana.write(name, text)
        case "alias":
            ana.alias(name, text)
        case "rename":
            ana.rename(name, text)
        case "undo":
            ana.undo(name)
        case "complete":
            ana.complete(name)
        case _:
            ana.forget(name)


State = dict[str, tuple[str, tuple[str, ...], str, int]]


def replayed(turn: int, count: int) -> State:
    """What the first steps of a turn leave: names with text, aliases, status and revision."""
    found: State = {}
    names: dict[str, str] = {}
    for operation, ref, text in itertools.islice(steps(turn), count):
        key = ref.removeprefix("also ").removeprefix("renamed ")
        if operation == "add":
            found[key], names[key] = (text, (), "open", 1), key
        elif operation == "forget":
            del found[key], names[key]
        else:
            content, aliases, status, revision = found[key]
            content = text if operation == "write" else content
            aliases = (*aliases, text) if operation == "alias" else aliases
            status = "completed" if operation == "complete" else status
            names[key] = {"rename": text, "undo": key}.get(operation, names[key])
            found[key] = (content, aliases, status, revision + 1)
    return {names[key]: entry for key, entry in found.items()}


def observed(ana: lukasa.Handle, turn: int) -> State:
    found: State = {}
    page = ana.list(limit=1_000, hidden=True)
    entries = list(page.entries)
    while page.after:
        page = ana.list(limit=1_000, hidden=True, after=page.after)
        entries += page.entries
    for entry in entries:
        name = str(entry.name)
        if name.removeprefix("renamed ").startswith(f"{turn}/"):
            found[name] = (entry.content, entry.aliases, entry.status, entry.revision)
            assert [change.revision for change in ana.history(entry.id)][-1] == entry.revision
            assert {ana.get(alias).id for alias in entry.aliases} <= {entry.id}
    return found


def main(location: str, job: str, turn: int, file: str) -> None:
    """The part that is killed: acknowledges each step on standard output, after it was made."""
    with lukasa.open(location) as store:
        if job == "import":
            print("begun", flush=True)  # noqa: T201 - the parent reads it
            store.import_(file, agent="ana")
            print("imported", flush=True)  # noqa: T201 - the parent reads it
            return
        ana = store.agent("ana")
        for number, step in enumerate(steps(turn), 1):
            perform(ana, step)
            print(number, flush=True)  # noqa: T201 - the parent reads it


@contextmanager
def writer(location: str, job: str, turn: int, file: str = "") -> Generator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-W", "error", __file__, location, job, str(turn), file],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def killed(process: subprocess.Popen[str]) -> list[str]:
    """Kills it; the lines that it had written whole and nobody had read yet. It had no complaint."""
    process.send_signal(signal.SIGKILL)
    assert process.stdout is not None
    assert process.stderr is not None
    # Not by `communicate`, which reads past the buffer that `readline` has filled, and would lose its lines.
    out, err = process.stdout.read(), process.stderr.read()
    assert (process.wait(timeout=60), err) == (-signal.SIGKILL, "")
    return [line for line in out.splitlines(keepends=True) if line.endswith("\n")]


def read_lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline() for _ in range(count)]


def assert_kept(ana: lukasa.Handle, turn: int, acknowledged: int) -> None:
    """All that was acknowledged is there; the one step beyond it is there whole or not at all."""
    deadline = time.monotonic() + 10
    # A PostgreSQL server may still be at work on the last commit of a client that is dead.
    while True:
        found = observed(ana, turn)
        allowed = [replayed(turn, acknowledged), replayed(turn, acknowledged + 1)]
        if found in allowed or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    assert found in allowed, f"round {turn}: {acknowledged} steps were acknowledged"


def test_what_was_acknowledged_survives_a_kill(location: str) -> None:
    chance = random.Random(20260501)  # noqa: S311 - seeded, to be repeatable
    acknowledged: list[int] = []
    for turn in range(ROUNDS):
        with writer(location, "steps", turn) as process:
            read = read_lines(process, chance.randrange(1, 60))
            time.sleep(chance.random() / 20)
            lines = read + killed(process)
        assert [int(line) for line in lines] == list(range(1, len(lines) + 1))
        acknowledged.append(len(lines))
        with lukasa.open(location) as store:
            for past, count in enumerate(acknowledged):
                assert_kept(store.agent("ana"), past, count)
            assert store.check().problems == ()
    assert sum(acknowledged) > ROUNDS * 10, "the writers wrote something worth killing them for"


def test_a_kill_leaves_the_store_free_for_the_others(location: str) -> None:
    with writer(location, "steps", 1) as first, writer(location, "steps", 2) as second:
        one, two = read_lines(first, 20), read_lines(second, 20)
        one += killed(first)
        two += read_lines(second, 60)  # goes on, without an error and without waiting for the dead
        two += killed(second)
    with lukasa.open(location) as store:
        for turn, lines in ((1, one), (2, two)):
            assert_kept(store.agent("ana"), turn, len(lines))
        assert store.check().problems == ()
        assert store.agent("ana").remember("said after it all").seen == 1


def test_an_import_that_was_killed_has_brought_all_or_nothing(location: str, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    records = (json.dumps({"content": f"Record {n}", "name": f"r{n}"}) for n in range(IMPORTED))
    file.write_text("\n".join(records), encoding="utf-8")
    with lukasa.open(location) as store:
        kept = store.agent("ana").remember("It was there before.")
    counts: list[int] = []
    for wait in (0.0, 0.05, 0.1, 0.2, 0.3):
        with writer(location, "import", 0, str(file)) as process:
            read_lines(process, 1)
            time.sleep(wait)
            acknowledged = killed(process) == ["imported\n"]
        with lukasa.open(location) as store:
            counts.append(store.stats().entries)
            assert counts[-1] in ({IMPORTED + 1} if acknowledged else {1, IMPORTED + 1})
            assert store.agent("ana").get(kept.id) == kept
            assert store.check().problems == ()
    assert counts[0] == 1, "the first was killed at its beginning"
    with lukasa.open(location) as store:
        again = store.import_(file, agent="ana")
        assert (again.added + again.known, store.stats().entries) == (IMPORTED, IMPORTED + 1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
