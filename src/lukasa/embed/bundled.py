"""The bundled model: a vector for each piece of a word, added up. numpy only, and offline.

The folder `weights` holds `vocab.txt` (one piece a line, `##` for one that goes on), `weights.npy` (int8,
pieces by dimensions) and `scales.npy` (float32, the step of each dimension). Rows are added as whole numbers,
so that neither the order of words nor the machine leaves a trace; then each dimension is scaled, and the
vector brought to length one. The last dimension is the same share of every piece: how much a text says at
all. `tools/distill` makes these files anew, to the byte; `docs/recall-model.md` says how.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from lukasa.embed.hashed import unit
from lukasa.matrices import np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from lukasa.matrices import Matrix, Vector

IDENTITY = "bundled@1"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")
_ASCII = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_IDEOGRAPH = re.compile(
    "([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f])"
)
_LEFT_OUT = {"Mn", "Cc", "Cf", "Co"}
_LAST_ASCII = "\x7f"
_LONGEST_WORD = 100
_REMEMBERED = 100_000


class WordPieces:
    """The split of a text into pieces of words. A word with a part that nobody knows has no pieces."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._rows = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
        self._known: dict[str, tuple[int, ...]] = {}

    def places(self, text: str) -> list[int]:
        """The row of each piece, in order."""
        text = _CONTROL.sub("", text)
        found: list[int] = []
        for word in _ASCII.findall(text.lower()) if text.isascii() else _words(text):
            pieces = self._known.get(word)
            found.extend(self._learn(word) if pieces is None else pieces)
        return found

    def _learn(self, word: str) -> tuple[int, ...]:
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        pieces = self._known[word] = tuple(self._pieces(word))
        return pieces

    def _pieces(self, word: str) -> list[int]:
        """The longest known piece first, then the longest that goes on from there."""
        found: list[int] = []
        start = 0
        while start < len(word) <= _LONGEST_WORD:
            mark = "##" if start else ""
            ends = (end for end in range(len(word), start, -1) if mark + word[start:end] in self._rows)
            end = next(ends, None)
            if end is None:
                return []
            found.append(self._rows[mark + word[start:end]])
            start = end
        return found


def _words(text: str) -> Iterator[str]:
    """Lower case without accents; ideographs and marks of punctuation stand alone."""
    spaced = unicodedata.normalize("NFD", _IDEOGRAPH.sub(r" \1 ", text))
    plain = "".join(
        character.lower()
        for character in spaced
        if character in "\t\n\r" or unicodedata.category(character) not in _LEFT_OUT
    )
    for run in plain.split():
        start = 0
        for at, character in enumerate(run):
            if _stands_alone(character):
                if start < at:
                    yield run[start:at]
                yield character
                start = at + 1
        if start < len(run):
            yield run[start:]


def _stands_alone(character: str) -> bool:
    is_sign = character < _LAST_ASCII and not character.isalnum()
    return is_sign or unicodedata.category(character)[0] == "P"


class BundledEmbedder:
    """The model that comes with the package."""

    identity = IDENTITY
    remote = False

    def __init__(self) -> None:
        folder = Path(__file__).parent / "weights"
        self._split = WordPieces((folder / "vocab.txt").read_text(encoding="utf-8").splitlines())
        self._weights: NDArray[np.int8] = np.load(folder / "weights.npy", mmap_mode="r").view(np.ndarray)
        self._scales: Vector = np.load(folder / "scales.npy")
        self.dimensions = int(self._weights.shape[1])

    def documents(self, texts: Sequence[str]) -> Matrix:
        """A row for each text; zeros where nothing of it is known."""
        sums = np.zeros((len(texts), self.dimensions), dtype=np.int32)
        for row, text in enumerate(texts):
            pieces = self._split.places(text)
            if pieces:
                np.add.reduce(self._weights[pieces], axis=0, dtype=np.int32, out=sums[row])
        return unit((sums * self._scales).astype(np.float32))

    def query(self, text: str) -> Vector:
        """The vector of a question."""
        return self.documents([text])[0]
