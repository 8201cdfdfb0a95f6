"""Static models of model2vec, such as potion-base-8M: from a folder, or by name where they are here already.

`NAME+768` fills a model's vectors up with zeros to 768 numbers, for a store that was made so; it changes no
cosine. Nothing is fetched: a name is looked for among the installed models and in the cache of the model hub.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, cast

from lukasa.embed.hashed import unit
from lukasa.embed.models import Found, find_model
from lukasa.errors import MissingExtraError, NotFoundError, UsageError
from lukasa.matrices import np

try:
    from huggingface_hub import snapshot_download  # pyright: ignore[reportUnknownVariableType]
    from model2vec import StaticModel
except ImportError as error:
    raise MissingExtraError(wanted="A model2vec model", extra="model2vec") from error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.matrices import Matrix, Vector

_SHOWN = 12


class Model2VecEmbedder:
    """A table of vectors, one for each piece of a word."""

    remote = False

    def __init__(self, model: str) -> None:
        name, padded = _named(model)
        found = _find(name)
        digest = hashlib.sha256(found.file.read_bytes()).hexdigest()[:_SHOWN]
        self._model = StaticModel.from_pretrained(found.folder)
        self.dimensions = padded or self._model.dim
        if self.dimensions < self._model.dim:
            raise UsageError(
                f"{name} makes vectors of {self._model.dim}; they cannot be filled up to {padded}.",
                fix=f"Leave +{padded} out.",
            )
        self.identity = f"model2vec:{found.name}{f'+{padded}' if padded else ''}@{digest}"

    def documents(self, texts: Sequence[str]) -> Matrix:
        """A row for each text; zeros where nothing of it is known."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if texts:
            found = cast("Matrix", self._model.encode(list(texts), use_multiprocessing=False))
            rows[:, : self._model.dim] = np.nan_to_num(found)
        return unit(rows)

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        return self.documents([text])[0]


def _named(model: str) -> tuple[str, int | None]:
    name, plus, padded = model.rpartition("+")
    return (name, int(padded)) if plus and padded.isdecimal() else (model, None)


def _find(name: str) -> Found:
    try:
        return find_model("model2vec", name)
    except NotFoundError as missing:
        try:
            cached = snapshot_download(name, local_files_only=True)
        except (OSError, ValueError):
            raise missing from None
        found = find_model("model2vec", cached)
        return Found(name=name, folder=found.folder, file=found.file)
