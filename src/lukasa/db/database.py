"""What every engine must do, in words.

A `Database` runs named queries (see `queries`). Always true of it:
- a write happens inside `transaction()`, all of it or nothing, durable when the block ends;
- transactions nest: an inner one that fails undoes its own part alone;
- outside a transaction each read sees the last committed state; inside, one moment;
- it may be used from any thread, and after a fork by parent and child alike;
- engine errors never escape: they come out as `StoreError` and its children.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, Protocol

from lukasa.errors import StoreDamagedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

Value = str | int | float | bytes | None
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Dialect = Literal["sqlite", "postgres"]


class Row:
    """One row of an answer; a column is asked for by name and by the type that it must have."""

    __slots__ = ("_columns", "_values")

    def __init__(self, columns: Mapping[str, int], values: Sequence[Value]) -> None:
        self._columns = columns
        self._values = values

    def text(self, column: str) -> str:
        """A text that must be there."""
        value = self._values[self._columns[column]]
        if isinstance(value, str):
            return value
        raise _wrong(column, "text", value)

    def maybe_text(self, column: str) -> str | None:
        """A text, or nothing."""
        return None if self._values[self._columns[column]] is None else self.text(column)

    def integer(self, column: str) -> int:
        """A whole number that must be there."""
        value = self._values[self._columns[column]]
        if isinstance(value, int):
            return value
        raise _wrong(column, "an integer", value)

    def maybe_integer(self, column: str) -> int | None:
        """A whole number, or nothing."""
        return None if self._values[self._columns[column]] is None else self.integer(column)

    def real(self, column: str) -> float:
        """A number that must be there."""
        value = self._values[self._columns[column]]
        if isinstance(value, int | float):
            return float(value)
        raise _wrong(column, "a number", value)

    def flag(self, column: str) -> bool:
        """A yes or no, kept as 1 or 0."""
        return self.integer(column) != 0

    def blob(self, column: str) -> bytes:
        """Bytes that must be there."""
        value = self._values[self._columns[column]]
        if isinstance(value, bytes):
            return value
        raise _wrong(column, "bytes", value)

    def value(self, column: str) -> Value:
        """Whatever stands there."""
        return self._values[self._columns[column]]

    @property
    def values(self) -> Sequence[Value]:
        """The whole row, in the order of its columns."""
        return self._values

    def plain(self) -> dict[str, Value]:
        """The whole row, by column."""
        return {column: self._values[index] for column, index in self._columns.items()}


def columns_of(rows: Sequence[Row]) -> dict[str, Sequence[Value]]:
    """Many rows of one query by column, unlooked at: for those who read thousands."""
    if not rows:
        return {}
    names = rows[0].plain()
    return dict(zip(names, zip(*(row.values for row in rows), strict=True), strict=True))


def _wrong(column: str, wanted: str, value: Value) -> StoreDamagedError:
    return StoreDamagedError(
        f"Column {column} should hold {wanted}, found {type(value).__name__}.", fix="Run `lukasa check`."
    )


class Database(Protocol):
    """Named queries over one engine."""

    @property
    def dialect(self) -> Dialect:
        """Which engine answers."""
        ...

    @property
    def location(self) -> str:
        """The path or URL, without any password."""
        ...

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a transaction that writes: what it sees may still be taken back."""
        ...

    def rows(self, query: str, /, **values: Value) -> list[Row]:
        """Every row that the named query gives."""
        ...

    def row(self, query: str, /, **values: Value) -> Row | None:
        """The first row that the named query gives, or None."""
        ...

    def transaction(self, *, write: bool = True, lasting: bool = True) -> AbstractContextManager[None]:
        """All or nothing for this thread; `write=False` holds one moment to read from.

        With `lasting=False` a power cut may lose it, whole: for what is nice to know and never acknowledged.
        """
        ...

    def problems(self) -> list[str]:
        """What the engine itself finds wrong with the stored bytes and keys."""
        ...

    def scrub(self) -> list[str]:
        """Wipe what deleted rows left behind; say what could not be wiped now, and what would."""
        ...

    def close(self) -> None:
        """Let go of every connection. A later call opens them again."""
        ...


def as_json(values: Sequence[Value] | Sequence[str] | Mapping[str, Json]) -> str:
    """One JSON text, the form in which lists and objects travel into a query."""
    return _compact.encode(values)


# json.dumps would make another one for each call.
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
