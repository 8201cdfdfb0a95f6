"""Errors: the tree that the docstring draws is the tree of the classes; each says what to do."""

from __future__ import annotations

import pickle
import re

import pytest

from lukasa import errors
from lukasa.errors import LukasaError, MissingExtraError, NotFoundError, SecretError

LINE = re.compile(r"(?P<depth>(?:│   |    |├── |└── )*)(?P<name>\w+Error)(?: {2,}(?P<said>\S.*))?$")
CLASSES = {name: getattr(errors, name) for name in errors.__all__}


def drawn() -> dict[str, tuple[str | None, str]]:
    """Each class of the drawing with its parent and what is said of it."""
    found: dict[str, tuple[str | None, str]] = {}
    path: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        match = LINE.match(line)
        if match:
            depth = len(match["depth"]) // 4
            path[depth:] = [match["name"]]
            found[match["name"]] = (path[depth - 1] if depth else None, match["said"] or "")
    return found


def subclasses(kind: type[LukasaError]) -> dict[str, str | None]:
    below = {name: parent for child in kind.__subclasses__() for name, parent in subclasses(child).items()}
    parent = kind.__base__
    return {kind.__name__: None if parent in (None, Exception) else parent.__name__} | below


def test_the_tree_that_is_drawn_is_the_tree_of_the_classes() -> None:
    ours = {name: parent for name, parent in subclasses(LukasaError).items() if name in vars(errors)}
    assert {name: parent for name, (parent, _) in drawn().items()} == ours


def test_every_error_is_offered_and_drawn_once() -> None:
    assert sorted(drawn()) == sorted(errors.__all__)
    assert len((errors.__doc__ or "").split("LukasaError")) == 2
    assert all(issubclass(kind, LukasaError) for kind in CLASSES.values())


def test_each_class_says_what_it_means_and_so_does_the_drawing() -> None:
    assert all((kind.__doc__ or "").strip().endswith(".") for kind in CLASSES.values())
    assert all(said for name, (_, said) in drawn().items() if name != "LukasaError")


@pytest.mark.parametrize(
    "name", sorted(set(errors.__all__) - {"SecretError", "MissingExtraError", "NotFoundError"})
)
def test_an_error_says_what_was_found_and_then_what_to_do(name: str) -> None:
    error = CLASSES[name]("It is so.", fix="Do that.")
    assert (str(error), error.message, error.fix) == ("It is so. Do that.", "It is so.", "Do that.")
    assert str(CLASSES[name]("It is so.")) == "It is so."


def test_what_is_not_found_names_the_nearest_or_says_how_to_look() -> None:
    near = NotFoundError(wanted="entry 'deply'", near=["deploy", "depot"])
    assert str(near) == "There is no entry 'deply'. The nearest names: 'deploy', 'depot'."
    assert near.near == ("deploy", "depot")
    assert str(NotFoundError(wanted="entry 7")) == "There is no entry 7. `list` shows what is there."


def test_a_secret_is_told_by_its_kind_and_place() -> None:
    error = SecretError(where="summary", kinds=("GitHub token", "AWS access key id"))
    assert "The summary holds" in str(error)
    assert "(GitHub token, AWS access key id)" in str(error)
    assert (error.where, error.kinds) == ("summary", ("GitHub token", "AWS access key id"))


def test_a_missing_part_says_what_to_install() -> None:
    error = MissingExtraError(wanted="A PostgreSQL store", extra="postgres")
    assert str(error).endswith("pip install 'lukasa[postgres]'")
    assert error.extra == "postgres"


def test_an_odd_name_cannot_break_the_message() -> None:
    shown = str(NotFoundError(wanted="entry 'x'", near=["a\nb", "[red]", "it's"]))
    assert "\n" not in shown
    assert r"'a\nb', '[red]', \"it's\"" in shown.replace('"', r"\"")


def test_an_error_crosses_processes_unchanged() -> None:
    for name in sorted(set(errors.__all__) - {"SecretError", "MissingExtraError", "NotFoundError"}):
        back = pickle.loads(pickle.dumps(CLASSES[name]("It is so.")))  # noqa: S301 - our own bytes
        assert (type(back), str(back)) == (CLASSES[name], "It is so.")
