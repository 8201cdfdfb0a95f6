"""What the package offers by name, and that asking for it by `import lukasa` costs little."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import lukasa

if TYPE_CHECKING:
    from pathlib import Path

# Loaded by what needs them, never by `import lukasa`.
HEAVY = ("apsw", "rich", "platformdirs", "psycopg", "psycopg_pool", "numpy", "asyncio", "sqlite3")


def offered(tree: ast.Module) -> list[str]:
    """The names of `__all__`, as the module's text has them."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return (
                [ast.literal_eval(item) for item in node.value.elts]
                if isinstance(node.value, ast.List)
                else []
            )
    return []


def test_everything_that_the_package_lists_can_be_had() -> None:
    missing = [name for name in lukasa.__all__ if getattr(lukasa, name, None) is None]
    assert not missing, f"give these a home in lukasa.__init__: {missing}"


def test_the_package_lists_everything_that_it_offers() -> None:
    assert sorted(dir(lukasa)) == sorted(lukasa.__all__)
    homes: dict[str, str] = lukasa._HOMES  # pyright: ignore[reportPrivateUsage]
    assert {*homes, "__version__"} == set(lukasa.__all__)


def test_what_type_checkers_see_is_what_the_package_lists(trees: dict[str, ast.Module]) -> None:
    guarded = [node for node in trees["lukasa"].body if isinstance(node, ast.If)]
    seen = {
        alias.name
        for part in guarded
        for node in ast.walk(part)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == set(lukasa.__all__) - {"__version__"}


def test_a_star_import_brings_what_is_listed() -> None:
    code = "old = {*globals(), 'old'}; from lukasa import *; print(*sorted({*globals()} - old))"
    brought = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert brought.split() == sorted(lukasa.__all__)


def test_a_name_that_is_not_offered_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'remember'"):
        getattr(lukasa, "remember")  # noqa: B009 - the dotted form is refused by the type checker already


def test_every_module_has_what_it_lists(trees: dict[str, ast.Module]) -> None:
    missing = [
        f"{module}.{name}"
        for module, tree in trees.items()
        for name in offered(tree)
        if not hasattr(importlib.import_module(module), name)
    ]
    assert not missing, f"take these out of __all__, or write them: {missing}"


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, lukasa; print(*(name for name in {HEAVY} if name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not loaded.split(), f"import these where they are first needed: {loaded}"


def test_a_first_recall_loads_only_what_it_needs(tmp_path: Path) -> None:
    rare = ("checking", "formats", "pending", "records", "reindexing")
    code = f"""
import sys, lukasa
with lukasa.open(sys.argv[1]) as store:
    store.agent("ana").remember("Ana: The sea is near.", session_id="s1")
    assert store.agent("ana").recall("Where is the sea?").hits
print(*(name for name in sys.modules if name.removeprefix("lukasa.entries.") in {rare} or name == "numpy.ma"))
"""
    path = str(tmp_path / "memory.lukasa")
    loaded = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
