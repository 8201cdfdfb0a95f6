"""Nearness in meaning is the cosine; a short answer is also measured with the question before it."""

from __future__ import annotations

import pytest

from lukasa.db import Row
from lukasa.matrices import np
from lukasa.recall import vectors
from lukasa.recall.index import SpaceIndex, empty

NAMES = (
    "number", "entry", "created_at", "expires_at", "superseded_at", "ordinal", "length", "importance",
    "pinned", "asks", "linked", "session_id", "speaker", "class", "vector", "terms", "counts",
)  # fmt: skip
COLUMNS = {name: place for place, name in enumerate(NAMES)}
NEVER = 2**62
NORTH, EAST, SOUTH = (0.0, 1.0), (1.0, 0.0), (0.0, -1.0)


def piece(
    number: int,
    vector: tuple[float, float] | None,
    *,
    session: str | None = "s",
    asks: bool = False,
    length: int = 5,
) -> Row:
    stored = None if vector is None else np.array(vector, dtype="<f4").tobytes()
    given = (number, number, number, NEVER, NEVER, 0, length, 0.5, False, asks, False)
    return Row(COLUMNS, (*given, session, None, "semantic", stored, b"", b""))


def space(*rows: Row) -> SpaceIndex:
    return empty("agent/ana", 1, 1).with_pages([list(rows)], version=1, has_links=False)


def near(index: SpaceIndex) -> list[float]:
    return vectors.cosines(index, np.array(NORTH, dtype=np.float32)).tolist()


def led(index: SpaceIndex) -> list[float]:
    return vectors.with_questions(index, np.array(near(index))).tolist()


def test_the_same_direction_is_one_and_a_right_angle_nothing() -> None:
    assert near(space(piece(1, NORTH), piece(2, EAST), piece(3, SOUTH))) == [1.0, 0.0, -1.0]


def test_a_piece_without_a_vector_is_not_far_away_but_unknown() -> None:
    found = near(space(piece(1, NORTH), piece(2, None), piece(3, EAST)))
    assert np.isnan(found[1])
    assert [found[0], found[2]] == [1.0, 0.0]
    assert np.isnan(near(space(piece(1, None)))).all()


def test_an_answer_has_a_part_of_what_its_question_is_nearer_than_others() -> None:
    index = space(piece(1, NORTH, asks=True), piece(2, EAST), piece(3, EAST), piece(4, EAST))
    question, answer, *rest = led(index)
    assert question == 1
    assert answer == pytest.approx(0.6 * 20 / 25 * 0.75)
    assert rest == [0, 0]


def test_a_question_that_is_farther_than_others_takes_from_its_answer() -> None:
    index = space(piece(1, SOUTH, asks=True), piece(2, EAST), piece(3, NORTH), piece(4, NORTH))
    assert led(index)[1] < near(index)[1]


def test_a_long_answer_speaks_for_itself() -> None:
    short = led(space(piece(1, NORTH, asks=True), piece(2, EAST), piece(3, EAST)))[1]
    long = led(space(piece(1, NORTH, asks=True), piece(2, EAST, length=200), piece(3, EAST)))[1]
    assert short > long > 0


def test_what_nobody_asked_for_and_what_stands_alone_is_as_it_was() -> None:
    told = space(piece(1, NORTH), piece(2, EAST), piece(3, EAST))
    assert led(told) == near(told)
    alone = space(piece(1, NORTH, session=None, asks=True), piece(2, EAST, session=None))
    assert led(alone) == near(alone)
    apart = space(piece(1, NORTH, asks=True), piece(2, EAST, session="t"))
    assert led(apart) == near(apart)


def test_a_question_without_a_vector_changes_nothing() -> None:
    assert led(space(piece(1, None, asks=True), piece(2, EAST), piece(3, NORTH)))[1:] == [0, 1]
