"""Imports point down only, and never in a circle; an import inside a function counts like any other."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter

import pytest

# From the ground up; the modules of one line stand on one floor.
LAYERS = (
    ("errors", "ids", "clock", "scope", "config", "matrices"),
    ("secrets", "text", "db", "embed"),
    ("entries",),
    ("recall",),
    ("handle", "memory", "bench"),
    ("operations",),
    ("toolsets",),
    ("hooks",),
    ("install",),
    ("", "cli", "__main__", "mcp", "testing"),  # "" is the package itself, which offers what stands below
)
FLOOR = {name: height for height, names in enumerate(LAYERS) for name in names}
TESTING = "testing"


def imports_of(module: str, tree: ast.Module, known: set[str]) -> set[str]:
    """The modules of ours that a module imports anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & known) or {node.module}
    return (found & known) - {module}


def part(module: str) -> str:
    """The part of the house that a module belongs to: `lukasa.db.sqlite` to `db`."""
    return module.split(".")[1] if "." in module else ""


@pytest.fixture
def imports(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    return {module: imports_of(module, tree, set(trees)) for module, tree in trees.items()}


def test_every_part_of_the_house_has_a_floor(trees: dict[str, ast.Module]) -> None:
    homeless = {part(module) for module in trees} - FLOOR.keys()
    assert not homeless, f"give these parts a floor in LAYERS: {sorted(homeless)}"


def test_imports_point_down_only(imports: dict[str, set[str]]) -> None:
    wrong = [
        f"{module} imports {target}"
        for module, targets in imports.items()
        for target in targets
        if FLOOR[part(target)] > FLOOR[part(module)]
    ]
    assert not wrong, f"move what is needed down, or the one who needs it up: {wrong}"


def test_nothing_stands_on_the_testing_part(imports: dict[str, set[str]]) -> None:
    wrong = [
        f"{module} imports {target}"
        for module, targets in imports.items()
        for target in targets
        if part(target) == TESTING != part(module)
    ]
    assert not wrong, f"lukasa.testing is for tests; move the shared piece down: {wrong}"


def test_imports_never_go_in_a_circle(imports: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(f"break this circle by moving what both need into a module below: {error.args[1]}")
