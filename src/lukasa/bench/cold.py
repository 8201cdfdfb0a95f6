"""A process that has just started: what its first recall takes, and what a space costs it in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from lukasa.bench.stopwatch import timed

_NOTHING = "pass"
_FIRST = """
import sys, lukasa
with lukasa.open(sys.argv[1]) as store:
    assert store.agent(sys.argv[2]).recall("what about the deploy of the new service?", observe=False).hits
"""
_GROWTH = """
import sys, lukasa, lukasa.recall.search
def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))
with lukasa.open(sys.argv[1]) as store:
    store.agent("nobody").recall("what is there?", observe=False)
    before = resident()
    for question in ("what about the deploy?", "where does she live?", "who was there?"):
        store.agent(sys.argv[2]).recall(question, observe=False)
    print(resident() - before)
"""
ROUNDS = 15


def first_recall(path: str | Path, *, agent: str) -> float:
    """Milliseconds from the start of a process to its first answer, beyond those of one that does nothing."""
    _run(_NOTHING)
    _run(_FIRST, str(path), agent)  # so that the modules are compiled and the file is in the system's cache
    pairs = [
        (timed(lambda: _run(_FIRST, str(path), agent)).wall, timed(lambda: _run(_NOTHING)).wall)
        for _ in range(ROUNDS)
    ]
    return (median(first for first, _ in pairs) - median(nothing for _, nothing in pairs)) * 1e3


def growth(path: str | Path, *, agent: str) -> int | None:
    """By how many bytes a process grows that has recalled from a space; None where that cannot be read."""
    if not Path("/proc/self/status").exists():
        return None
    return int(_run(_GROWTH, str(path), agent))


def _run(program: str, *arguments: str) -> str:
    # Compiled modules are kept, as they are wherever a package was installed.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(  # noqa: S603 - a program of ours, in this interpreter
        [sys.executable, "-c", program, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    return done.stdout
