"""All SQL has a name and lives in a `.sql` file; each query over an agent's rows is bound to spaces."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, get_args

import pytest

from lukasa.db.database import Dialect
from lukasa.db.queries import Query, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DIALECTS: tuple[Dialect, ...] = get_args(Dialect)
SCOPED = {"entries", "names", "tags", "edges", "history", "chunks", "vectors", "recall_events", "outbox"}
BOUNDS = {"spaces", "space", "agent"}

# Queries over scoped tables that see every space, and why they may.
FOR_THE_OPERATOR = {
    "check_entry_spaces": "`check` verifies a whole store",
    "check_space_counts": "`check` verifies a whole store",
    "check_names": "`check` verifies a whole store",
    "check_tags": "`check` verifies a whole store",
    "check_edges": "`check` verifies a whole store",
    "check_superseded": "`check` verifies a whole store",
    "check_history": "`check` verifies a whole store",
    "check_completed": "`check` verifies a whole store",
    "check_chunk_counts": "`check` verifies a whole store",
    "check_chunk_owners": "`check` verifies a whole store",
    "check_chunk_versions": "`check` verifies a whole store",
    "check_vectors": "`check` verifies a whole store",
    "check_recall_events": "`check` verifies a whole store",
    "check_outbox": "`check` verifies a whole store",
}

# Statements that stand in Python, by how their modules are called, and why no named query can be them.
TRANSACTIONS = {
    "BEGIN": "the engine's own transactions",
    "COMMIT": "the engine's own transactions",
    "ROLLBACK": "the engine's own transactions",
    "SAVEPOINT": "a nested transaction has a name of its own",
    "RELEASE": "a nested transaction has a name of its own",
}
IN_PYTHON = {
    "lukasa.db.sqlite": TRANSACTIONS
    | {"PRAGMA": "tells the engine, not the data", "VACUUM": "tells the engine, not the data"},
    "lukasa.db.birth": {"PRAGMA": "tells the engine, not the data"},
    "lukasa.db.postgres": TRANSACTIONS
    | {
        "VACUUM": "runs outside every transaction, over a schema chosen by the URL",
        "CREATE SCHEMA": "the schema's name comes from the URL",
    },
    "lukasa.db.queries": {
        "(?<!NOT )IN": "finds the lists in a query, whatever it asks for",
        "= ANY": "what PostgreSQL is given in their place",
    },
}
STATEMENT = re.compile(
    r"""\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|VACUUM|BEGIN|COMMIT|ROLLBACK|SAVEPOINT
    |RELEASE|WITH|EXPLAIN|ANALYZE|REINDEX|TRUNCATE|GRANT|LOCK|LISTEN|NOTIFY|SET\ TRANSACTION)\b
    |(?i:.*\b(?:SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(?:TABLE|INDEX))\s)""",
    re.VERBOSE | re.DOTALL,
)
STAR = re.compile(r"SELECT\s+(?:DISTINCT\s+)?\*|\w\.\*", re.IGNORECASE)
TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)", re.IGNORECASE)

# Modules that are handed a query's name and pass it on.
PASS_IT_ON = ("lukasa.db.", "lukasa.testing.", "lukasa.entries.checking")


@pytest.fixture(params=DIALECTS)
def queries(request: pytest.FixtureRequest) -> dict[str, Query]:
    return load(request.param)


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The string literals of a module, without its docstrings; a hole in an f-string is a `?`."""
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    skipped |= {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "?" for part in node.values)
            yield node.lineno, "".join(map(str, parts))


def allowed_in(module: str) -> tuple[str, ...]:
    """How a statement may begin that stands in a module."""
    return tuple(word for start, words in IN_PYTHON.items() if module.startswith(start) for word in words)


def test_no_sql_stands_in_python(trees: dict[str, ast.Module]) -> None:
    found = [
        f"{module}:{line} {text[:50]!r}"
        for module, tree in trees.items()
        for line, text in texts(tree)
        if STATEMENT.match(text) and not text.strip().startswith(allowed_in(module))
    ]
    assert not found, f"give it a name in db/sql/, or a reason in IN_PYTHON: {found}"


