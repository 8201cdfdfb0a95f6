"""Models small enough to be made for a test, and real all the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    Tensors = dict[str, NDArray[np.float32]]

WORDS = ["[PAD]", "[UNK]", "the", "cat", "dog", "sea", "near", "is", "sleeps", "a", "house", "red"]
WIDTH, INNER, LAYERS, HEADS, PLACES = 8, 16, 2, 2, 20


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder that no other test has seen."""
    folder = tmp_path / "home"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    monkeypatch.setenv("HOME", str(folder))
    return folder / "lukasa" / "models"


def save_tensors(tensors: Tensors, path: Path) -> None:
    """A safetensors file."""
    head: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, values in tensors.items():
        content = values.astype("<f4").tobytes()
        offsets = [len(body), len(body) + len(content)]
        head[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": offsets}
        body += content
    text = json.dumps(head).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def save_tokenizer(folder: Path) -> None:
    tokenizer = Tokenizer(WordPiece({word: row for row, word in enumerate(WORDS)}, unk_token="[UNK]"))  # noqa: S106 - a token of words
    tokenizer.normalizer = Lowercase()  # pyright: ignore[reportAttributeAccessIssue]
    tokenizer.pre_tokenizer = Whitespace()  # pyright: ignore[reportAttributeAccessIssue]
    tokenizer.enable_padding(length=10)  # pyright: ignore[reportUnknownMemberType] - as published files have it
    tokenizer.save(str(folder / "tokenizer.json"))


@pytest.fixture
def words() -> list[str]:
    """The words that the small models know."""
    return WORDS


@pytest.fixture
def put_tokenizer() -> Callable[[Path], None]:
    """Writes the tokenizer of the small models into a folder."""
    return save_tokenizer


@pytest.fixture
def tensors() -> Tensors:
    """The weights of the small encoder."""
    return bert_tensors()


@pytest.fixture
def put_tensors() -> Callable[[Tensors, Path], None]:
    """Writes a safetensors file."""
    return save_tensors


def bert_tensors() -> Tensors:
    made = 0

    def some(*shape: int) -> NDArray[np.float32]:
        """Numbers that look like chance and are the same everywhere, to the last bit."""
        nonlocal made
        first, made = made, made + int(np.prod(shape))
        whole = np.arange(first, made, dtype=np.int64) * 7_919 % 1_009
        return ((whole - 504) / 504).astype(np.float32).reshape(shape)

    tensors: Tensors = {
        "embeddings.word_embeddings.weight": some(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": some(PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
        "embeddings.LayerNorm.weight": np.float32(1) + some(WIDTH) / np.float32(10),
        "embeddings.LayerNorm.bias": some(WIDTH) / np.float32(10),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            tensors[f"{name}attention.{part}.weight"] = some(WIDTH, WIDTH)
            tensors[f"{name}attention.{part}.bias"] = some(WIDTH)
        tensors[f"{name}intermediate.dense.weight"] = some(INNER, WIDTH)
        tensors[f"{name}intermediate.dense.bias"] = some(INNER)
        tensors[f"{name}output.dense.weight"] = some(WIDTH, INNER)
        tensors[f"{name}output.dense.bias"] = some(WIDTH)
        for norm in ("attention.output.LayerNorm", "output.LayerNorm"):
            tensors[f"{name}{norm}.weight"] = np.float32(1) + some(WIDTH) / np.float32(10)
            tensors[f"{name}{norm}.bias"] = some(WIDTH) / np.float32(10)
    return tensors


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    """A folder as an encoder is published: safetensors, settings, tokenizer."""
    folder = tmp_path / "tiny-bert"
    folder.mkdir()
    save_tensors(bert_tensors(), folder / "model.safetensors")
    save_tokenizer(folder)
    settings = {"num_attention_heads": HEADS, "hidden_act": "gelu"}
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 12}', encoding="utf-8")
    return folder
