"""The database seam: named queries over one of two engines.

`open_database` is the one place that knows which engine a location means. All above it sees
the `Database` protocol, and no SQL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.db.database import Database, Row, Value, as_json
from lukasa.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from lukasa.clock import Clock

__all__ = ["Database", "Row", "Value", "as_json", "is_postgres", "open_database"]


def is_postgres(location: str) -> bool:
    """Whether the location names a PostgreSQL database."""
    return location.startswith(("postgresql://", "postgres://"))


def open_database(location: str | Path, *, clock: Clock, read_only: bool = False) -> Database:
    """The database at a path or a postgresql:// URL, brought to this release's schema."""
    text = str(location)
    if is_postgres(text):
        from lukasa.db.postgres import PostgresDatabase  # noqa: PLC0415 - an extra

        return PostgresDatabase(text, clock=clock, read_only=read_only)
    if "://" in text:
        scheme = text.partition("://")[0]
        raise UsageError(
            f"A store cannot be opened by {scheme}://.", fix="Give a path, or a postgresql:// URL."
        )
    from lukasa.db.sqlite import SqliteDatabase  # noqa: PLC0415 - keeps `import lukasa` light

    return SqliteDatabase(text, clock=clock, read_only=read_only)
