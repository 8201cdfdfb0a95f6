"""Caps on size. One is raised only together with a line in the CHANGELOG that says why."""

from __future__ import annotations

import ast
from statistics import median
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

FILE_LINES = 500
FUNCTION_LINES = 60
MEDIAN_FUNCTION_LINES = 10
PARAMETERS = 8
METHODS = 25
ERROR_CLASSES = 16
PROTOCOLS = 4
PYTHON_LINES = 22_000  # the contract suite, which ships in src, counts as tests
SQL_LINES = 2_000
TESTS_TO_SOURCE = 0.9  # the aim is 1.2 to 1.7

Function = ast.FunctionDef | ast.AsyncFunctionDef


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def parameters(function: Function) -> int:
    """How many parameters it takes; `self` and `cls` are not counted."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [arguments.vararg, arguments.kwarg]
    return sum(argument.arg not in {"self", "cls"} for argument in named) + sum(map(bool, rest))


def parents_of(node: ast.ClassDef) -> set[str]:
    return {ast.unparse(base).split("[")[0].rpartition(".")[2] for base in node.bases}


@pytest.fixture
def functions(trees: dict[str, ast.Module]) -> list[tuple[str, Function]]:
    return [
        (f"{module}:{node.lineno} {node.name}", node)
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


@pytest.fixture
def classes(trees: dict[str, ast.Module]) -> list[tuple[str, ast.ClassDef]]:
    return [
        (f"{module}:{node.lineno} {node.name}", node)
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]


def test_no_file_is_longer_than_its_cap(root: Path) -> None:
    code = [path for folder in ("src", "tests", "benchmarks") for path in (root / folder).rglob("*.py")]
    sql = (root / "src").rglob("*.sql")
    long = {str(path.relative_to(root)): lines_of(path) for path in [*code, *sql]}
    long = {name: count for name, count in long.items() if count > FILE_LINES}
    assert not long, f"split these by what they are about: {long}"


def test_no_function_is_longer_than_its_cap(functions: list[tuple[str, Function]]) -> None:
    long = {name: length(node) for name, node in functions if length(node) > FUNCTION_LINES}
    assert not long, f"take the steps of these out into functions with names: {long}"


def test_functions_are_short_on_the_whole(functions: list[tuple[str, Function]]) -> None:
    middle = median(length(node) for _, node in functions)
    assert middle <= MEDIAN_FUNCTION_LINES, f"the median function has {middle} lines; split the longest"


def test_no_function_takes_too_many_parameters(functions: list[tuple[str, Function]]) -> None:
    wide = {name: parameters(node) for name, node in functions if parameters(node) > PARAMETERS}
    assert not wide, f"what travels together is a frozen dataclass: {wide}"


def test_no_class_has_too_many_methods(classes: list[tuple[str, ast.ClassDef]]) -> None:
    counts = {name: sum(isinstance(part, Function) for part in node.body) for name, node in classes}
    large = {name: count for name, count in counts.items() if count > METHODS}
    assert not large, f"these do more than one thing: {large}"


def test_there_are_few_error_classes(classes: list[tuple[str, ast.ClassDef]]) -> None:
    errors = [name for name, node in classes if node.name.endswith("Error") and node.name[0] != "_"]
    assert len(errors) <= ERROR_CLASSES, f"give an error of the tree another message: {errors}"


def test_there_are_few_protocols(classes: list[tuple[str, ast.ClassDef]]) -> None:
    protocols = [name for name, node in classes if "Protocol" in parents_of(node)]
    assert len(protocols) <= PROTOCOLS, f"no abstraction before its second implementation: {protocols}"


def test_the_whole_of_it_stays_small(root: Path) -> None:
    suite = sum(lines_of(path) for path in (root / "src/lukasa/testing").rglob("*.py"))
    python = sum(lines_of(path) for path in (root / "src").rglob("*.py")) - suite
    sql = sum(lines_of(path) for path in (root / "src").rglob("*.sql"))
    assert python <= PYTHON_LINES, f"src holds {python} lines of Python; take out what is not needed"
    assert sql <= SQL_LINES, f"src holds {sql} lines of SQL; take out what is not needed"


def test_there_are_tests_enough(root: Path) -> None:
    source = sum(lines_of(path) for path in (root / "src").rglob("*.py"))
    tests = sum(lines_of(path) for path in (root / "tests").rglob("*.py"))
    suite = sum(lines_of(path) for path in (root / "src/lukasa/testing").rglob("*.py"))
    ratio = (tests + suite) / (source - suite)
    assert ratio >= TESTS_TO_SOURCE, f"{ratio:.2f} lines of tests for a line of source; write what is missing"
