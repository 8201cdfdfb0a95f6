"""Pieces as rich draws them for a person. Texts go in as `Text`, never as markup."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.box import ROUNDED
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lukasa.cli.literal import cut, literal, literal_lines
from lukasa.cli.moments import relative
from lukasa.cli.pieces import Card, Cell, Grid, Line, Moment
from lukasa.cli.plain import cell
from lukasa.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from lukasa.cli.pieces import Piece, Tone

_STYLES: dict[Tone, str] = {
    "plain": "",
    "good": "green",
    "bad": "bold red",
    "quiet": "dim",
    "title": "bold magenta",
    "command": "bold cyan",
}
_COLUMNS = {"#": "bold cyan", "kind": "magenta", "name": "green", "agent": "bold cyan"}
_PREVIEW = 200


def draw(pieces: Sequence[Piece]) -> None:
    """The pieces on the terminal."""
    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False)
    for piece in pieces:
        console.print(_drawn(piece))


def _drawn(piece: Piece) -> RenderableType:
    if isinstance(piece, Line):
        text = f"$ {piece.text}" if piece.tone == "command" else piece.text
        return Text(literal(text), style=_STYLES[piece.tone])
    if isinstance(piece, Grid):
        return _table(piece)
    if isinstance(piece, Card):
        return _panel(piece)
    return Padding(Group(*(_drawn(inner) for inner in piece.pieces)), (0, 0, 0, 2), expand=False)


def _table(grid: Grid) -> Table:
    """The rows under their headings, without the columns in which nothing stands."""
    shown = [index for index in range(len(grid.columns)) if any(_said(row[index]) for row in grid.rows)]
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for index in shown:
        name = grid.columns[index]
        table.add_column(name, style=_COLUMNS.get(name, ""), overflow="fold", no_wrap=name in _NARROW)
    for row in grid.rows:
        table.add_row(*(Text(_words(row[index])) for index in shown))
    return table


_NARROW = ("#", "kind", "when", "state", "entries", "live", "revision")


def _panel(card: Card) -> Panel:
    details = Table.grid(padding=(0, 2, 0, 0))
    details.add_column(style="dim", no_wrap=True)
    details.add_column(overflow="fold")
    for name, value in card.pairs:
        if _said(value):
            details.add_row(Text(name), Text(_words(value)))
    parts: list[RenderableType] = [details]
    if card.body is not None:
        parts = [Text("\n".join(literal_lines(card.body))), Text(""), details]
    title = Text(literal(card.title), style="bold cyan")
    return Panel(Group(*parts), title=title, title_align="left", box=ROUNDED, border_style="dim")


def _said(value: Cell) -> bool:
    return value is not None and value != ""


def _words(value: Cell) -> str:
    if isinstance(value, Moment):
        return relative(value.millis, now=SystemClock().now())
    return cut(cell(value), _PREVIEW) if _said(value) else ""
