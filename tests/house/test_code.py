"""How the code is written: names, types, errors, defaults, output."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BANNED_WORDS = {
    "manager",
    "service",
    "helper",
    "util",
    "handler",
    "processor",
    "base",
    "impl",
    "info",
    "data",
}
VERSIONED = re.compile(r"v\d+\Z")
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+")
OPEN_END = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
MUTABLE_MAKERS = {"list", "dict", "set", "bytearray", "defaultdict", "deque"}


def nodes(trees: dict[str, ast.Module]) -> Iterator[tuple[str, str, ast.AST]]:
    """Every node: its module, its place, itself."""
    for module, tree in trees.items():
        for node in ast.walk(tree):
            yield module, f"{module}:{getattr(node, 'lineno', 0)}", node


def given_names(node: ast.AST) -> list[str]:
    """The names that a node gives to something of ours."""
    match node:
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            return [node.name]
        case ast.arg():
            return [node.arg]
        case ast.Name(ctx=ast.Store()):
            return [node.id]
        case ast.Attribute(ctx=ast.Store()):
            return [node.attr]
        case ast.alias(asname=str(name)):
            return [name]
        case _:
            return []


def is_banned(name: str) -> bool:
    words = [word.lower() for word in WORD.findall(name)]
    return any(word.removesuffix("s") in BANNED_WORDS or VERSIONED.match(word) for word in words)


def test_no_name_says_nothing(trees: dict[str, ast.Module]) -> None:
    modules = [module for module in trees if any(is_banned(part) for part in module.split("."))]
    named = [
        f"{place} {name}" for _, place, node in nodes(trees) for name in given_names(node) if is_banned(name)
    ]
    assert not modules + named, f"say what these are, in a word of the domain: {modules + named}"


def test_any_is_never_imported(trees: dict[str, ast.Module]) -> None:
    found = [
        place
        for _, place, node in nodes(trees)
        if (isinstance(node, ast.ImportFrom) and any(alias.name == "Any" for alias in node.names))
        or (isinstance(node, ast.Attribute) and node.attr == "Any")
    ]
    assert not found, f"name the type, or `object` where nothing is known of it: {found}"


def caught(handler: ast.ExceptHandler) -> set[str]:
    """The names of the errors that an `except` catches; none at all is BaseException."""
    if handler.type is None:
        return {"BaseException"}
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {ast.unparse(kind) for kind in kinds}


def raises_again(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    return isinstance(last, ast.Raise) and last.exc is None


def test_only_the_command_lines_one_handler_catches_everything(trees: dict[str, ast.Module]) -> None:
    wide = [
        (module, place)
        for module, place, node in nodes(trees)
        if isinstance(node, ast.ExceptHandler)
        and caught(node) & {"Exception", "BaseException"}
        and not raises_again(node)
    ]
    below = [place for module, place in wide if not module.startswith("lukasa.cli")]
    assert not below, f"catch what can be answered here, by its name: {below}"
    assert len(wide) <= 1, f"one handler is enough for a surface: {wide}"


def test_no_default_is_mutable(trees: dict[str, ast.Module]) -> None:
    found = [
        place
        for _, place, node in nodes(trees)
        if isinstance(node, ast.arguments)
        for default in [*node.defaults, *node.kw_defaults]
        if is_mutable(default)
    ]
    assert not found, f"make it a tuple, or None: {found}"


def is_mutable(default: ast.expr | None) -> bool:
    if isinstance(default, ast.Call):
        return ast.unparse(default.func).rpartition(".")[2] in MUTABLE_MAKERS
    return isinstance(default, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def test_only_the_command_line_prints(trees: dict[str, ast.Module]) -> None:
    found = [
        place
        for module, place, node in nodes(trees)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in {"print", "sys.stdout.write", "sys.stderr.write"}
        and not module.startswith("lukasa.cli")
    ]
    assert not found, f"return it, and let a surface show it: {found}"


def test_every_module_says_what_it_holds(trees: dict[str, ast.Module]) -> None:
    silent = [module for module, tree in trees.items() if not ast.get_docstring(tree)]
    assert not silent, f"give these a docstring of up to ten lines: {silent}"


def comments(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".sql":
        yield from (line for line in text.splitlines() if "--" in line)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_nothing_is_left_for_later_in_a_comment(tracked: list[Path]) -> None:
    found = [
        f"{path.name}: {comment.strip()}"
        for path in tracked
        if path.suffix in {".py", ".sql"}
        for comment in comments(path)
        if OPEN_END.search(comment)
    ]
    assert not found, f"do it, or open an issue: {found}"
