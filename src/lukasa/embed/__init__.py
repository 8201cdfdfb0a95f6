"""Models of meaning: which one a setting means, opened when it is first needed.

A setting is a word with, for some, a colon and the model: `default` (the store's own model, or the bundled
one), `none` (words only), `bundled`, `hashed`, `hashed:64`, `onnx:NAME`, `model2vec:NAME` (an installed
model, or the path of one), or what pydantic-ai calls an embedding model (`openai:text-embedding-3-small`),
which is asked over the network.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from lukasa.embed.embedder import Remembering
from lukasa.errors import UsageError

if TYPE_CHECKING:
    from lukasa.embed.embedder import Embedder

DEFAULT, NONE = "default", "none"


class Embedding:
    """The embedder that a store was opened with. Loading one takes a moment, so that waits."""

    def __init__(self, setting: str | Embedder = DEFAULT) -> None:
        self.setting = setting if isinstance(setting, str) else setting.identity
        self._opened: dict[str, Embedder] = {} if isinstance(setting, str) else {setting.identity: setting}
        self._lock = threading.Lock()

    def for_store(self, stored: str | None) -> Embedder | None:
        """The embedder to use on a store whose vectors are by the model `stored`, or has none yet."""
        if self.setting == NONE:
            return None
        named = self.setting
        if named == DEFAULT:
            named = stored.rpartition("@")[0] if stored else "bundled"
        return self.open(named)

    def follow(self, setting: str) -> None:
        """From now on this model is meant, as if the store had been opened with it."""
        self.setting = setting

    def open(self, setting: str) -> Embedder:
        """The embedder of a setting, the same one each time."""
        with self._lock:
            if setting not in self._opened:
                self._opened[setting] = _open(setting)
            return self._opened[setting]


def _open(setting: str) -> Embedder:
    """The embedder that a setting names; what it needs is imported only now."""
    provider, _, model = setting.partition(":")
    if provider in {"bundled", "lukasa"}:
        from lukasa.embed.bundled import BundledEmbedder  # noqa: PLC0415

        return BundledEmbedder()
    if provider == "hashed":
        from lukasa.embed.hashed import DIMENSIONS, HashedEmbedder  # noqa: PLC0415

        return HashedEmbedder(_whole(model) if model else DIMENSIONS)
    if provider == "onnx" and model:
        from lukasa.embed.onnx import OnnxEmbedder  # noqa: PLC0415

        return Remembering(OnnxEmbedder(model))
    if provider == "model2vec" and model:
        from lukasa.embed.model2vec import Model2VecEmbedder  # noqa: PLC0415

        return Remembering(Model2VecEmbedder(model))
    if provider and model:
        from lukasa.embed.remote import RemoteEmbedder  # noqa: PLC0415

        return Remembering(RemoteEmbedder(setting))
    raise UsageError(
        f"An embedding model was wanted, found {setting!r}.",
        fix="Choose default, none, bundled, hashed, onnx:NAME, model2vec:NAME, or PROVIDER:MODEL.",
    )


def _whole(text: str) -> int:
    if text.isdecimal() and int(text):
        return int(text)
    raise UsageError(f"A number of dimensions was wanted, found {text!r}.", fix="Write hashed:256.")
