"""Which PostgreSQL is spoken to: by every form of URL, and the one that LUKASA_TEST_POSTGRES names."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import psycopg
import pytest

from lukasa.db import open_database
from lukasa.db.postgres import PostgresDatabase
from lukasa.errors import StoreBusyError, StoreError, StoreForeignError, UsageError
from lukasa.testing import FrozenClock

ROOT = Path(__file__).parents[2]
ONE_TEST = "tests/engine/test_database.py::test_rows_come_in_the_order_of_the_query[postgres]"
PASSWORD = "tea-in-the-tin"  # noqa: S105 - it opens nothing
NOBODY_LISTENS = "postgresql://ana@127.0.0.1:1/memory"


def run_one_test(server: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ONE_TEST],
        cwd=ROOT,
        env=os.environ | {"LUKASA_TEST_POSTGRES": server},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
def test_the_tests_use_the_server_that_is_given(postgres_server: str) -> None:
    done = run_one_test(postgres_server)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


@pytest.mark.slow
def test_the_tests_use_no_other_server_than_the_given_one() -> None:
    done = run_one_test(NOBODY_LISTENS)
    assert done.returncode == 1
    assert "127.0.0.1" in done.stdout
    assert "passed" not in done.stdout


def everything_in_the_query(url: str, **more: str) -> str:
    """The same server, named by a URL that has no host before its path."""
    parts = urlsplit(url)
    named = {"host": parts.hostname, "port": parts.port, "user": parts.username, "password": parts.password}
    given = {word: str(value) for word, value in named.items() if value}
    return (
        f"postgresql://{parts.path}?{urlencode(given | dict(parse_qsl(parts.query)) | more, quote_via=quote)}"
    )


def test_a_url_without_a_host_is_understood(postgres_server: str, postgres_url: str) -> None:
    schema = postgres_url.rpartition("schema=")[2]
    url = everything_in_the_query(postgres_server, schema=schema, application_name="tea for two")
    with closing(open_database(url, clock=FrozenClock())) as database:
        assert len(database.rows("list_migrations")) > 0
        with psycopg.connect(postgres_server) as connection:
            named = connection.execute(
                "SELECT 1 FROM pg_stat_activity WHERE application_name = 'tea for two'"
            )
            assert named.fetchall()
        assert database.location.startswith("postgresql:///")
        assert database.location.endswith(f"?schema={schema}")


def test_a_location_never_shows_the_password(postgres_server: str, postgres_url: str) -> None:
    schema = postgres_url.rpartition("schema=")[2]
    url = everything_in_the_query(postgres_server, schema=schema, password=PASSWORD)
    with closing(open_database(url, clock=FrozenClock())) as database:
        assert PASSWORD not in database.location


def test_a_server_that_does_not_answer_is_named_without_the_password() -> None:
    with pytest.raises(StoreError, match=r"(?s)did not answer.*Check that the server runs") as caught:
        open_database(f"postgresql://ana:{PASSWORD}@127.0.0.1:1/memory", clock=FrozenClock())
    assert "127.0.0.1:1/memory" in str(caught.value)
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize("schema", ["two words", "a-b", "tea;drop", "Ünder"])
def test_a_schema_name_that_is_none_is_refused(schema: str) -> None:
    with pytest.raises(UsageError, match="A schema name was wanted"):
        open_database(f"{NOBODY_LISTENS}?schema={schema}", clock=FrozenClock())


def test_a_schema_of_something_else_is_refused_and_left_as_it_is(
    postgres_server: str, postgres_url: str
) -> None:
    schema = postgres_url.rpartition("schema=")[2]
    with psycopg.connect(postgres_server, autocommit=True, options=f"-c search_path={schema}") as connection:
        connection.execute(f"CREATE SCHEMA {schema}".encode())
        connection.execute("CREATE TABLE migrations (of_somebody_else TEXT)")
        with pytest.raises(
            StoreForeignError, match=rf"{schema} holds tables of something else.*\?schema=NAME"
        ):
            open_database(postgres_url, clock=FrozenClock())
        found = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        ).fetchall()
        assert found == [("migrations",)]


def add(database: PostgresDatabase, space: str, number: int) -> None:
    with database.transaction():
        database.rows("add_space", space=space, number=number, owner=None, added=0, now=1)


def test_a_writer_that_meets_the_lock_of_another_hears_that_the_store_is_busy(
    postgres_server: str, postgres_url: str, clock: FrozenClock
) -> None:
    schema = postgres_url.rpartition("schema=")[2]
    with closing(PostgresDatabase(postgres_url, clock=clock, wait=50)) as database:
        add(database, "project/a", 1)
        with psycopg.connect(postgres_server, options=f"-c search_path={schema}") as other:
            other.execute("SELECT number FROM spaces FOR UPDATE")
            with pytest.raises(StoreBusyError, match=rf"(?s){schema} is held by another writer.*Try again"):
                add(database, "project/a", 1)
            assert [row.integer("version") for row in database.rows("list_spaces", after="", limit=9)] == [1]
        add(database, "project/a", 1)
        assert [row.integer("version") for row in database.rows("list_spaces", after="", limit=9)] == [2]


def test_a_store_that_another_process_migrates_is_busy(
    postgres_server: str, postgres_url: str, clock: FrozenClock
) -> None:
    schema = postgres_url.rpartition("schema=")[2]
    with psycopg.connect(postgres_server) as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"lukasa {schema}"])
        with pytest.raises(StoreBusyError, match="is held by another writer"):
            PostgresDatabase(postgres_url, clock=clock, wait=50)
    PostgresDatabase(postgres_url, clock=clock, wait=50).close()
