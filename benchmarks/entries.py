"""What entries cost, as ratios to the bare engine measured in the same run, side by side.

    python benchmarks/entries.py [--big 1000000]

Each bar of the foundation has a line: what was measured, against what, the ratio, the bar. An import meets
its bar by either of two lines. Rounds of both sides alternate, and the median of each is taken, so that a
busy machine slows both alike.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

import lukasa
from lukasa.db import sqlite_file
from lukasa.db.queries import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from lukasa.db.database import Value

SENTENCE = "the deploy of service alpha waits for review by the release team in Madrid on this floor"
WORDS = tuple(SENTENCE.split())


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One measured ratio and its bar."""

    what: str
    ours: float
    against: float
    unit: str
    bar: float

    @property
    def ratio(self) -> float:
        """Ours over the other."""
        return self.ours / self.against

    def show(self) -> str:
        """The line of the table."""
        verdict = "ok" if self.ratio <= self.bar else "OVER"
        return (
            f"{self.what:<46} {self.ours:>10.2f} {self.against:>10.2f} {self.unit:<10}"
            f" ratio {self.ratio:>6.2f}  bar {self.bar:>5.2f}  {verdict}"
        )


def text(number: int) -> str:
    """A sentence that no other number has."""
    return f"Note {number}: " + " ".join(WORDS[(number + step) % len(WORDS)] for step in range(12))


def timed(work: Callable[[], None]) -> float:
    """Seconds that one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def alternating(ours: Callable[[], None], other: Callable[[], None], rounds: int) -> tuple[float, float]:
    """The medians of both, their rounds interleaved."""
    pairs = [(timed(ours), timed(other)) for _ in range(rounds)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def template_row(folder: Path) -> dict[str, Value]:
    """The columns of a real entry's row."""
    with lukasa.open(folder / "template.lukasa") as store:
        return store.agent("ana").remember(text(0)).columns()


class Bare:
    """The same schema without Lukasa: one hand-written insert a row, in the same durability."""

    def __init__(self, path: Path) -> None:
        lukasa.open(path).agent("ana").remember("the first")
        self.connection = sqlite_file.open_writer(path, wait=1_000)
        self.insert = load("sqlite")["add_entry"].sql
        self.count = 0

    def one(self, row: dict[str, Value]) -> None:
        """One row, committed."""
        self.connection.execute("BEGIN IMMEDIATE")
        self.put(row)
        self.connection.execute("COMMIT")

    def put(self, row: dict[str, Value]) -> None:
        """One row within a transaction."""
        self.count += 1
        mark = f"{self.count:032}"
        self.connection.execute(
            self.insert, row | {"id": mark, "fingerprint": mark, "number": 10 + self.count}
        )


def durable_write(folder: Path) -> Line:
    """One remember without a model, acknowledged and on disk, against one bare insert of the same row."""
    row = template_row(folder)
    bare = Bare(folder / "bare.lukasa")
    with lukasa.open(folder / "ours.lukasa", settings=lukasa.Settings(embedding="none")) as store:
        ana = store.agent("ana")
        numbers = iter(range(1, 10_000))
        for _ in range(50):
            ana.remember(text(next(numbers)))
            bare.one(row)
        ours, other = alternating(
            lambda: ana.remember(text(next(numbers))) and None, lambda: bare.one(row), 600
        )
    return Line(
        what="remember, durable / bare insert", ours=ours * 1e6, against=other * 1e6, unit="us", bar=3.0
    )


def bulk_import(folder: Path, size: int = 10_000, rounds: int = 5) -> list[Line]:
    """Entries a second through `import`, against 5,000 and against a bare insert into the same tables."""
    source = folder / "notes.jsonl"
    source.write_text("".join(json.dumps({"content": text(number)}) + "\n" for number in range(size)))
    pairs = [
        (_imported(folder / f"import-{turn}.lukasa", source, size), _bare_tables(folder, size, turn))
        for turn in range(rounds)
    ]
    ours = statistics.median(pair[0] for pair in pairs) / size * 1e6
    bare = statistics.median(pair[1] for pair in pairs) / size * 1e6
    return [
        Line(what="import, us an entry / 200 (5,000 a second)", ours=ours, against=200, unit="us", bar=1.0),
        Line(what="import / bare multi-table insert", ours=ours, against=bare, unit="us", bar=4.0),
    ]


