"""Others and Lukasa side by side: the same texts, the same vectors, one run, each in a process of its own.

    make bench-peers                       # a venv of its own, then this with the usual sizes
    python benchmarks/speed/peers.py --sizes 1000 10000 --tenants 1000 --each 100 --out figures.json

Every store gets the vectors ready made, is asked for ten answers with their texts, and is measured through
its own public Python interface with its files on disk. Recall@10 is against the exact ten nearest of the
tenant. A peer that is not filled within the patience, or fails, says so in its line.
"""

# The peers are not installed where this is checked, and most have no types.
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportArgumentType=false
# pyright: reportOptionalMemberAccess=false, reportCallIssue=false
# ruff: noqa: ANN001, ANN201, D101, D102
# Each peer is imported in its own process, and only there.
# ruff: noqa: PLC0415

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median
from typing import Protocol

QUESTIONS = 100
BATCH = 1_000
LIMIT = 10
PROBLEM = "problem"


class Peer(Protocol):
    """What is measured: rows go in by batches, and ten answers come out."""

    def add(self, first: int, texts: list[str], tenants: list[str], vectors) -> None: ...

    def ask(self, text: str, vector, tenant: str) -> list[int]: ...


def tenant_name(number: int) -> str:
    return f"t{number:05}"


class Given:
    """An embedder that knows the vectors already."""

    identity, remote, dimensions = "given:table@1", False, 256

    def __init__(self, known: dict) -> None:
        self._known = known

    def documents(self, texts):
        import numpy as np

        # What Lukasa embeds has the tags above the text; the vectors of this run are of the text alone.
        return np.array([self._known[text.rpartition("\n")[2]] for text in texts], dtype=np.float32)

    def query(self, text: str):
        return self._known[text]


class Lukasa:
    package = "lukasa"
    mode = "vector"

    def __init__(self, folder: Path, known: dict) -> None:
        import lukasa
        from lukasa.config import Settings

        self._folder = folder
        self._store = lukasa.open(folder / "store.lukasa", settings=Settings(embedding=Given(known)))  # pyright: ignore[reportArgumentType]

    def add(self, first: int, texts: list[str], tenants: list[str], vectors) -> None:  # noqa: ARG002
        source = self._folder / "rows.jsonl"
        with source.open("w") as file:
            for number, (text, tenant) in enumerate(zip(texts, tenants, strict=True), first):
                place = {"agent_id": tenant, "space": f"agent/{tenant}", "source_id": str(number)}
                file.write(json.dumps({"content": text, "kind": "note", **place}) + "\n")
        self._store.import_(source)

    def ask(self, text: str, vector, tenant: str) -> list[int]:  # noqa: ARG002 - it makes its own
        found = self._store.agent(tenant).recall(text, limit=LIMIT, mode=self.mode, observe=False)
        return [int(hit.entry.source_id) for hit in found]


class LukasaHybrid(Lukasa):
    mode = "hybrid"


class Chroma:
    package = "chromadb"

    def __init__(self, folder: Path, known: dict) -> None:  # noqa: ARG002
        import chromadb
        from chromadb.config import Settings

        client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        self._rows = client.create_collection(
            "memories", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )

    def add(self, first: int, texts: list[str], tenants: list[str], vectors) -> None:
        ids = [str(first + at) for at in range(len(texts))]
        marks = [{"tenant": tenant} for tenant in tenants]
        self._rows.add(ids=ids, embeddings=vectors, documents=texts, metadatas=marks)

    def ask(self, text: str, vector, tenant: str) -> list[int]:  # noqa: ARG002
        found = self._rows.query(
            query_embeddings=vector[None],
            n_results=LIMIT,
            where={"tenant": tenant},
            include=["documents", "distances"],
        )
        return [int(one) for one in found["ids"][0]]


class Lance:
    package = "lancedb"
    hybrid = False

    def __init__(self, folder: Path, known: dict) -> None:  # noqa: ARG002
        import lancedb

        self._db = lancedb.connect(str(folder))
        self._table = None

    def add(self, first: int, texts: list[str], tenants: list[str], vectors) -> None:
        import pyarrow as pa

        rows = pa.table(
            {
                "id": pa.array(range(first, first + len(texts))),
                "text": texts,
                "tenant": tenants,
                "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1]),
            }
        )
        if self._table is None:
            self._table = self._db.create_table("memories", rows)
        else:
            self._table.add(rows)

    def ready(self) -> None:
        self._table.optimize()
        self._table.create_scalar_index("tenant")
        if self.hybrid:
            self._table.create_fts_index("text")

    def ask(self, text: str, vector, tenant: str) -> list[int]:
        asked = self._table.search(query_type="hybrid").vector(vector).text(text) if self.hybrid else None
        asked = asked or self._table.search(vector)
        asked = asked.distance_type("cosine").where(f"tenant = '{tenant}'", prefilter=True)
        return [row["id"] for row in asked.select(["id", "text"]).limit(LIMIT).to_list()]