def holds_queries(node: ast.expr) -> bool:
    """Whether an engine keeps its queries there, by name."""
    return ast.unparse(node).rpartition(".")[2].lstrip("_") in {"queries", "texts"}


def asked_for(trees: dict[str, ast.Module]) -> Iterator[tuple[str, str | None, ast.Call | None]]:
    """Each place that asks for a query: where, its name if it stands there, and the call."""
    for module, tree in trees.items():
        for node in ast.walk(tree):
            where = f"{module}:{getattr(node, 'lineno', 0)}"
            match node:
                case ast.Call(func=ast.Attribute(attr="rows" | "row"), args=[ast.Constant(value=str(name))]):
                    yield where, name, node
                case ast.Call(func=ast.Attribute(attr="rows" | "row"), args=[_, *_]):
                    yield where, None, node
                case ast.Subscript(value=held, slice=ast.Constant(value=str(name))) if holds_queries(held):
                    yield where, name, None
                case _:
                    pass


def test_every_name_that_is_asked_for_is_a_query(
    trees: dict[str, ast.Module], queries: dict[str, Query]
) -> None:
    only_here = {name for dialect in DIALECTS for name in load(dialect)} - queries.keys()
    missing = [
        f"{where} {name}"
        for where, name, _ in asked_for(trees)
        if name is not None and name not in queries and not (name in only_here and ".db." in where)
    ]
    assert not missing, f"write these queries, or correct their names: {missing}"


def test_a_name_stands_where_its_query_is_asked_for(trees: dict[str, ast.Module]) -> None:
    hidden = [
        where for where, name, _ in asked_for(trees) if name is None and not where.startswith(PASS_IT_ON)
    ]
    assert not hidden, f"write the query's name into the call: {hidden}"


def test_every_query_is_asked_for(trees: dict[str, ast.Module], queries: dict[str, Query]) -> None:
    used = {name for _, name, _ in asked_for(trees)}
    idle = [name for name in queries if name not in used and not name.startswith("check_")]
    assert not idle, f"take these out: {idle}"


def test_every_call_gives_its_query_what_it_names(
    trees: dict[str, ast.Module], queries: dict[str, Query]
) -> None:
    wrong = [
        f"{where} {name}"
        for where, name, call in asked_for(trees)
        if name is not None and call is not None and all(keyword.arg for keyword in call.keywords)
        if name in queries and {keyword.arg for keyword in call.keywords} != set(queries[name].parameters)
    ]
    assert not wrong, f"the keywords of these calls are not their query's values: {wrong}"


def test_a_query_over_an_agents_rows_names_its_spaces(queries: dict[str, Query]) -> None:
    loose = [
        name
        for name, query in queries.items()
        if SCOPED & set(TABLE.findall(query.sql))
        and not BOUNDS & set(query.parameters)
        and name not in FOR_THE_OPERATOR
    ]
    assert not loose, f"bind them by :spaces, :space or :agent, or say why not in FOR_THE_OPERATOR: {loose}"


def test_the_operators_list_is_no_longer_than_it_must_be(queries: dict[str, Query]) -> None:
    bound = [
        name
        for name in FOR_THE_OPERATOR
        if name not in queries or not SCOPED & set(TABLE.findall(queries[name].sql))
    ]
    assert not bound, f"take these out of FOR_THE_OPERATOR: {bound}"


def test_only_check_sees_every_space_without_a_bound() -> None:
    assert all(name.startswith("check_") for name in FOR_THE_OPERATOR)


def test_every_column_is_named(root: Path) -> None:
    starred = [
        path.name for path in (root / "src").rglob("*.sql") if STAR.search(path.read_text(encoding="utf-8"))
    ]
    assert not starred, f"name the columns that are wanted in: {starred}"


def test_every_query_says_its_intent(queries: dict[str, Query]) -> None:
    silent = [name for name, query in queries.items() if not query.intent.endswith((".", "?"))]
    assert not silent, f"put a sentence under `-- query:` in: {silent}"


def test_every_migration_says_its_intent(root: Path) -> None:
    steps = list((root / "src/lukasa/db/sql/migrations").rglob("*.sql"))
    silent = [str(path) for path in steps if not path.read_text(encoding="utf-8").startswith("-- ")]
    assert steps
    assert not silent, f"begin these with a line that says what they bring: {silent}"
