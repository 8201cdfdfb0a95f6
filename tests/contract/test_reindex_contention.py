"""A reindex among real writers, and one that is really killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

import lukasa
from lukasa.config import Settings
from lukasa.errors import EmbeddingModelChangedError

if TYPE_CHECKING:
    from lukasa.memory import Store

pytestmark = pytest.mark.slow

WRITERS = 3
REINDEX = """
    import sys, lukasa

    def told(done, of):
        print(done, of, flush=True)

    lukasa.open(sys.argv[1]).reindex(model="hashed:64", progress=told)
"""


def opened(location: str, embedding: str) -> Store:
    return lukasa.open(location, settings=Settings(embedding=embedding))


def test_writers_in_between_leave_no_gap(location: str) -> None:
    with closing(opened(location, "hashed:32")) as store:
        for number in range(300):
            store.agent("ana").remember(f"Note {number}.")

    def write(writer: int) -> int:
        """Writes until the model is another, each time into a space of two; how often it could."""
        with closing(opened(location, "hashed:32")) as store:
            for number in range(20_000):
                handle = store.agent(("ana", f"writer{writer}")[number % 2])
                try:
                    entry = handle.remember(f"Writer {writer} says {number}.")
                    if number % 5 == 0:
                        handle.write(entry.id, f"Writer {writer} corrects {number}.")
                except EmbeddingModelChangedError:
                    return number
        return -1

    with ThreadPoolExecutor(WRITERS) as pool:
        writers = [pool.submit(write, writer) for writer in range(WRITERS)]
        with closing(opened(location, "default")) as store:
            done = store.reindex(model="hashed:64")
            counts = [writer.result() for writer in writers]
            assert min(counts) > 0, "every writer wrote, and none went on with the old model"
            state = store.index_state()
            assert done.removed >= 300
            assert (state.model, state.coming, state.without_vector) == ("hashed:64@1", None, 0)
            assert store.check().problems == ()


def test_one_that_is_killed_goes_on_where_it_was(location: str) -> None:
    with closing(opened(location, "hashed:32")) as store:
        with store.transaction():
            for number in range(1_500):
                store.agent("ana").remember(f"Note {number} of many.")
        for lines in (1, 14, 18, 22):
            with subprocess.Popen(
                [sys.executable, "-c", dedent(REINDEX), location], stdout=subprocess.PIPE, text=True
            ) as process:
                assert process.stdout is not None
                told = [process.stdout.readline() for _ in range(lines)]
                process.send_signal(signal.SIGKILL)
            assert told
            assert store.check().problems == ()
            if store.index_state().model == "hashed:32@1":
                assert store.agent("ana").recall("Note 7", observe=False).hits
    with closing(opened(location, "default")) as store:
        done = store.reindex()
        state = store.index_state()
        assert done.vectors < 1_500, "what was made before the kills is not made again"
        assert (state.model, state.coming, state.without_vector) == ("hashed:64@1", None, 0)
        assert state.pieces == 1_500
        assert store.check().problems == ()