class LanceHybrid(Lance):
    hybrid = True


class SqliteVec:
    """A table for all, with what sqlite-vec has for tenants: a partition key."""

    package = "sqlite-vec"

    def __init__(self, folder: Path, known: dict) -> None:  # noqa: ARG002
        import apsw
        import sqlite_vec

        self._db = apsw.Connection(str(folder / "rows.db"))
        self._db.enable_load_extension(True)
        self._db.load_extension(sqlite_vec.loadable_path())
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute(
            "CREATE VIRTUAL TABLE rows USING vec0(id INTEGER PRIMARY KEY, tenant TEXT PARTITION KEY, "
            "vector FLOAT[256] DISTANCE_METRIC=cosine, +text TEXT)"
        )

    def add(self, first: int, texts: list[str], tenants: list[str], vectors) -> None:
        with self._db:
            self._db.executemany(
                "INSERT INTO rows (id, tenant, vector, text) VALUES (?, ?, ?, ?)",
                [(first + at, tenants[at], vectors[at].tobytes(), text) for at, text in enumerate(texts)],
            )

    def ask(self, text: str, vector, tenant: str) -> list[int]:  # noqa: ARG002
        return [
            row[0]
            for row in self._db.execute(
                "SELECT id, text, distance FROM rows WHERE vector MATCH ? AND k = ? AND tenant = ?",
                (vector.tobytes(), LIMIT, tenant),
            )
        ]


class SqliteUsual(SqliteVec):
    """As most do it: shared tables, asked without the tenant and filtered after, joined by rank."""

    wide = 200

    def __init__(self, folder: Path, known: dict) -> None:
        super().__init__(folder, known)
        self._db.execute("CREATE VIRTUAL TABLE words USING fts5(text, tenant UNINDEXED)")

    def add(self, first: int, texts: list[str], tenants: list[str], vectors) -> None:
        super().add(first, texts, ["all"] * len(texts), vectors)
        with self._db:
            self._db.executemany(
                "INSERT INTO words (rowid, text, tenant) VALUES (?, ?, ?)",
                [(first + at, text, tenants[at]) for at, text in enumerate(texts)],
            )

    def ask(self, text: str, vector, tenant: str) -> list[int]:
        words = " OR ".join(word for word in text.split() if word.isalpha())
        by_words = self._db.execute(
            "SELECT rowid, text FROM words WHERE words MATCH ? AND tenant = ? ORDER BY rank LIMIT ?",
            (words, tenant, LIMIT * 2),
        ).fetchall()
        near = self._db.execute(
            "SELECT r.id, r.text FROM rows AS r JOIN words AS w ON w.rowid = r.id "
            "WHERE r.vector MATCH ? AND r.k = ? AND r.tenant = 'all' AND w.tenant = ? ORDER BY r.distance",
            (vector.tobytes(), self.wide, tenant),
        ).fetchall()
        scores: dict[int, float] = {}
        for found in (by_words, near):
            for rank, row in enumerate(found, 1):
                scores[row[0]] = scores.get(row[0], 0) + 1 / (60 + rank)
        return sorted(scores, key=lambda one: -scores[one])[:LIMIT]


class LangGraph:
    package = "langgraph-checkpoint-sqlite"

    def __init__(self, folder: Path, known: dict) -> None:
        import pysqlite3

        sys.modules["sqlite3"] = pysqlite3  # the interpreter's own may be built without extensions
        import sqlite3

        from langgraph.store.sqlite import SqliteStore

        def embed(texts: list[str]) -> list[list[float]]:
            plain = [json.loads(text)["text"] if text.startswith("{") else text for text in texts]
            return [known[text].tolist() for text in plain]

        link = sqlite3.connect(folder / "store.db", isolation_level=None, check_same_thread=False)
        self._store = SqliteStore(link, index={"dims": 256, "embed": embed, "fields": ["text"]})
        self._store.setup()

    def add(self, first: int, texts: list[str], tenants: list[str], vectors) -> None:  # noqa: ARG002
        from langgraph.store.base import PutOp

        self._store.batch(
            [
                PutOp((tenants[at], "memories"), str(first + at), {"text": text})
                for at, text in enumerate(texts)
            ]
        )

    def ask(self, text: str, vector, tenant: str) -> list[int]:  # noqa: ARG002
        return [int(one.key) for one in self._store.search((tenant, "memories"), query=text, limit=LIMIT)]


