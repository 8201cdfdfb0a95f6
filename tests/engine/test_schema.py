"""The schema is the same on both engines, and the snapshots of it in the documents are current."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import psycopg
import pytest

from lukasa.db import open_database
from lukasa.db.migrate import known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lukasa.testing import FrozenClock

    Row = tuple[object, ...]

ROOT = Path(__file__).parents[2]
NUMBERED = re.compile(r"(\d{4})_([a-z][a-z_]*)\.sql")
# What only one engine has, and why: SQLite counts in a table, PostgreSQL by sequences.
ONLY_SQLITE = {"counters"}
TYPES = {"TEXT": "text", "INTEGER": "bigint", "REAL": "double precision", "BLOB": "bytea"}

SQLITE_COLUMNS = """
SELECT t.name, c.name, c.type, c."notnull" FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'
"""
POSTGRES_COLUMNS = """
SELECT table_name, column_name, data_type, CAST(is_nullable = 'NO' AS int)
FROM information_schema.columns WHERE table_schema = current_schema()
"""
SQLITE_KEYS = """
SELECT t.name, i.origin, i."unique", i.partial,
       (SELECT group_concat(name, ' ' ORDER BY seqno) FROM pragma_index_info(i.name)) AS columns
FROM pragma_table_list AS t, pragma_index_list(t.name) AS i
WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'
UNION
SELECT t.name, 'pk', 1, 0,
       (SELECT group_concat(name, ' ' ORDER BY pk) FROM pragma_table_info(t.name) WHERE pk)
FROM pragma_table_list AS t WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'
"""
POSTGRES_KEYS = """
SELECT t.relname, CASE contype WHEN 'p' THEN 'pk' WHEN 'u' THEN 'u' ELSE 'c' END,
       CAST(indisunique AS int), CAST(indpred IS NOT NULL AS int),
       (SELECT string_agg(attname, ' ' ORDER BY ordinality)
        FROM unnest(indkey) WITH ORDINALITY AS item (number, ordinality)
        JOIN pg_attribute ON attrelid = indrelid AND attnum = item.number)
FROM pg_index JOIN pg_class AS t ON t.oid = indrelid
LEFT JOIN pg_constraint ON conindid = indexrelid AND contype IN ('p', 'u')
WHERE t.relnamespace = CAST(current_schema() AS regnamespace)
"""
SQLITE_REFERENCES = """
SELECT t.name, f."table", group_concat(f."from", ' ' ORDER BY seq), group_concat(f."to", ' ' ORDER BY seq),
       f.on_delete
FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f
WHERE t.schema = 'main' GROUP BY t.name, f.id
"""
POSTGRES_REFERENCES = """
SELECT t.relname, other.relname,
       (SELECT string_agg(attname, ' ' ORDER BY ordinality)
        FROM unnest(conkey) WITH ORDINALITY AS item (number, ordinality)
        JOIN pg_attribute ON attrelid = conrelid AND attnum = item.number),
       (SELECT string_agg(attname, ' ' ORDER BY ordinality)
        FROM unnest(confkey) WITH ORDINALITY AS item (number, ordinality)
        JOIN pg_attribute ON attrelid = confrelid AND attnum = item.number),
       CASE confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'a' THEN 'NO ACTION' ELSE 'other' END
FROM pg_constraint JOIN pg_class AS t ON t.oid = conrelid JOIN pg_class AS other ON other.oid = confrelid
WHERE contype = 'f' AND t.relnamespace = CAST(current_schema() AS regnamespace)
"""


@pytest.fixture
def file(path: Path, clock: FrozenClock) -> Iterator[apsw.Connection]:
    """A new store file, as SQLite itself shows it."""
    with closing(open_database(path, clock=clock)) as database, database.transaction():
        database.rows("add_space", space="agent/ana", number=1, owner="ana", added=0, now=1)
    with closing(apsw.Connection(str(path))) as connection:
        yield connection


@pytest.fixture
def server(
    postgres_url: str, postgres_server: str, clock: FrozenClock
) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A new store on PostgreSQL, as the server itself shows it."""
    open_database(postgres_url, clock=clock).close()
    schema = postgres_url.rpartition("schema=")[2]
    with psycopg.connect(postgres_server, options=f"-c search_path={schema}") as connection:
        yield connection


def shared(rows: Iterator[Row]) -> set[Row]:
    return {row for row in rows if row[0] not in ONLY_SQLITE}


def test_both_engines_have_the_same_migrations() -> None:
    folder = ROOT / "src" / "lukasa" / "db" / "sql" / "migrations"
    names = sorted(path.name for path in (folder / "sqlite").iterdir())
    assert sorted(path.name for path in (folder / "postgres").iterdir()) == names
    found = [match.groups() for name in names if (match := NUMBERED.fullmatch(name))]
    assert len(found) == len(names)
    assert [int(number) for number, _ in found] == list(range(1, len(names) + 1))
    assert [(step.version, step.name) for step in known("sqlite")] == [
        (step.version, step.name) for step in known("postgres")
    ]


def test_tables_have_the_same_columns_on_both_engines(
    file: apsw.Connection, server: psycopg.Connection[Row]
) -> None:
    columns = [(*row[:2], TYPES[str(row[2])], row[3]) for row in file.execute(SQLITE_COLUMNS)]
    assert len(columns) > 50
    assert {row[0] for row in columns} > ONLY_SQLITE
    assert shared(iter(columns)) == set(server.execute(POSTGRES_COLUMNS))


def test_tables_have_the_same_keys_and_indexes_on_both_engines(
    file: apsw.Connection, server: psycopg.Connection[Row]
) -> None:
    keys = shared(tuple(row) for row in file.execute(SQLITE_KEYS))
    assert ("entries", "pk", 1, 0, "space id") in keys
    assert keys == set(server.execute(POSTGRES_KEYS))


def test_tables_refer_to_each_other_in_the_same_way_on_both_engines(
    file: apsw.Connection, server: psycopg.Connection[Row]
) -> None:
    references = shared(tuple(row) for row in file.execute(SQLITE_REFERENCES))
    assert ("tags", "entries", "space entry_id", "space id", "CASCADE") in references
    assert references == set(server.execute(POSTGRES_REFERENCES))


def test_indexes_have_the_same_names_on_both_engines(
    file: apsw.Connection, server: psycopg.Connection[Row]
) -> None:
    ours = file.execute("SELECT tbl_name, name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    found = server.execute(
        "SELECT tablename, indexname FROM pg_indexes WHERE schemaname = current_schema() AND NOT EXISTS ("
        "SELECT FROM pg_constraint WHERE conindid = CAST(quote_ident(indexname) AS regclass) "
        "AND contype IN ('p', 'u'))"
    )
    assert sorted(tuple(row) for row in ours) == sorted(found)


def test_the_schema_snapshots_are_what_the_tool_makes(postgres_server: str, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-W", "error", ROOT / "tools" / "schema.py", tmp_path],
        env=os.environ | {"LUKASA_TEST_POSTGRES": postgres_server},
        check=True,
        timeout=60,
    )
    for name in ("sqlite.sql", "postgres.sql"):
        kept = (ROOT / "docs" / "schema" / name).read_text(encoding="utf-8")
        assert kept == (tmp_path / name).read_text(encoding="utf-8"), "run `make docs`"
