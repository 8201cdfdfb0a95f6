"""The schema of a SQLite store: built in memory, read from a file, brought up to date.

Always true: a migration and its ledger row are one transaction; before a file's schema is changed,
a copy of it lies beside it; a file that is another release's, or broken, is left as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.db import birth, sqlite_file
from lukasa.db.migrate import Migration, pending
from lukasa.db.queries import Query, load
from lukasa.db.sqlite_errors import translated
from lukasa.db.sqlite_link import Link
from lukasa.errors import StoreDamagedError

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

    from lukasa.clock import Clock
    from lukasa.db.database import Row, Value


def build_in_memory(clock: Clock) -> apsw.Connection:
    """The store as it is before its file: empty, and of the newest schema."""
    connection = sqlite_file.open_memory()
    link = Link(connection, location=":memory:", writes=True)
    for step in pending("sqlite", (), link.location):
        _apply(link, step, clock)
    return connection


def missing_steps(path: Path, *, wait: int) -> tuple[Migration, ...]:
    """What the file's schema lacks. It is only read."""
    with translated(str(path)):
        connection, _ = sqlite_file.open_reader(path, wait=wait)
    link = Link(connection, location=str(path), writes=False)
    try:
        return pending("sqlite", _ledger(link), link.location)
    finally:
        link.close()


def bring_up_to_date(writer: Link, path: Path, *, clock: Clock, wait: int) -> None:
    """Apply what the file's schema lacks, unless another process was faster."""
    with writer.outermost("BEGIN IMMEDIATE"):
        steps = pending("sqlite", _ledger(writer), writer.location)
        if steps:
            copy = path.with_name(f"{path.name}.before-{steps[0].version:04}")
            with translated(writer.location), sqlite_file.disk(path):
                birth.copy_aside(path, copy, wait=wait)
    for step in steps:
        _apply(writer, step, clock)


def _apply(link: Link, step: Migration, clock: Clock) -> None:
    """One migration with its ledger row."""
    with link.outermost("BEGIN IMMEDIATE"):
        if step.version > len(_ledger(link, new=step.version == 1)):
            with translated(link.location):
                # To its end: a statement that answers with a row would otherwise stop it there.
                link.connection.execute(step.sql).fetchall()
            queries = load("sqlite")
            _run(link, queries["add_migration"], step.ledger_row(clock.now()))


def _ledger(link: Link, *, new: bool = False) -> list[Row]:
    queries = load("sqlite")
    if _run(link, queries["ledger_exists"], {}):
        return _run(link, queries["list_migrations"], {})
    if new:
        return []
    raise StoreDamagedError(
        f"The store {link.location} has lost its ledger of migrations.",
        fix="Restore it from a backup or an export.",
    )


def _run(link: Link, query: Query, values: dict[str, Value]) -> list[Row]:
    return link.run(query.name, query.sql, values)
