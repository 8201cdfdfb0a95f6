"""What a command answers, before it is known who reads it.

An `Outcome` holds one JSON document and the pieces that say the same in words. `plain` writes pieces
for a pipe, `pretty` draws them for a person; both show every text literally, so a piece may hold
stored text as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lukasa.db.database import Json

Tone = Literal["plain", "good", "bad", "quiet", "title", "command"]


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant: relative for a person, RFC 3339 in a pipe."""

    millis: int


Cell = str | int | float | Moment | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One sentence."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, kw_only=True, slots=True)
class Grid:
    """Rows under headings; in a pipe, rows of cells between tabs."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """One thing with what is known of it, and its text."""

    title: str
    pairs: tuple[tuple[str, Cell], ...]
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Inset:
    """Pieces that belong to the line above."""

    pieces: tuple[Piece, ...]


Piece = Line | Grid | Card | Inset


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What came of a command. `notes` go to standard error, where they cannot mix with results."""

    document: Json
    pieces: tuple[Piece, ...]
    notes: tuple[Line, ...] = ()
    code: int = 0
