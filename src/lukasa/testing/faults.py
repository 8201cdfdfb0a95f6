"""A database whose n-th statement fails, to prove that a failed operation changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.errors import StoreError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from lukasa.db import Database, Row, Value
    from lukasa.db.database import Dialect


class InjectedError(StoreError):
    """The failure that was asked for."""


class Faulty:
    """Any database, with statement number `fail_at` (from 1) failing; 0 lets all pass."""

    def __init__(self, database: Database, *, fail_at: int = 0) -> None:
        self._database = database
        self.fail_at = fail_at
        self.statements = 0

    @property
    def dialect(self) -> Dialect:
        """Which engine answers."""
        return self._database.dialect

    @property
    def location(self) -> str:
        """The path or URL."""
        return self._database.location

    def rows(self, query: str, /, **values: Value) -> list[Row]:
        """The rows of the query, unless this is the statement that fails."""
        self._count(query)
        return self._database.rows(query, **values)

    def row(self, query: str, /, **values: Value) -> Row | None:
        """The first row of the query, unless this is the statement that fails."""
        self._count(query)
        return self._database.row(query, **values)

    def _count(self, query: str) -> None:
        self.statements += 1
        if self.statements == self.fail_at:
            raise InjectedError(f"Statement {self.statements} ({query}) was made to fail.")

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a transaction that writes."""
        return self._database.writing

    def transaction(self, *, write: bool = True, lasting: bool = True) -> AbstractContextManager[None]:
        """The database's own transaction."""
        return self._database.transaction(write=write, lasting=lasting)

    def problems(self) -> list[str]:
        """What the engine itself finds wrong."""
        return self._database.problems()

    def scrub(self) -> list[str]:
        """Wipe what deleted rows left behind."""
        return self._database.scrub()

    def close(self) -> None:
        """Let go of every connection."""
        self._database.close()
