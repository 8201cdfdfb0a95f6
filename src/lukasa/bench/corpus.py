"""Texts to measure speed with: made from a seed, the same on every machine.

Words are drawn as the words of a language that carry meaning: the commonest stands in a fifth of all texts,
and most are rare, so that some posting lists are long and most are short. They are words that the bundled
model knows, so that its vectors differ.
"""

from __future__ import annotations

import random
from importlib.resources import files
from itertools import accumulate
from typing import TYPE_CHECKING

from lukasa.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHORTEST, _LONGEST = 12, 30
_ASKED = 8
_LETTERS = 3
# The commonest words of any language say nothing and are not indexed: the curve begins further on.
_FLAT = 11


class Corpus:
    """An endless run of texts, and of questions about them."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)  # noqa: S311 - repeatable, and nothing is kept secret by it
        self._words = _vocabulary()
        self._shares = list(accumulate(1 / (_FLAT + place) for place in range(len(self._words))))

    def texts(self, count: int) -> Iterator[str]:
        """Texts of a sentence or two, no two the same."""
        for number in range(count):
            yield f"{self._drawn(self._random.randint(_SHORTEST, _LONGEST))} item{number}"

    def questions(self, count: int) -> list[str]:
        """Questions in the same words."""
        return [f"what about the {self._drawn(_ASKED)}?" for _ in range(count)]

    def _drawn(self, count: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._shares, k=count))


def _vocabulary() -> list[str]:
    """Whole words of the bundled model, in an order that the alphabet has no part in."""
    pieces = (files("lukasa.embed") / "weights" / "vocab.txt").read_text(encoding="utf-8").split()
    words = [
        word
        for word in pieces
        if len(word) >= _LETTERS and word.isascii() and word.isalpha() and word not in STOP_WORDS
    ]
    random.Random(0).shuffle(words)  # noqa: S311 - see above
    return words
