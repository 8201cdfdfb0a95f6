"""How fast remembering and recalling are, on this machine, with what is needed to judge the figures.

What depends on the machine stands beside something that was measured on it in the same run: one tenant beside
a thousand, a model beside none, a search beside the time in which the memory can give its bytes. Rounds of
both sides alternate, so that a busy machine slows both alike. A line has a bar where one was promised.
"""

from __future__ import annotations

import platform
import tempfile
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import apsw

from lukasa.bench import filling
from lukasa.bench.cold import first_recall, growth
from lukasa.bench.corpus import Corpus
from lukasa.bench.stopwatch import Line, Timed, bandwidth, fastest, quantile, timed
from lukasa.clock import SystemClock
from lukasa.config import Settings
from lukasa.db import open_database
from lukasa.embed.bundled import BundledEmbedder
from lukasa.matrices import np
from lukasa.memory import open as open_store
from lukasa.recall import vectors
from lukasa.recall.cache import IndexCache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lukasa.db.database import Json
    from lukasa.memory import Handle
    from lukasa.recall.index import SpaceIndex

TENANT = 1_000
_MODEL = 1
_MEGABYTE = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How much is measured: how many tenants of a thousand entries, and how large the larger spaces are."""

    tenants: int = 100
    middle: int = 10_000
    large: int = 100_000
    rounds: int = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class _Bench:
    """What every part of a run is given."""

    folder: Path
    sizes: Sizes
    bandwidth: float


def measure(
    sizes: Sizes | None = None, *, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> dict[str, Json]:
    """Every figure, with its bar where there is one."""
    sizes = sizes or Sizes()
    lines: list[Line] = []
    parts = (_remember, _tenants, _bound, _middle, _large)
    with tempfile.TemporaryDirectory() as folder:
        bench = _Bench(folder=Path(folder), sizes=sizes, bandwidth=bandwidth())
        for done, part in enumerate(parts):
            progress(done, len(parts))
            lines += part(bench)
    progress(len(parts), len(parts))
    return {"machine": _machine(bench.bandwidth), "lines": [line.as_json() for line in lines]}


def _machine(speed: float) -> dict[str, Json]:
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "sqlite": apsw.sqlite_lib_version(),
        "memory GB/s": round(speed / 1e9, 2),
    }


def _remember(bench: _Bench) -> Iterator[Line]:
    """One entry, acknowledged and on disk, with a vector and without."""
    texts = Corpus(seed=1).texts(1_000_000)
    stores = [
        open_store(bench.folder / f"remember-{model}.lukasa", settings=Settings(embedding=model))
        for model in ("default", "none")
    ]
    pairs: list[list[Timed]] = []
    for _ in range(bench.sizes.rounds + 20):
        text = next(texts)
        pairs.append([timed(partial(store.agent("ana").remember, text)) for store in stores])
    for store in stores:
        store.close()
    # The first rounds make the file and load the model.
    ours, other = ([pair[side].wall for pair in pairs[20:]] for side in (0, 1))
    yield Line(
        what="remember with the bundled model, durable", value=median(ours) * 1e3, unit="ms",
        against="without a model", other=median(other) * 1e3, bar=1.5,
    )  # fmt: skip


def _tenants(bench: _Bench) -> Iterator[Line]:
    """A recall in a store of one tenant, and in one of many, each with a thousand entries."""
    count = bench.sizes.tenants
    with (
        open_store(filling.fill(bench.folder / "one.lukasa", spaces=1, entries=TENANT)) as one,
        open_store(filling.fill(bench.folder / "many.lukasa", spaces=count, entries=TENANT)) as many,
    ):
        alone = one.agent(filling.agent(0))
        agents = [many.agent(filling.agent(number)) for number in range(count)]
        for handle in (alone, *agents):
            for question in Corpus(seed=3).questions(2):
                _asked(handle, question)
        pairs = [
            (_asked(agents[at % count], question), _asked(alone, question))
            for at, question in enumerate(Corpus(seed=2).questions(max(bench.sizes.rounds, count)))
        ]
    ours, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    yield from _recall("1 tenant x 1,000", other)
    yield from _recall(f"{count:,} tenants x 1,000", ours)
    yield Line(
        what=f"recall p50, {count:,} tenants x 1,000", value=quantile(ours, 0.5), unit="ms",
        against="1 tenant x 1,000", other=quantile(other, 0.5), bar=1.3,
    )  # fmt: skip


def _bound(bench: _Bench) -> Iterator[Line]:
    """How much the cache keeps when every tenant is asked, and it may keep a tenth of them."""
    count = bench.sizes.tenants
    spaces = [f"agent/{filling.agent(number)}" for number in range(count)]
    one = IndexCache(megabytes=1 << 20)
    _load(bench.folder / "many.lukasa", one, spaces[:1])
    bound = max(1, one.nbytes * count // 10 // _MEGABYTE)
    small = IndexCache(megabytes=bound)
    kept: list[int] = []
    _load(bench.folder / "many.lukasa", small, spaces, seen=lambda: kept.append(small.nbytes))
    yield Line(
        what=f"most kept in memory under {count:,} tenants", value=max(kept) / _MEGABYTE, unit="MB",
        against="the bound", other=float(bound), bar=1.0,
    )  # fmt: skip


def _middle(bench: _Bench) -> Iterator[Line]:
    """One space of ten thousand: warm, after each write, and from a new process."""
    size = bench.sizes.middle
    path = filling.fill(bench.folder / "middle.lukasa", spaces=1, entries=size)
    with open_store(path) as store:
        handle = store.agent(filling.agent(0))
        warm = _rounds(handle, bench.sizes.rounds)
        fresh = Corpus(seed=4).texts(bench.sizes.rounds)
        after: list[Timed] = []
        for text, question in zip(fresh, Corpus(seed=5).questions(bench.sizes.rounds), strict=True):
            handle.remember(f"{text} afterwards")
            after.append(_asked(handle, question))
    yield from _recall(f"{size:,} in one space", warm, cpu_bar=5.0)
    yield Line(what=f"recall p50 just after a remember, {size:,}", value=quantile(after, 0.5), unit="ms")
    yield Line(
        what=f"first recall of a new process, {size:,}, beyond the interpreter's start",
        value=first_recall(path, agent=filling.agent(0)), unit="ms", bar=120.0,
    )  # fmt: skip


def _large(bench: _Bench) -> Iterator[Line]:
    """One space of a hundred thousand: warm, its vector part against the memory's own speed, and its RAM."""
    size = bench.sizes.large
    path = filling.fill(bench.folder / "large.lukasa", spaces=1, entries=size)
    with open_store(path) as store:
        handle = store.agent(filling.agent(0))
        first = _asked(handle, "what is there?")
        warm = _rounds(handle, bench.sizes.rounds)
    yield Line(what=f"first recall, {size:,}, index loaded", value=first.wall * 1e3, unit="ms")
    yield from _recall(f"{size:,} in one space", warm)
    yield from _index(bench, path, size)


