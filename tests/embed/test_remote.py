"""Remote models through pydantic-ai, with its own test model and servers that fail in its own ways."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest
from pydantic_ai.embeddings import EmbeddingResult, TestEmbeddingModel
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError

from lukasa.embed import Embedding
from lukasa.embed.embedder import Remembering
from lukasa.embed.remote import BATCH, RemoteEmbedder
from lukasa.errors import LukasaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai.embeddings import EmbeddingSettings
    from pydantic_ai.embeddings.result import EmbedInputType


class Served(TestEmbeddingModel):
    """The test model, failing first as it is told to, and noting what it was asked."""

    def __init__(self, *failures: Exception) -> None:
        super().__init__("small", provider_name="served", dimensions=5)
        self.failures = list(failures)
        self.asked: list[tuple[str, int]] = []

    async def embed(
        self,
        inputs: str | Sequence[str],
        *,
        input_type: EmbedInputType,
        settings: EmbeddingSettings | None = None,
    ) -> EmbeddingResult:
        found = await super().embed(inputs, input_type=input_type, settings=settings)
        self.asked.append((input_type, len(found.inputs)))
        if self.failures:
            raise self.failures.pop(0)
        return found


def busy(status: int) -> ModelHTTPError:
    return ModelHTTPError(status_code=status, model_name="small", body="no")


def test_vectors_come_in_batches_and_have_length_one() -> None:
    served = Served()
    embedder = RemoteEmbedder(served)
    assert (embedder.identity, embedder.dimensions, embedder.remote) == ("served:small@1", 0, True)
    found = embedder.documents([f"text {number}" for number in range(BATCH + 3)])
    assert found.shape == (BATCH + 3, 5)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert served.asked == [("document", BATCH), ("document", 3)]
    assert embedder.dimensions == 5
    assert embedder.documents([]).shape == (0, 5)


def test_a_question_is_asked_as_a_question_and_remembered() -> None:
    served = Served()
    embedder = Remembering(RemoteEmbedder(served), most=2)
    for question in ("one", "one", "two", "one", "three", "two"):
        embedder.query(question)
    assert served.asked == [("query", 1)] * 4, "two was asked for least lately when three came"


@pytest.mark.parametrize("failure", [busy(429), busy(503), ModelAPIError("small", "connection lost")])
def test_what_passes_is_tried_again(failure: Exception) -> None:
    waited: list[float] = []
    served = Served(failure, failure)
    embedder = RemoteEmbedder(served, wait=waited.append)
    assert embedder.query("x").shape == (5,)
    assert (len(served.asked), waited) == (3, [0.5, 2.0])


@pytest.mark.parametrize(("failures", "asked"), [([busy(401)], 1), ([busy(503)] * 3, 3)])
def test_what_does_not_pass_is_an_error_that_names_the_model(failures: list[Exception], asked: int) -> None:
    served = Served(*failures)
    embedder = RemoteEmbedder(served, wait=lambda _: None)
    with pytest.raises(LukasaError, match="The model served:small did not answer"):
        embedder.documents(["x"])
    assert len(served.asked) == asked
    assert embedder.dimensions == 0


@pytest.mark.parametrize("setting", ["nobody:model", "openai:text-embedding-3-small"])
def test_a_model_that_cannot_be_asked_says_why(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    embedder = Embedding(setting).for_store(None)
    assert embedder is not None
    assert embedder.identity == f"{setting}@1"
    with pytest.raises(UsageError, match=f"The model {setting} cannot be asked"):
        embedder.query("x")


def test_it_can_be_asked_from_within_a_running_loop() -> None:
    embedder = RemoteEmbedder(Served())

    async def ask() -> int:
        return len(embedder.query("x"))

    assert asyncio.run(ask()) == 5


def test_it_can_be_asked_after_a_fork() -> None:
    embedder = RemoteEmbedder(Served())
    embedder.query("before")
    child = os.fork()
    if child == 0:
        os._exit(0 if len(embedder.query("after")) == 5 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_who_does_not_answer_a_question_in_time_is_not_waited_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Silent(Served):
        given_up = threading.Event()

        async def embed(
            self,
            inputs: str | Sequence[str],
            *,
            input_type: EmbedInputType,
            settings: EmbeddingSettings | None = None,
        ) -> EmbeddingResult:
            assert not settings
            self.asked.append((input_type, len([inputs])))
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.given_up.set()
                raise
            raise AssertionError

    monkeypatch.setattr("lukasa.embed.remote._PATIENCE_OF_ASKER", 0.01)
    silent = Silent()
    with pytest.raises(LukasaError, match="did not answer"):
        RemoteEmbedder(silent).query("x")
    assert silent.asked == [("query", 1)]
    assert silent.given_up.wait(10)