def _imported(path: Path, source: Path, size: int) -> float:
    """Seconds that an import takes, once it is seen that nothing was lost."""
    with lukasa.open(path) as store:
        took = timed(lambda: store.import_(source) and None)
        if store.stats().entries != size:
            sys.exit("The import lost entries; what it took says nothing.")
    return took


def _bare_tables(folder: Path, size: int, turn: int) -> float:
    """The same rows (entry, history, eight tags) by hand-written inserts in one transaction."""
    row = template_row(folder)
    bare = Bare(folder / f"tables-{turn}.lukasa")
    tags = "INSERT INTO tags (space, entry_id, tag, origin, position) VALUES (?, ?, ?, 'concept', ?)"
    past = "INSERT INTO history (space, entry_id, revision, operation, actor, at) VALUES (?, ?, ?, ?, ?, 1)"

    def work() -> None:
        bare.connection.execute("BEGIN IMMEDIATE")
        for _ in range(size):
            bare.put(row)
            mark = f"{bare.count:032}"
            bare.connection.executemany(tags, [("agent/ana", mark, f"tag{i}", i) for i in range(8)])
            bare.connection.execute(past, ("agent/ana", mark, 1, "add", "ana"))
        bare.connection.execute("COMMIT")

    return timed(work)


def get_by_name(folder: Path, big: int) -> Line:
    """A get by name among many, against the same among a thousand."""
    stores = {size: _named_store(folder, size) for size in (1_000, big)}
    gc.freeze()
    try:
        picks = {size: iter(range(0, 10**9, max(1, size // 997))) for size in stores}

        def get(size: int) -> None:
            stores[size].agent("ana").get(f"note-{next(picks[size]) % size}")

        for size in stores:
            for _ in range(200):
                get(size)
        ours, other = alternating(lambda: get(big), lambda: get(1_000), 2_000)
    finally:
        for store in stores.values():
            store.close()
    return Line(
        what=f"get by name of {big:,} / of 1,000", ours=ours * 1e6, against=other * 1e6, unit="us", bar=1.5
    )


def _named_store(folder: Path, size: int) -> lukasa.Store:
    source = folder / f"named-{size}.jsonl"
    with source.open("w") as file:
        file.writelines(json.dumps({"content": text(n), "name": f"note-{n}"}) + "\n" for n in range(size))
    store = lukasa.open(folder / f"named-{size}.lukasa")
    store.import_(source, agent="ana")
    return store


def starts() -> list[Line]:
    """The import of the package and the help of the command, against the interpreter."""

    def python(*words: str) -> Callable[[], None]:
        return lambda: subprocess.run([sys.executable, *words], check=True, capture_output=True) and None

    def import_cost(names: str) -> Callable[[], float]:
        code = f"import time; s = time.perf_counter(); import {names}; print(time.perf_counter() - s)"
        return lambda: float(
            subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        )

    ours, other = import_cost("lukasa"), import_cost("sqlite3, json, dataclasses")
    pairs = [(ours(), other()) for _ in range(21)]
    light = Line(
        what="import lukasa / import sqlite3, json, dataclasses",
        ours=statistics.median(pair[0] for pair in pairs) * 1e3,
        against=statistics.median(pair[1] for pair in pairs) * 1e3,
        unit="ms",
        bar=3.0,
    )
    shown, bare = alternating(python("-m", "lukasa", "--help"), python("-c", "pass"), 21)
    return [
        light,
        Line(what="lukasa --help / python -c pass", ours=shown * 1e3, against=bare * 1e3, unit="ms", bar=5.0),
    ]


def main() -> int:
    """Runs all of it and says which bars were missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--big", type=int, default=1_000_000, help="how many named entries the large store has"
    )
    options = parser.parse_args()
    print(f"SQLite {apsw.sqlite_lib_version()}, Python {sys.version.split()[0]}")
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        imports = lambda: bulk_import(folder)  # noqa: E731 - one of the parts, known by name
        parts: list[Callable[[], list[Line]]] = [
            starts,
            lambda: [durable_write(folder)],
            imports,
            lambda: [get_by_name(folder, options.big)],
        ]
        for part in parts:
            lines = part()
            for line in lines:
                print(line.show(), flush=True)
            over = [line.ratio > line.bar for line in lines]
            missed += all(over) if part is imports else sum(over)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
