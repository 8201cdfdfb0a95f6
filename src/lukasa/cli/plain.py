"""Pieces as lines for a pipe: stable, greppable, without colour or width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.cli.literal import flat, literal, literal_lines
from lukasa.cli.moments import local
from lukasa.cli.pieces import Card, Cell, Grid, Line, Moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lukasa.cli.pieces import Piece


def lines(pieces: Sequence[Piece]) -> Iterator[str]:
    """Every line of the pieces."""
    for piece in pieces:
        if isinstance(piece, Line):
            yield literal(f"$ {piece.text}" if piece.tone == "command" else piece.text)
        elif isinstance(piece, Grid):
            yield from ("\t".join(cell(value) for value in row) for row in piece.rows)
        elif isinstance(piece, Card):
            yield from _card(piece)
        else:
            yield from (f"  {line}".rstrip() for line in lines(piece.pieces))


def _card(card: Card) -> Iterator[str]:
    yield from (f"{name}: {cell(value)}" for name, value in card.pairs if value is not None)
    if card.body is not None:
        yield ""
        yield from literal_lines(card.body)


def cell(value: Cell) -> str:
    """One value on one line; `-` where there is none."""
    if value is None or value == "":
        return "-"
    if isinstance(value, Moment):
        return local(value.millis)
    return flat(value) if isinstance(value, str) else str(value)
