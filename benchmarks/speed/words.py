"""Finding by words: FTS5 in the file, or the terms of each piece brought into memory. For decision 0006.

python benchmarks/speed/words.py --size 10000

Both hold the same terms of the same texts, those of FTS5 with the number of their space before each, so that
a list of postings is one space's. Milliseconds of the processor; the median of all questions.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import apsw

from lukasa.bench import filling
from lukasa.bench.corpus import Corpus
from lukasa.bench.stopwatch import timed
from lukasa.clock import SystemClock
from lukasa.config import Settings
from lukasa.db import open_database
from lukasa.recall import lexical
from lukasa.recall.cache import IndexCache
from lukasa.text.terms import key_of, terms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lukasa.recall.index import SpaceIndex

NO_MODEL = -1


def fts5(path: Path, size: int, questions: list[str]) -> dict[str, float]:
    """A contentless table whose tokens are ours; the time in which it ranks, or only finds and counts."""
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5(terms, content='', contentless_delete=1)")
    rows = [(marked(text),) for text in Corpus().texts(size)]

    def write() -> None:
        with connection:
            connection.executemany("INSERT INTO words (terms) VALUES (?)", rows)

    filled = timed(write)
    matches = [" OR ".join(f'"{term}"' for term in marked(question).split()) for question in questions]
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")

    def asked(statement: str, match: str) -> list[object]:
        return [*connection.execute(statement, (match,))]

    ranked = "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT 100"
    every = "SELECT rowid, rank FROM words WHERE words MATCH ?"
    return {
        "write, us an entry": filled.cpu / size * 1e6,
        "MB on disk": connection.pragma("page_count") * connection.pragma("page_size") / (1 << 20),
        "first question, ms": cost([partial(asked, ranked, matches[0])]),
        "the best hundred, ms": cost(partial(asked, ranked, match) for match in matches),
        "every score, ms": cost(partial(asked, every, match) for match in matches),
    }


def marked(text: str) -> str:
    """The terms of a text in letters and digits, with the number of a space before each."""
    return " ".join(f"s7x{key_of(term) & 0xFFFFFFFFFFFFFFFF:x}" for term in terms_of(text))


def cost(work: Iterable[Callable[[], object]]) -> float:
    """The median of what a question takes, in milliseconds of the processor."""
    return median(timed(one).cpu for one in work) * 1e3


def in_memory(path: Path, size: int, questions: list[str]) -> dict[str, float]:
    """What Lukasa does: the space is loaded once, and every score is a few sums over it."""
    filling.fill(path, spaces=1, entries=size, settings=Settings(embedding="none"))
    cache = IndexCache(megabytes=1 << 20)
    with closing(open_database(path, clock=SystemClock())) as db, db.transaction(write=False):
        spaces = [f"agent/{filling.agent(0)}"]
        found: list[SpaceIndex] = []
        loading = timed(lambda: found.extend(cache.indexes(db, spaces, NO_MODEL)))
        (index,) = found
    keys = [[key_of(term) for term in terms_of(question)] for question in questions]
    first = cost([partial(lexical.bm25, index, keys[0])])
    index.ready()
    return {
        "loaded, ms": loading.cpu * 1e3,
        "MB in memory": index.nbytes / (1 << 20),
        "first question, ms": first,
        "every score, ms": cost(partial(lexical.bm25, index, one) for one in keys),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=10_000, help="how many entries the space has")
    parser.add_argument("--questions", type=int, default=100)
    options = parser.parse_args()
    questions = Corpus(seed=2).questions(options.questions)
    with tempfile.TemporaryDirectory() as folder:
        for name, measured in (
            ("FTS5", fts5(Path(folder) / "fts5.db", options.size, questions)),
            ("in memory", in_memory(Path(folder) / "store.lukasa", options.size, questions)),
        ):
            for what, value in measured.items():
                print(f"{name:<10} {what:<22} {value:>10.2f}")


if __name__ == "__main__":
    main()