def _index(bench: _Bench, path: str | Path, size: int) -> Iterator[Line]:
    # Asked for twice: the second time it is put in order.
    (index,) = _load(path, IndexCache(megabytes=1 << 20), [f"agent/{filling.agent(0)}"] * 2)
    question = BundledEmbedder().query("what about the deploy of the new service?")
    scanned = sum(part.vectors.nbytes for part in index.segments if part.vectors is not None)
    best = fastest(lambda: vectors.cosines(index, question))
    yield Line(
        what=f"vector part, {size:,}", value=best * 1e3, unit="ms",
        against="bytes / memory bandwidth", other=scanned / bench.bandwidth * 1e3, bar=4.0,
    )  # fmt: skip
    yield Line(
        what=f"RAM of the index, {size:,} x {len(question)}", value=index.nbytes / _MEGABYTE, unit="MB",
        against="its vectors", other=scanned / _MEGABYTE, bar=1.3,
    )  # fmt: skip
    grown = growth(path, agent=filling.agent(0))
    if grown is not None:
        yield Line(
            what="what the process grows by", value=grown / _MEGABYTE, unit="MB",
            against="its vectors", other=scanned / _MEGABYTE,
        )  # fmt: skip


def _load(
    path: str | Path, cache: IndexCache, spaces: Sequence[str], *, seen: Callable[[], None] = lambda: None
) -> list[SpaceIndex]:
    """The indexes of spaces, one after the other, as a recall has them brought into memory."""
    found: list[SpaceIndex] = []
    with closing(open_database(path, clock=SystemClock(), read_only=True)) as db:
        for space in spaces:
            with db.transaction(write=False):
                found = cache.indexes(db, [space], _MODEL)
            seen()
    return found


def _rounds(handle: Handle, rounds: int) -> list[Timed]:
    for question in Corpus(seed=3).questions(3):
        _asked(handle, question)
    return [_asked(handle, question) for question in Corpus(seed=2).questions(rounds)]


def _asked(handle: Handle, question: str) -> Timed:
    return timed(lambda: handle.recall(question, limit=8, observe=False))


def _recall(where: str, taken: Sequence[Timed], *, cpu_bar: float | None = None) -> Iterator[Line]:
    yield Line(what=f"recall p50, {where}", value=quantile(taken, 0.5), unit="ms")
    yield Line(what=f"recall p95, {where}", value=quantile(taken, 0.95), unit="ms")
    yield Line(what=f"recall CPU p50, {where}", value=quantile(taken, 0.5, cpu=True), unit="ms", bar=cpu_bar)
