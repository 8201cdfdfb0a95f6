"""The keys let PostgreSQL keep the rows of a space anywhere, if it keeps them together (docs/scale.md)."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import psycopg
import pytest

from lukasa.db import open_database

if TYPE_CHECKING:
    from lukasa.testing import FrozenClock

# Of the store as a whole: on every node, or on the first.
EVERYWHERE = {"store_meta", "migrations", "models"}
# docs/scale.md says to take it away first.
TAKEN_AWAY = ("spaces", "u", ["number"])

CONSTRAINTS = """
SELECT t.relname, c.contype::text, ARRAY(
    SELECT a.attname::text FROM unnest(c.conkey) WITH ORDINALITY AS k (number, place)
    JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = k.number ORDER BY k.place),
    COALESCE(f.relname, '')
FROM pg_constraint AS c JOIN pg_class AS t ON t.oid = c.conrelid
JOIN pg_namespace AS n ON n.oid = t.relnamespace
LEFT JOIN pg_class AS f ON f.oid = c.confrelid
WHERE n.nspname = %s AND c.contype IN ('p', 'u', 'f')
"""
UNIQUE_INDEXES = """
SELECT t.relname, 'i', ARRAY(
    SELECT a.attname::text FROM unnest(i.indkey::int[]) WITH ORDINALITY AS k (number, place)
    JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = k.number ORDER BY k.place), ''
FROM pg_index AS i JOIN pg_class AS t ON t.oid = i.indrelid JOIN pg_namespace AS n ON n.oid = t.relnamespace
WHERE n.nspname = %s AND i.indisunique
"""


@pytest.fixture
def keys(postgres_url: str, clock: FrozenClock) -> list[tuple[str, str, list[str], str]]:
    """Each key of a table that belongs to tenants: the table, its kind, its columns, what it refers to."""
    with closing(open_database(postgres_url, clock=clock)) as database:
        database.rows("list_agents")
    schema = parse_qsl(urlsplit(postgres_url).query)[-1][1]
    with psycopg.connect(postgres_url.replace(f"schema={schema}", "").rstrip("?&")) as connection:
        found = [
            row
            for query in (CONSTRAINTS, UNIQUE_INDEXES)
            for row in connection.execute(query.encode(), [schema])
        ]
    return [
        (str(table), str(kind), list(columns), str(to))
        for table, kind, columns, to in found
        if table not in EVERYWHERE
    ]


def test_each_primary_key_begins_with_the_space(keys: list[tuple[str, str, list[str], str]]) -> None:
    primary = {table: columns for table, kind, columns, _ in keys if kind == "p"}
    assert {"spaces", "entries", "names", "tags", "edges", "history", "chunks", "vectors"} <= primary.keys()
    assert all(columns[0] == "space" for columns in primary.values()), primary


def test_each_unique_and_foreign_key_has_the_space(keys: list[tuple[str, str, list[str], str]]) -> None:
    without = [
        (table, kind, columns)
        for table, kind, columns, to in keys
        if "space" not in columns and to not in EVERYWHERE and columns != TAKEN_AWAY[2]
    ]
    assert without == []
    assert TAKEN_AWAY in [(table, kind, columns) for table, kind, columns, _ in keys]