class Txtai:
    package = "txtai"
    hybrid = False

    def __init__(self, folder: Path, known: dict) -> None:  # noqa: ARG002
        import numpy as np
        from txtai import Embeddings

        self._rows = Embeddings(
            method="external",
            transform=lambda texts: np.array([known[text] for text in texts]),
            content=True,
            hybrid=self.hybrid,
        )
        self._pending: list = []

    def add(self, first: int, texts: list[str], tenants: list[str], vectors) -> None:  # noqa: ARG002
        rows = [(first + at, {"text": text, "tenant": tenants[at]}, None) for at, text in enumerate(texts)]
        self._pending += rows

    def ready(self) -> None:
        # In one go, since its default index is trained on the first batch.
        self._rows.index(self._pending)
        self._tenants = {row[1]["tenant"] for row in self._pending}

    def ask(self, text: str, vector, tenant: str) -> list[int]:  # noqa: ARG002
        narrowed = " and tenant = :tenant" if len(self._tenants) > 1 else ""
        found = self._rows.search(
            f"select id, text, score from txtai where similar(:asked){narrowed} limit {LIMIT}",  # noqa: S608
            parameters={"asked": text, "tenant": tenant},
        )
        return [int(row["id"]) for row in found]


class TxtaiHybrid(Txtai):
    hybrid = True


