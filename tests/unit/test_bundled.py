"""The bundled model: whole numbers, unit lengths, words it knows and words it does not, and its files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from lukasa.embed.bundled import BundledEmbedder

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / "src" / "lukasa" / "embed" / "weights"
SUMS = (ROOT / "tools" / "distill" / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
RECORDED = {name: digest for digest, _, name in (line.partition("  ") for line in SUMS)}


@pytest.fixture(scope="module")
def model() -> BundledEmbedder:
    return BundledEmbedder()


def near(model: BundledEmbedder, one: str, other: str) -> float:
    return float(model.query(one) @ model.query(other))


def test_it_is_local_and_says_which_it_is(model: BundledEmbedder) -> None:
    assert (model.identity, model.remote, model.dimensions) == ("bundled@1", False, 256)


@pytest.mark.parametrize("name", ["vocab.txt", "weights.npy", "scales.npy"])
def test_the_files_are_those_that_the_tool_makes(name: str) -> None:
    assert hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() == RECORDED[name], "run tools/distill"


def test_the_files_take_no_more_than_twelve_megabytes() -> None:
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) <= 12_000_000


@pytest.mark.parametrize("text", ["cat", "She moved to Madrid in May.", "the of and", "word " * 50_000])
def test_a_vector_has_length_one(model: BundledEmbedder, text: str) -> None:
    vector = model.query(text)
    assert vector.dtype == np.float32
    assert vector.shape == (256,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_a_text_has_the_same_vector_alone_and_among_others(model: BundledEmbedder) -> None:
    texts = ["a dog in the park", "", "Wo wohnt sie?", "我住在东京", "a dog in the park"]
    rows = model.documents(texts)
    assert all(np.array_equal(rows[row], model.query(text)) for row, text in enumerate(texts))
    assert np.array_equal(rows, BundledEmbedder().documents(texts))


def test_no_texts_make_no_rows(model: BundledEmbedder) -> None:
    assert model.documents([]).shape == (0, 256)


@pytest.mark.parametrize("text", ["", " \n", "?!", "\U0001f600", "x" * 101, "ᚠᚢᚦ"])
def test_a_text_without_a_known_word_is_all_zeros(model: BundledEmbedder, text: str) -> None:
    assert not model.query(text).any()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("café in Málaga", "cafe in malaga"),
        ("THE DOG", "the dog"),
        ("the dog, the cat", "cat the! dog the"),
        ("caf\u00e9", "cafe\u0301"),
        ("dog\x00", "dog"),
        ("日本", "日 本"),
    ],
)
def test_what_differs_only_in_its_writing_is_the_same(model: BundledEmbedder, one: str, other: str) -> None:
    assert model.query(one).any()
    assert np.array_equal(model.query(one), model.query(other))


@pytest.mark.parametrize(
    ("text", "close", "far"),
    [
        ("dog", "puppy", "mortgage"),
        ("Where does she work?", "She has a job at a hospital.", "We had pasta for dinner."),
        ("divorce", "the end of their marriage", "a recipe for bread"),
        ("What car does he drive?", "He bought a used Toyota.", "His mother sings in a choir."),
        ("doctor", "physician", "guitar"),
        ("She is afraid of flying.", "Planes make her nervous.", "The garden needs water."),
        ("holiday plans", "a trip to the beach in July", "the database index is corrupt"),
    ],
)
def test_like_meanings_are_nearer_than_others(
    model: BundledEmbedder, text: str, close: str, far: str
) -> None:
    assert near(model, text, close) > near(model, text, far) + 0.05
