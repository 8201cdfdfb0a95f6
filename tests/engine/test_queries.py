"""The reader of named queries: blocks, intents, values, and the placeholders that each engine wants."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, LiteralString, cast
from urllib.parse import parse_qsl, urlsplit

import psycopg
import pytest
from psycopg import sql

from lukasa.db import open_database
from lukasa.db.queries import Query, load, parse

if TYPE_CHECKING:
    from lukasa.testing import FrozenClock

TWO = """-- All about tea. This stands before the first block and belongs to none.

-- query: find_tea
-- The tea of a name,
-- or none.
SELECT name FROM tea
WHERE name = :name;

-- query: count_tea
-- How much there is.
SELECT count(*) FROM tea
"""


def of(text: str) -> Query:
    return parse(f"-- query: one\n-- Its intent.\n{text}\n")[0]


def test_a_file_is_read_block_by_block() -> None:
    assert [query.name for query in parse(TWO)] == ["find_tea", "count_tea"]


def test_the_comment_under_the_name_is_the_intent_on_one_line() -> None:
    assert [query.intent for query in parse(TWO)] == ["The tea of a name, or none.", "How much there is."]


def test_the_statement_comes_without_its_semicolon_and_with_its_lines() -> None:
    assert [query.sql for query in parse(TWO)] == [
        "SELECT name FROM tea\nWHERE name = :name",
        "SELECT count(*) FROM tea",
    ]


def test_a_comment_inside_a_statement_stays_with_it() -> None:
    query = of("SELECT name -- the one that people type\nFROM tea")
    assert query.intent == "Its intent."
    assert query.sql == "SELECT name -- the one that people type\nFROM tea"


def test_a_file_without_blocks_gives_none() -> None:
    assert parse("") == []
    assert parse("-- Only a comment.\nSELECT 1;\n") == []


def test_a_block_without_an_intent_or_a_statement_has_empty_ones() -> None:
    bare, idle = parse("-- query: bare\nSELECT 1\n-- query: idle\n-- It does nothing.")
    assert (bare.intent, bare.sql) == ("", "SELECT 1")
    assert (idle.intent, idle.sql) == ("It does nothing.", "")


def test_the_mark_counts_only_at_the_beginning_of_a_line() -> None:
    found = parse("-- query: one\nSELECT 1 -- query: two\n  -- query: three\n")
    assert [query.name for query in found] == ["one"]


def test_values_are_named_once_each_in_the_order_of_their_first_use() -> None:
    assert of("SELECT :b, :a, :b FROM t WHERE x = :long_name").parameters == ("b", "a", "long_name")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ':no' FROM t",
        "SELECT 'it''s :no' FROM t",
        "SELECT 1 -- :no\nFROM t",
        "SELECT x::text FROM t",
        "SELECT '12:30', ':' FROM t",
    ],
)
def test_what_stands_in_a_text_a_comment_or_a_cast_is_no_value(sql: str) -> None:
    assert of(sql).parameters == ()
    assert of(sql).percent_style == sql


def test_a_value_beside_a_text_a_comment_and_a_cast_is_found() -> None:
    query = of("SELECT ':no', :yes::text -- :no\nWHERE x = 'a'':no' || :too")
    assert query.parameters == ("yes", "too")
    assert query.percent_style == "SELECT ':no', %(yes)s::text -- :no\nWHERE x = 'a'':no' || %(too)s"


def test_a_percent_sign_is_doubled_for_the_driver_wherever_it_stands() -> None:
    query = of("SELECT 7 % 2 -- 100 %\nWHERE x LIKE 'a%' AND y = :y")
    assert query.percent_style == "SELECT 7 %% 2 -- 100 %%\nWHERE x LIKE 'a%%' AND y = %(y)s"


def test_a_quote_in_a_comment_opens_no_text() -> None:
    assert of("SELECT 1 -- it's\nWHERE x = :x AND y = 'it'").parameters == ("x",)


def test_both_engines_have_the_same_queries_but_for_those_of_their_own_schema() -> None:
    assert load("postgres").keys() - load("sqlite").keys() == {
        "lock_schema",
        "schema_exists",
        "schema_tables",
    }
    assert load("sqlite").keys() <= load("postgres").keys()


def test_an_engines_own_text_takes_the_place_of_the_shared_one() -> None:
    assert load("sqlite")["next_number"].sql != load("postgres")["next_number"].sql
    assert load("sqlite")["list_spaces"] == load("postgres")["list_spaces"]
    assert load("sqlite") is load("sqlite")


@pytest.mark.parametrize("dialect", ["sqlite", "postgres"])
def test_every_query_has_an_intent_and_one_statement(dialect: str) -> None:
    for query in load("sqlite" if dialect == "sqlite" else "postgres").values():
        assert query.intent.endswith(".")
        assert query.sql
        assert ";" not in query.sql


def test_a_list_is_an_array_for_postgres_unless_it_is_to_keep_out() -> None:
    query = of(
        "SELECT 1 FROM tea WHERE a IN (SELECT value FROM json_each(CAST(:a AS TEXT)))\n"
        "AND b IN (SELECT CAST(value AS BIGINT) FROM json_each(CAST(:b AS TEXT)))\n"
        "AND c NOT IN (SELECT value FROM json_each(CAST(:c AS TEXT)))"
    )
    assert query.percent_style == (
        "SELECT 1 FROM tea WHERE a = ANY (ARRAY(SELECT value FROM json_each(CAST(%(a)s AS TEXT))))\n"
        "AND b = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM json_each(CAST(%(b)s AS TEXT))))\n"
        "AND c NOT IN (SELECT value FROM json_each(CAST(%(c)s AS TEXT)))"
    )
    assert query.parameters == ("a", "b", "c")


@pytest.mark.parametrize("name", ["get_entries", "get_tags", "get_names"])
def test_postgres_looks_lists_up_in_the_index(name: str, postgres_url: str, clock: FrozenClock) -> None:
    with closing(open_database(postgres_url, clock=clock)) as database:
        database.rows("list_agents")
    schema = parse_qsl(urlsplit(postgres_url).query)[-1][1]
    query = load("postgres")[name]
    values = dict.fromkeys(query.parameters, '["1"]')
    with psycopg.connect(postgres_url.replace(f"schema={schema}", "").rstrip("?&")) as connection:
        connection.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(schema)))
        connection.execute("SET enable_seqscan = off")
        explained = sql.SQL("EXPLAIN ") + sql.SQL(cast("LiteralString", query.percent_style))
        plan = " ".join(str(row[0]) for row in connection.execute(explained, values))
    # Both lists are conditions of the index, not filters on what it gives.
    assert re.search(r"Index Cond: \(\(space = ANY [^:]* = ANY ", plan), plan
