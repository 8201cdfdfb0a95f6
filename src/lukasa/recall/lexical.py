"""Exact BM25 over one space: how well its pieces match the words of a question.

k1 is 1.2 and b is 0.75; a term's weight is ln((n - df + 1/2) / (df + 1/2) + 1) over the space's own pieces,
so that no other space has a say. A term counts once, however often the question says it. What stands in a
conversation is also read with what was said just before and after it: the neighbours' terms count in part,
the less the more a piece says itself, and lengthen it as much. A conversation has a score too, by the same
formula with each as one text. Where there is no conversation, nothing of this changes a number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.matrices import np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lukasa.matrices import Reals, Whole
    from lukasa.recall.index import SpaceIndex

K1, B = 1.2, 0.75
# What the terms of the next and of the next but one count for; at which length that has fallen by half. A
# question that was asked just before says best what its answer is about.
BEFORE, ASKED, AFTER, FURTHER = 0.45, 1.4, 0.6, 0.4
HALVED = 40


@dataclass(frozen=True, slots=True)
class Surroundings:
    """For each row: the rows around it with what they count for, and its length with theirs."""

    sides: tuple[tuple[Whole, Reals], ...]
    share: Reals
    lengths: Reals
    average: float


@dataclass(frozen=True, slots=True)
class Sessions:
    """The conversations of a space as texts: how long each is, by its code, and how many there are."""

    lengths: Reals
    average: float
    count: int


def bm25(index: SpaceIndex, keys: Iterable[int], *, around: bool = True) -> Reals:
    """The score of each row; zero where no term stands."""
    scores = np.zeros(index.size, dtype=np.float64)
    place = surroundings(index) if around and index.has_sessions else None
    lengths = place.lengths if place else index.lengths
    average = place.average if place else index.average_length
    for rows, counts, weight in matches(index, keys):
        touched, found = _spread(index, place, rows, counts) if place else (rows, counts)
        scores[touched] += weight * _saturated(found, lengths[touched], average)
    return scores


def by_session(index: SpaceIndex, keys: Iterable[int]) -> Reals:
    """For each row the score of the conversation in which it was said; NaN where it was in none."""
    if not index.has_sessions:
        return np.full(index.size, np.nan)
    codes = index.whole("session")
    known = sessions(index)
    scores = np.zeros(len(known.lengths), dtype=np.float64)
    for rows, counts, _ in matches(index, keys):
        said = codes[rows] >= 0
        found = np.zeros(len(scores), dtype=np.float64)
        np.add.at(found, codes[rows[said]], counts[said])
        holding = int(np.count_nonzero(found))
        scores += idf(known.count, holding) * _saturated(found, known.lengths, known.average)
    return np.where(codes >= 0, scores[codes], np.nan)


def full_match(index: SpaceIndex, keys: Iterable[int]) -> float:
    """What a piece of average length gets that holds each term once; a term that nothing has counts too."""
    wanted = dict.fromkeys(keys)
    known = [weight for _, _, weight in matches(index, wanted)]
    return sum(known) + (len(wanted) - len(known)) * idf(index.count, 0)


def matches(index: SpaceIndex, keys: Iterable[int]) -> Iterator[tuple[Whole, Reals, float]]:
    """For each distinct term that is there: the living rows that hold it, how often, and its weight."""
    for key in dict.fromkeys(keys):
        found = [(segment.first, *segment.postings.find(key)) for segment in index.segments]
        rows = np.concatenate([first + rows.astype(np.int64) for first, rows, _ in found])
        counts = np.concatenate([counts for _, _, counts in found]).astype(np.float64)
        if index.count < index.size:
            living = index.alive[rows]
            rows, counts = rows[living], counts[living]
        if len(rows):
            yield rows, counts, idf(index.count, len(rows))


def sessions(index: SpaceIndex) -> Sessions:
    """The conversations of a space; made once for each version of it."""
    made = index.notes.get("sessions")
    if isinstance(made, Sessions):
        return made
    codes = index.whole("session")
    said = index.alive & (codes >= 0)
    lengths = np.bincount(codes[said], weights=index.lengths[said])
    count = int(np.count_nonzero(np.bincount(codes[said])))
    average = (float(lengths.sum()) / count if count else 0.0) or 1.0
    # Codes are given to other texts than sessions too; what lies beyond the last session is not needed.
    whole = np.zeros(int(codes.max(initial=-1)) + 1)
    whole[: len(lengths)] = lengths
    found = Sessions(lengths=whole, average=average, count=count)
    index.notes["sessions"] = found
    return found


def idf(pieces: int, holding: int) -> float:
    """How telling a term is that `holding` of so many pieces have."""
    return math.log((pieces - holding + 0.5) / (holding + 0.5) + 1)


def _saturated(counts: Reals, lengths: Reals, average: float) -> Reals:
    """What so many occurrences are worth: the second less than the first, and less in a long piece."""
    return counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths / average))


def _spread(index: SpaceIndex, place: Surroundings, rows: Whole, counts: Reals) -> tuple[Whole, Reals]:
    """The rows that hold a term or stand near one that does, and how often they have it, in part."""
    found = np.zeros(index.size, dtype=np.float64)
    found[rows] = counts
    for side, weights in place.sides:
        targets = side[rows]
        known = targets >= 0
        targets = targets[known]
        # No row is the neighbour of two on the same side, so nothing is added twice.
        found[targets] += weights[targets] * place.share[targets] * counts[known]
    touched = np.flatnonzero(found)
    return touched, found[touched]


def surroundings(index: SpaceIndex) -> Surroundings:
    """Who stands beside whom in a conversation; made once for each version of a space."""
    made = index.notes.get("surroundings")
    if isinstance(made, Surroundings):
        return made
    before, after = index.neighbours
    share = HALVED / (HALVED + index.lengths)
    asked = np.where(_at(index.whole("asks").astype(np.float64), before) > 0, ASKED, BEFORE)
    rest = np.full(index.size, AFTER), np.full(index.size, FURTHER)
    # A row that stands before another is reached from that one's `after`, and the other way round.
    sides = (
        (after, asked),
        (before, rest[0]),
        (_step(after, after), rest[1]),
        (_step(before, before), rest[1]),
    )
    around = (
        (before, asked),
        (after, rest[0]),
        (_step(before, before), rest[1]),
        (_step(after, after), rest[1]),
    )
    context = sum(weights * _at(index.lengths, side) for side, weights in around)
    lengths = index.lengths + share * context
    average = (float(lengths[index.alive].sum()) / index.count if index.count else 0.0) or 1.0
    found = Surroundings(sides=sides, share=share, lengths=lengths, average=average)
    index.notes["surroundings"] = found
    return found


def _step(first: Whole, then: Whole) -> Whole:
    return np.where(first >= 0, then[np.maximum(first, 0)], -1)


def _at(values: Reals, rows: Whole) -> Reals:
    return np.where(rows >= 0, values[np.maximum(rows, 0)], 0.0)
