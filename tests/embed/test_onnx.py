"""An encoder as an ONNX file: made from safetensors, to the byte the same, and run."""

from __future__ import annotations

import hashlib
import json
from math import erf, sqrt
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
import pytest

from lukasa.embed import Embedding
from lukasa.embed.bert import encoder, is_bert, read_tensors
from lukasa.embed.onnx import OnnxEmbedder
from lukasa.embed.pulling import pull
from lukasa.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Tensors = dict[str, NDArray[np.float32]]

WIDTH, LAYERS, HEADS = 8, 2, 2
MADE = "cd9983e53fb6c97813f3cb6d9d8a1b461dbce5a879f65dea2eddc256fda195dd"


def meant(tensors: Tensors, rows_of_words: list[int]) -> NDArray[np.float32]:
    """What the encoder should give, worked out in real numbers."""

    def normed(rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        spread = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-12)
        return spread * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]

    def linear(rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        return rows @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    def by_head(rows: NDArray[np.float32]) -> NDArray[np.float32]:
        return rows.reshape(len(rows_of_words), HEADS, -1).transpose(1, 0, 2)

    rows = tensors["embeddings.word_embeddings.weight"][rows_of_words]
    rows = rows + tensors["embeddings.position_embeddings.weight"][: len(rows_of_words)]
    rows = normed(rows + tensors["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        query, key, value = (
            by_head(linear(rows, f"{name}attention.self.{part}")) for part in ("query", "key", "value")
        )
        shares = np.exp(query @ key.transpose(0, 2, 1) / sqrt(WIDTH / HEADS))
        shares /= shares.sum(-1, keepdims=True)
        mixed = (shares @ value).transpose(1, 0, 2).reshape(len(rows_of_words), WIDTH)
        out = linear(mixed, f"{name}attention.output.dense") + rows
        rows = normed(out, f"{name}attention.output.LayerNorm")
        inner = linear(rows, f"{name}intermediate.dense")
        bent = inner * 0.5 * (1 + np.vectorize(erf)(inner / sqrt(2)))
        rows = normed(linear(bent, f"{name}output.dense") + rows, f"{name}output.LayerNorm")
    mean = rows.mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_an_encoder_in_eight_bits_says_almost_what_it_said_before(
    bert: Path, tensors: Tensors, words: list[str]
) -> None:
    pull(str(bert))
    embedder = OnnxEmbedder("tiny-bert")
    texts = ["the cat sleeps", "a red house is near the sea", "dog"]
    found = embedder.documents(texts)
    assert found.shape == (3, WIDTH)
    for text, vector in zip(texts, found, strict=True):
        assert vector @ meant(tensors, [words.index(word) for word in text.split()]) > 0.99, text


def test_the_same_weights_give_the_same_file_to_the_byte(bert: Path, tensors: Tensors) -> None:
    read = read_tensors(bert / "model.safetensors")
    assert is_bert(read)
    made = encoder(read, heads=HEADS)
    assert made == encoder(tensors, heads=HEADS)
    assert hashlib.sha256(made).hexdigest() == MADE, "a model that is pinned by its SHA-256 would differ too"


def test_a_text_has_the_same_vector_alone_and_among_others(bert: Path) -> None:
    pull(str(bert))
    embedder = OnnxEmbedder("tiny-bert")
    texts = ["the cat", "a red house is near the sea", "dog"]
    together = embedder.documents(texts)
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(embedder.documents([text])[0], vector)
        assert np.array_equal(embedder.query(text), vector)
    assert np.allclose(np.linalg.norm(together, axis=1), 1)
    assert embedder.documents([]).shape == (0, WIDTH)
    assert together.dtype == np.float32


def test_a_text_that_is_too_long_is_cut(bert: Path) -> None:
    pull(str(bert))
    embedder = OnnxEmbedder("tiny-bert")
    assert np.array_equal(embedder.query("cat " * 12), embedder.query("cat " * 500))
    assert not np.array_equal(embedder.query("cat " * 11), embedder.query("cat dog" * 6))


def test_the_identity_is_the_name_and_the_file(
    bert: Path, home: Path, tensors: Tensors, put_tensors: Callable[[Tensors, Path], None]
) -> None:
    got = pull(str(bert), name="mine")
    by_name, by_path = OnnxEmbedder("mine"), OnnxEmbedder(str(home / "mine"))
    assert by_name.identity == by_path.identity == f"onnx:mine@{got.sha256[:12]}"
    tensors["embeddings.LayerNorm.bias"] += 1
    put_tensors(tensors, bert / "model.safetensors")
    pull(str(bert), name="other")
    assert OnnxEmbedder("other").identity.partition("@")[2] != by_name.identity.partition("@")[2]


def test_a_published_folder_is_used_where_it_lies(bert: Path, home: Path, tmp_path: Path) -> None:
    pull(str(bert))
    there = tmp_path / "elsewhere"
    (there / "onnx").mkdir(parents=True)
    (home / "tiny-bert" / "model.onnx").rename(there / "onnx" / "model.onnx")
    (home / "tiny-bert" / "tokenizer.json").rename(there / "tokenizer.json")
    whole, file = OnnxEmbedder(str(there)), OnnxEmbedder(str(there / "onnx" / "model.onnx"))
    assert whole.identity == file.identity
    assert whole.identity.startswith("onnx:elsewhere@")
    assert np.array_equal(whole.query("cat"), file.query("cat"))


def test_the_first_token_stands_for_all_where_the_model_says_so(bert: Path) -> None:
    (bert / "1_Pooling").mkdir()
    (bert / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}', encoding="utf-8")
    pull(str(bert), name="first")
    (bert / "1_Pooling" / "config.json").unlink()
    pull(str(bert), name="mean")
    first, mean = OnnxEmbedder("first"), OnnxEmbedder("mean")
    assert np.allclose(first.query("cat"), mean.query("cat"), atol=1e-6)
    assert not np.allclose(first.query("cat dog"), mean.query("cat dog"), atol=1e-3)


def test_what_is_not_there_is_named_with_what_is(bert: Path) -> None:
    pull(str(bert))
    with pytest.raises(NotFoundError, match=r"onnx model 'tiny-brt'.*'tiny-bert'"):
        OnnxEmbedder("tiny-brt")


def test_a_file_that_is_no_model_is_refused(bert: Path, home: Path) -> None:
    pull(str(bert))
    (home / "tiny-bert" / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(UsageError, match=r"model\.onnx is not an ONNX model"):
        OnnxEmbedder("tiny-bert")


def test_questions_are_remembered(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pull(str(bert))
    embedder = Embedding("onnx:tiny-bert").for_store(None)
    assert embedder is not None
    first = embedder.query("the cat")
    monkeypatch.setattr(onnxruntime.InferenceSession, "run", None)
    assert embedder.query("the cat") is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1
    with pytest.raises(TypeError):
        embedder.query("the dog")


def test_the_record_tells_where_a_model_came_from(bert: Path, home: Path) -> None:
    got = pull(str(bert))
    record = json.loads((home / "tiny-bert" / "lukasa.json").read_text(encoding="utf-8"))
    assert (record["provider"], record["source"]) == ("onnx", str(bert))
    assert record["files"]["model.onnx"] == got.sha256
    assert set(record["files"]) == {
        "model.onnx",
        "tokenizer.json",
        "config.json",
        "sentence_bert_config.json",
    }
