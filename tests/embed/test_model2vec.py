"""Static models of model2vec, small enough to be made here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from model2vec import StaticModel
from tokenizers import Tokenizer

from lukasa.embed import Embedding
from lukasa.embed.model2vec import Model2VecEmbedder
from lukasa.embed.pulling import pull
from lukasa.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def static(tmp_path: Path, words: list[str], put_tokenizer: Callable[[Path], None]) -> Path:
    """A static model as its maker publishes it."""
    folder = tmp_path / "potion-tiny"
    folder.mkdir()
    put_tokenizer(folder)
    vectors = np.random.default_rng(3).normal(size=(len(words), 6)).astype(np.float32)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    StaticModel(vectors, tokenizer, config={"normalize": True}, normalize=True).save_pretrained(folder)
    return folder


def test_vectors_are_the_models_own(static: Path) -> None:
    embedder = Model2VecEmbedder(str(static))
    wanted = StaticModel.from_pretrained(static).encode(["the cat sleeps", "dog"])
    assert np.allclose(embedder.documents(["the cat sleeps", "dog"]), wanted, atol=1e-6)
    assert (embedder.dimensions, embedder.remote) == (6, False)
    assert np.array_equal(embedder.query("dog"), embedder.documents(["dog"])[0])


def test_what_it_knows_nothing_of_is_zero(static: Path) -> None:
    embedder = Model2VecEmbedder(str(static))
    assert not embedder.documents([""]).any()
    assert embedder.documents([]).shape == (0, 6)


def test_filling_up_changes_no_cosine(static: Path) -> None:
    plain, filled = Model2VecEmbedder(str(static)), Model2VecEmbedder(f"{static}+10")
    assert filled.dimensions == 10
    assert np.allclose(plain.query("cat") @ plain.query("dog"), filled.query("cat") @ filled.query("dog"))
    assert plain.identity.startswith("model2vec:potion-tiny@")
    assert filled.identity == plain.identity.replace("@", "+10@")
    with pytest.raises(UsageError, match="vectors of 6"):
        Model2VecEmbedder(f"{static}+4")


def test_it_is_installed_and_used_by_name(static: Path) -> None:
    got = pull(str(static))
    assert got.setting == "model2vec:potion-tiny"
    found = Embedding(got.setting).for_store(None)
    assert found is not None
    assert found.identity == f"model2vec:potion-tiny@{got.sha256[:12]}"


def test_a_name_that_is_not_here_is_not_looked_for_elsewhere() -> None:
    with pytest.raises(NotFoundError, match="model2vec model 'minishlab/potion-none'"):
        Model2VecEmbedder("minishlab/potion-none")
