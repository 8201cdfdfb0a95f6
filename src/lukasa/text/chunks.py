"""How a long text is cut into the pieces that are indexed.

A piece has at most 640 characters and shares about 96 with the one before. Always true: the pieces cover the
text without a gap; each ends at the end of a sentence where one is near, else between two words, else at the
limit; the same text is cut the same way.
"""

from __future__ import annotations

import re

LONGEST = 640
OVERLAP = 96
# A piece that ended before two thirds of the limit, for a whole sentence, would make too many of them.
_NEAR = LONGEST * 2 // 3
_SENTENCE_END = re.compile(r"(?<=[.!?\u3002\uff01\uff1f\n])\s*")


def cut(text: str) -> list[tuple[int, int]]:
    """Where each piece starts and stops."""
    pieces: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > LONGEST:
        stop = _end(text, start)
        pieces.append((start, stop))
        start = _begin(text, stop - OVERLAP, start)
    pieces.append((start, len(text)))
    return pieces


def _end(text: str, start: int) -> int:
    limit = start + LONGEST
    ends = [found.end() for found in _SENTENCE_END.finditer(text, start + _NEAR, limit)]
    if ends:
        return ends[-1]
    space = text.rfind(" ", start + _NEAR, limit)
    return space + 1 if space >= 0 else limit


def _begin(text: str, wanted: int, before: int) -> int:
    """The next piece starts with a whole word, and always further on."""
    space = text.find(" ", wanted, wanted + OVERLAP // 2)
    return max(space + 1 if space >= 0 else wanted, before + 1)
