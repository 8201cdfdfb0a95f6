"""What the tools cost, as ratios measured in the same run.

    python benchmarks/surfaces.py

The import of a table of tools, in CPU time of a whole process, against `import lukasa`; and what a call of a
tool adds over the library's own call. Rounds of all alternate, and the median ratio is taken.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import lukasa
from lukasa.toolsets import HOMES, find_toolset

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 21
CALLS = 200
IMPORT_BAR = 2.0
TOKENS_BAR = 2_000
CALL_BAR = 1.5


def cost(code: str) -> float:
    """CPU seconds of a process that runs some code and nothing else."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def imports() -> list[bool]:
    """Each table of tools against the package."""
    tables = {name: f"import lukasa.toolsets.{home}" for name, home in HOMES.items() if name != "memory"}
    rounds = [
        (cost("import lukasa"), {name: cost(code) for name, code in tables.items()}) for _ in range(ROUNDS)
    ]
    kept: list[bool] = []
    for name in tables:
        ratio = statistics.median(costs[name] / own for own, costs in rounds)
        kept.append(ratio <= IMPORT_BAR or name != "default")
        bar = f"bar {IMPORT_BAR}" if name == "default" else ""
        print(f"import of the table {name:10} / import lukasa  {ratio:5.2f}  {bar}")
    return kept


def tokens() -> bool:
    """The default set's names, descriptions and schemas, at four characters a token."""
    shown = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
        for tool in find_toolset("default").tools
    ]
    count = len(json.dumps(shown, ensure_ascii=False)) / 4
    print(f"tokens of the default set  {count:.0f}  bar {TOKENS_BAR}")
    return count < TOKENS_BAR


def calls(folder: Path) -> bool:
    """A recall through a tool against the same recall through the library."""
    with lukasa.open(folder / "memory.lukasa") as store:
        ana = store.agent("ana")
        with store.transaction():
            for number in range(1_000):
                ana.remember(f"Note {number}: service {number % 17} waits for team {number % 5}.")
        box = lukasa.tools(store=store, agent="ana")
        asked = {"action": "recall", "query": "which service waits", "limit": 8}

        def library() -> None:
            ana.recall("which service waits", limit=8)

        def tool() -> None:
            box.call("memory", asked)

        pairs = [(timed(library), timed(tool)) for _ in range(ROUNDS)]
    ratio = statistics.median(theirs / ours for ours, theirs in pairs)
    added = statistics.median(theirs - ours for ours, theirs in pairs) / CALLS
    print(f"recall by a tool / by the library  {ratio:5.2f}  bar {CALL_BAR}; it adds {added * 1e3:.2f} ms")
    return ratio <= CALL_BAR


def timed(call: Callable[[], None]) -> float:
    """Seconds that a number of calls take."""
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return time.perf_counter() - start


def main() -> int:
    """Measures all of it and says whether a bar was missed."""
    with tempfile.TemporaryDirectory(prefix="lukasa-") as folder:
        kept = [*imports(), tokens(), calls(Path(folder))]
    if not all(kept):
        print("A bar was missed.")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
