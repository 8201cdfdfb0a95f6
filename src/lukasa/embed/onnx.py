"""Any encoder that comes as an ONNX file with its `tokenizer.json`: run here, offline, on the processor.

A vector is the mean of its tokens' (or the first one's, where the model's own files say so), of length one.
Texts are run one at a time: a model in eight bits rounds by what else is in its batch, and then a text would
not have the same vector alone and among others. Which file it was is part of the identity: its SHA-256.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, cast

from lukasa.embed.hashed import unit
from lukasa.embed.models import find_model
from lukasa.errors import MissingExtraError, UsageError
from lukasa.matrices import np

try:
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as failures
    from tokenizers import Tokenizer
except ImportError as error:
    raise MissingExtraError(wanted="An ONNX model", extra="onnx") from error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lukasa.matrices import Matrix, Vector

_LONGEST = 512
_SHOWN = 12
_POOLED = 2
_FAILURES = (failures.Fail, failures.InvalidGraph, failures.InvalidProtobuf, failures.NotImplemented)


class OnnxEmbedder:
    """One ONNX file, and the tokenizer beside it."""

    remote = False

    def __init__(self, model: str) -> None:
        found = find_model("onnx", model)
        content = found.file.read_bytes()
        self.identity = f"onnx:{found.name}@{hashlib.sha256(content).hexdigest()[:_SHOWN]}"
        self._tokenizer = _tokenizer(found.folder)
        self._first_only = _first_only(found.folder)
        self._session = _session(content, found.file)
        self._inputs = [one.name for one in self._session.get_inputs()]
        outputs = [one.name for one in self._session.get_outputs()]
        self._output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
        self.dimensions = len(self._vector("a"))

    def documents(self, texts: Sequence[str]) -> Matrix:
        """A row for each text."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            rows[row] = self._vector(text)
        return unit(rows)

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        return self.documents([text])[0]

    def _vector(self, text: str) -> Vector:
        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        known = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        given = {name: known[name] for name in self._inputs}
        found = cast("Matrix", self._session.run([self._output], given)[0])
        if found.ndim == _POOLED:
            return found[0]
        return found[0, 0] if self._first_only else found[0].mean(axis=0)


def _tokenizer(folder: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    longest = _setting(folder / "sentence_bert_config.json", "max_seq_length")
    tokenizer.no_padding()
    most = longest if isinstance(longest, int) else _LONGEST
    tokenizer.enable_truncation(most)  # pyright: ignore[reportUnknownMemberType]
    return tokenizer


def _first_only(folder: Path) -> bool:
    return _setting(folder / "1_Pooling" / "config.json", "pooling_mode_cls_token") is True


def _setting(file: Path, name: str) -> object:
    """What one of a model's own files says; None where it says nothing."""
    if not file.is_file():
        return None
    return cast("dict[str, object]", json.loads(file.read_text(encoding="utf-8"))).get(name)


def _session(content: bytes, file: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # One thread: on texts as short as ours a second one costs more than it brings.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except _FAILURES as error:
        raise UsageError(
            f"{file} is not an ONNX model that can be run here.", fix="Check the file."
        ) from error
    strange = {one.name for one in session.get_inputs()} - {"input_ids", "attention_mask", "token_type_ids"}
    if strange:
        raise UsageError(
            f"{file} wants {', '.join(sorted(strange))}, which an encoder of text does not.",
            fix="Choose an encoder, such as all-MiniLM-L6-v2.",
        )
    return session
