"""One SQLite connection: the lock that guards it, its statements, and its transactions.

Always true: a transaction that the engine had to undo (a full disk, a damaged page) takes no further
statement, so that nothing is committed by halves; a connection that a fork carried into a child is
never touched there.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import apsw

from lukasa.db.database import Row, Value
from lukasa.db.forks import refusal
from lukasa.db.sqlite_errors import meaning, translated
from lukasa.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Generator

    from lukasa.db.sqlite_file import Stamp


class Link:
    """A connection, whether it writes, and how deep in transactions it is."""

    def __init__(
        self,
        connection: apsw.Connection,
        *,
        location: str,
        writes: bool,
        on_disk: bool = True,
        stamp: Stamp | None = None,
    ) -> None:
        self.connection = connection
        self.location = location
        self.writes = writes
        self.on_disk = on_disk
        self.stamp = stamp
        self.lock = threading.RLock()
        self.depth = 0
        self.closed = False
        self.carried = False
        self._columns: dict[str, dict[str, int]] = {}

    def run(self, name: str, sql: str, values: dict[str, Value]) -> list[Row]:
        """The rows of one statement."""
        self.check()
        try:
            cursor = self.connection.execute(sql, values)
            names = self._columns.get(name) or self._name_columns(name, cursor)
            # All at once: an interrupt between two rows would leave the statement, and its snapshot, open.
            found = cast("list[tuple[Value, ...]]", cursor.fetchall())
        except apsw.ExecutionCompleteError:
            return []
        except (apsw.Error, OverflowError, UnicodeEncodeError) as error:
            raise meaning(self.location, error) from error
        return [Row(names, row) for row in found]

    def _name_columns(self, name: str, cursor: apsw.Cursor) -> dict[str, int]:
        names = {column[0]: index for index, column in enumerate(cursor.get_description())}
        self._columns[name] = names
        return names

    @contextmanager
    def outermost(self, begin: str) -> Generator[None]:
        """One whole transaction."""
        try:
            self._do(begin)
            self.depth = 1
            yield
            self.check()
            self._do("COMMIT")
        except BaseException:
            self._undo("ROLLBACK")
            raise
        finally:
            self.depth = 0

    @contextmanager
    def hurried(self) -> Generator[None]:
        """A commit inside does not wait for the disk; the next one that does takes it along."""
        with translated(self.location):
            self.connection.pragma("synchronous", "normal")
        try:
            yield
        finally:
            if not self.carried:
                with translated(self.location):
                    self.connection.pragma("synchronous", "full")

    @contextmanager
    def nest(self) -> Generator[None]:
        """A transaction inside another, which can be undone alone."""
        self.check()
        name = f"level_{self.depth}"
        self._do(f"SAVEPOINT {name}")
        self.depth += 1
        try:
            yield
            self.check()
            self._do(f"RELEASE {name}")
        except BaseException:
            self._undo(f"ROLLBACK TO {name}; RELEASE {name}")
            raise
        finally:
            self.depth -= 1

    def check(self) -> None:
        """Refuse to go on in a transaction that is not this process's, or that is no more."""
        if self.carried:
            raise refusal(self.location)
        if self.depth and not self.connection.in_transaction:
            raise StoreError(
                f"The transaction on {self.location} was undone by an error in it.", fix="Begin it again."
            )

    def _do(self, sql: str) -> None:
        with translated(self.location):
            self.connection.execute(sql)

    def _undo(self, sql: str) -> None:
        if not self.carried and self.connection.in_transaction:
            self._do(sql)

    def close(self) -> None:
        """Let go of the file."""
        self.closed = True
        self.connection.close()
