"""What a hook costs, in CPU time, as ratios to `python -c pass` measured in the same run.

    python benchmarks/hooks.py

Every turn of a conversation pays this. Rounds of all alternate, and the median of each is taken.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import lukasa

ROUNDS = 15
# What each event may cost, in starts of the interpreter: nearly twice what was measured.
BARS = {"session-start": 20.0, "prompt-submit": 35.0, "stop, nothing new": 20.0, "stop, two new turns": 35.0}


def prepared(folder: Path) -> dict[str, str]:
    """A store with a thousand entries, and a home of its own."""
    with lukasa.open(folder / "memory.lukasa") as store, store.transaction():
        main = store.agent("main")
        for number in range(1_000):
            main.remember(f"Note {number}: the deploy of service {number % 17} waits for team {number % 5}.")
    return {**os.environ, "HOME": str(folder), "LUKASA_STORE": str(folder / "memory.lukasa")}


def cost(command: list[str], stdin: bytes, environment: dict[str, str]) -> float:
    """CPU seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=stdin, capture_output=True, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def said(folder: Path, number: int) -> bytes:
    """The end of a turn: two lines more in the transcript than the time before."""
    path = folder / "transcript.jsonl"
    with path.open("a") as file:
        for role in ("user", "assistant"):
            text = f"{role} says something new about the deploy, for the {number}th time"
            file.write(json.dumps({"role": role, "message": {"content": text}}) + "\n")
    return stop(folder)


def stop(folder: Path) -> bytes:
    """The end of a turn, as an assistant tells it."""
    return json.dumps({"session_id": "s1", "transcript_path": str(folder / "transcript.jsonl")}).encode()


def main() -> int:
    """Measures all of it and says which bars were missed."""
    hook = [sys.executable, "-m", "lukasa", "hook"]
    costs: dict[str, list[float]] = {name: [] for name in ("python -c pass", *BARS)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = prepared(folder)
        prompt = b'{"session_id": "s1", "prompt": "Who waits for the deploy of service 3?"}'
        for number in range(ROUNDS):
            for what, command, stdin in (
                ("python -c pass", [sys.executable, "-c", "pass"], b""),
                ("session-start", [*hook, "session-start", "--agent", "claude"], b'{"session_id": "s1"}'),
                ("prompt-submit", [*hook, "prompt-submit", "--agent", "claude"], prompt),
                ("stop, two new turns", [*hook, "stop", "--agent", "cursor"], said(folder, number)),
                ("stop, nothing new", [*hook, "stop", "--agent", "cursor"], stop(folder)),
            ):
                costs[what].append(cost(command, stdin, environment))
    base = statistics.median(costs["python -c pass"])
    missed = 0
    for what, bar in BARS.items():
        ours = statistics.median(costs[what])
        missed += ours / base > bar
        verdict = "ok" if ours / base <= bar else "OVER"
        print(f"{what:<22} {ours * 1e3:>7.1f} ms CPU  ratio {ours / base:>5.1f}  bar {bar:>4.0f}  {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