class Mem0:
    package = "mem0ai"

    def __init__(self, folder: Path, known: dict) -> None:
        os.environ |= {"OPENAI_API_KEY": "none", "MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder)}
        from langchain_core.embeddings import Embeddings
        from mem0 import Memory

        class Table(Embeddings):
            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return [known[text].tolist() for text in texts]

            def embed_query(self, text: str) -> list[float]:
                return known[text].tolist()

        place = {"path": str(folder / "q"), "on_disk": True, "embedding_model_dims": 256}
        self._memory = Memory.from_config(
            {
                "embedder": {"provider": "langchain", "config": {"model": Table()}},
                "vector_store": {"provider": "qdrant", "config": {**place, "collection_name": "memories"}},
                "history_db_path": str(folder / "history.db"),
            }
        )

    def add(self, first: int, texts: list[str], tenants: list[str], vectors) -> None:  # noqa: ARG002
        for at, text in enumerate(texts):
            self._memory.add(text, user_id=tenants[at], metadata={"row": first + at}, infer=False)

    def ask(self, text: str, vector, tenant: str) -> list[int]:  # noqa: ARG002
        found = self._memory.search(text, filters={"user_id": tenant}, top_k=LIMIT)
        return [one["metadata"]["row"] for one in found["results"]]


PEERS = {
    "Lukasa, vector": Lukasa,
    "Lukasa, hybrid": LukasaHybrid,
    "Chroma": Chroma,
    "LanceDB": Lance,
    "LanceDB, hybrid": LanceHybrid,
    "sqlite-vec, partition key": SqliteVec,
    "sqlite-vec + FTS5, shared tables": SqliteUsual,
    "LangGraph SqliteStore": LangGraph,
    "txtai": Txtai,
    "txtai, hybrid": TxtaiHybrid,
    "mem0 (Qdrant local)": Mem0,
}


def made(folder: Path, tenants: int, each: int) -> None:
    """The texts, questions and vectors of a case, and the exact answers."""
    import numpy as np

    from lukasa.bench.corpus import Corpus
    from lukasa.embed.bundled import BundledEmbedder

    texts = list(Corpus().texts(tenants * each))
    questions = Corpus(seed=2).questions(QUESTIONS)
    model = BundledEmbedder()
    vectors, asked = model.documents(texts), model.documents(questions)
    np.save(folder / "vectors.npy", vectors)
    np.save(folder / "asked.npy", asked)
    truth, owners = [], []
    for at, question in enumerate(asked):
        owner = at * 7919 % tenants
        near = vectors[owner * each : (owner + 1) * each] @ question
        truth.append([int(row) + owner * each for row in np.argsort(-near, kind="stable")[:LIMIT]])
        owners.append(tenant_name(owner))
    case = {"texts": texts, "questions": questions, "owners": owners, "truth": truth, "each": each}
    (folder / "case.json").write_text(json.dumps(case))


def measured(name: str, folder: Path, patience: float) -> dict:
    """One peer on one case."""
    if name.startswith("Lukasa"):
        # As in a program that has no other use for numpy: it is loaded as Lukasa wants it.
        import lukasa.matrices  # noqa: F401
    import numpy as np

    case = json.loads((folder / "case.json").read_text())
    vectors, asked = np.load(folder / "vectors.npy"), np.load(folder / "asked.npy")
    known = dict(zip(case["texts"] + case["questions"], [*vectors, *asked], strict=True))
    with tempfile.TemporaryDirectory() as place:
        peer = PEERS[name](Path(place), known)
        began = time.perf_counter()
        for first in range(0, len(vectors), BATCH):
            texts = case["texts"][first : first + BATCH]
            tenants = [tenant_name((first + at) // case["each"]) for at in range(len(texts))]
            peer.add(first, texts, tenants, vectors[first : first + BATCH])
            if time.perf_counter() - began > patience:
                return {PROBLEM: f"{first + len(texts):,} rows in {patience:.0f} s"}
        if hasattr(peer, "ready"):
            peer.ready()
        filled = time.perf_counter() - began
        # Every tenant is asked once before: what is measured is warm.
        for at, text in enumerate(case["questions"]):
            peer.ask(text, asked[at], case["owners"][at])
        taken, busy, right = [], [], []
        for at, text in enumerate(case["questions"]):
            start, cpu = time.perf_counter(), time.process_time()
            found = peer.ask(text, asked[at], case["owners"][at])
            taken.append((time.perf_counter() - start) * 1e3)
            busy.append((time.process_time() - cpu) * 1e3)
            right.append(len(set(found) & set(case["truth"][at])) / len(case["truth"][at]))
    taken.sort()
    return {
        "p50": round(taken[len(taken) // 2], 3),
        "p95": round(taken[int(len(taken) * 0.95)], 3),
        "cpu p50": round(median(busy), 3),
        # Where words have a say too, the ten nearest vectors are not what is wanted.
        "recall@10": None if "hybrid" in name or "FTS5" in name else round(mean(right), 4),
        "fill us": round(filled / len(vectors) * 1e6),
    }


def side_by_side(name: str, folder: Path, patience: float) -> dict:
    """The figures of one peer, from a process of its own."""
    words = [sys.executable, "-W", "ignore", __file__, "--one", name, "--case", str(folder)]
    try:
        done = subprocess.run(
            [*words, "--patience", str(patience)],
            capture_output=True,
            text=True,
            check=True,
            timeout=patience * 2 + 60,
        )
    except subprocess.TimeoutExpired:
        return {PROBLEM: f"not done in {patience * 2 + 60:.0f} s"}
    except subprocess.CalledProcessError as error:
        return {PROBLEM: error.stderr.strip().splitlines()[-1][:200]}
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--tenants", type=int, default=1_000)
    parser.add_argument("--each", type=int, default=100, help="entries of each tenant")
    parser.add_argument("--only", nargs="*", default=list(PEERS), help="names of peers")
    parser.add_argument("--patience", type=float, default=240, help="seconds to fill one store in")
    parser.add_argument("--out", type=Path, default=Path("peers.json"))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--case", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.one, options.case, options.patience)))
        return
    cases = [(f"{size:,} in one space", 1, size) for size in options.sizes]
    if options.tenants:
        cases.append((f"{options.tenants:,} tenants x {options.each:,}", options.tenants, options.each))
    report = {
        "cases": [case[0] for case in cases],
        "peers": [{"name": name, "version": version(PEERS[name].package)} for name in options.only],
        "figures": {name: {} for name in options.only},
    }
    for title, tenants, each in cases:
        with tempfile.TemporaryDirectory() as folder:
            made(Path(folder), tenants, each)
            for name in options.only:
                report["figures"][name][title] = side_by_side(name, Path(folder), options.patience)
                print(f"{title:<28} {name:<40} {report['figures'][name][title]}", flush=True)
        options.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
