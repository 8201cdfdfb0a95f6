"""Models that are asked over a network, through pydantic-ai: `openai:text-embedding-3-small` and its like.

Always true: nothing is imported or asked before the first text; how many numbers its vectors have is known
after the first answer; what passes (too many requests, a server in trouble, no connection) is tried again a
few times; what does not is an error that says so, and no other answer is given in its place.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from typing import TYPE_CHECKING

from lukasa.embed.hashed import unit
from lukasa.errors import LukasaError, MissingExtraError, UsageError
from lukasa.matrices import np

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from pydantic_ai import Embedder as Asked
    from pydantic_ai.embeddings import EmbeddingModel, EmbeddingResult

    from lukasa.matrices import Matrix, Vector

BATCH = 64
_WAITS = (0.5, 2.0)
# Who asks a question waits; who has texts to be embedded has time.
_PATIENCE, _PATIENCE_OF_ASKER = 60.0, 10.0
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class RemoteEmbedder:
    """A model of pydantic-ai's, by its name there, or as it was made."""

    remote = True

    def __init__(self, model: str | EmbeddingModel, *, wait: Callable[[float], None] = time.sleep) -> None:
        self._model = model
        named = model if isinstance(model, str) else f"{model.system}:{model.model_name}"
        self.identity = f"{named}@1"
        self.dimensions = 0
        self._wait = wait
        self._line: _Line | None = None

    def documents(self, texts: Sequence[str]) -> Matrix:
        """A row for each text, asked for in batches."""
        asked, line = self._asked(), self._open_line()
        found = [
            self._answer(
                lambda batch=texts[start : start + BATCH]: line.ask(asked.embed_documents(batch), _PATIENCE)
            )
            for start in range(0, len(texts), BATCH)
        ]
        return np.concatenate(found) if found else np.zeros((0, self.dimensions), dtype=np.float32)

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        asked, line = self._asked(), self._open_line()
        return self._answer(lambda: line.ask(asked.embed_query(text), _PATIENCE_OF_ASKER))[0]

    def _asked(self) -> Asked:
        try:
            from pydantic_ai import Embedder  # noqa: PLC0415 - takes a second, and only some need it
        except ImportError as error:
            raise MissingExtraError(wanted=f"The model {self.identity}", extra="agent") from error
        return Embedder(self._model)

    def _open_line(self) -> _Line:
        if self._line is None or self._line.process != os.getpid():
            self._line = _Line()
        return self._line

    def _answer(self, ask: Callable[[], EmbeddingResult]) -> Matrix:
        from pydantic_ai.exceptions import AgentRunError, UserError  # noqa: PLC0415 - see above

        for wait in (*_WAITS, None):
            try:
                rows = np.array(ask().embeddings, dtype=np.float32)
            except (UserError, ImportError, ValueError) as error:
                raise UsageError(
                    f"{self._named()} cannot be asked: {error}", fix="See its provider's own documents."
                ) from error
            except (AgentRunError, OSError) as error:
                if wait is None or not _passes(error):
                    raise LukasaError(
                        f"{self._named()} did not answer: {error}", fix="Try again later."
                    ) from error
                self._wait(wait)
            else:
                self.dimensions = rows.shape[1]
                return unit(rows)
        raise AssertionError

    def _named(self) -> str:
        return f"The model {self.identity.rpartition('@')[0]}"


def _passes(error: Exception) -> bool:
    """Whether it may go better the next time; who let all the time pass is not waited for again."""
    return not isinstance(error, TimeoutError) and getattr(error, "status_code", 503) in _PASSING


class _Line(threading.Thread):
    """A loop of its own, so that it can be asked from a thread that runs one already."""

    def __init__(self) -> None:
        super().__init__(name="lukasa-embedding", daemon=True)
        self.process = os.getpid()
        self._loop = asyncio.new_event_loop()
        self.start()

    def run(self) -> None:
        self._loop.run_forever()

    def ask(self, question: Coroutine[object, object, EmbeddingResult], patience: float) -> EmbeddingResult:
        """What it answers within so many seconds; what is not waited for any more is given up."""
        asked = asyncio.run_coroutine_threadsafe(question, self._loop)
        try:
            return asked.result(timeout=patience)
        except TimeoutError:
            asked.cancel()
            raise
