"""The entry store's view: named notes, five ways to write, archives that a model cannot lose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from lukasa.db.database import Json

    from .conftest import Boxes

DAY = "2026-"


def test_a_note_is_kept_replaced_found_and_forgotten(box: Boxes) -> None:
    notes = box("entries")
    assert str(notes.call("remember", {"name": "deploy", "content": "make ship"})).startswith(
        'Remembered #1 "deploy" note, '
    )
    assert str(notes.call("remember", {"name": "deploy", "content": "make release"})).startswith(
        'Rewrote #1 "deploy" note, '
    )
    assert notes.call("recall", {"query": "deploy"}) == "[deploy]\nmake release"
    assert str(notes.call("forget", {"name": "deploy"})).startswith('Forgot #1 "deploy" note, ')
    assert notes.call("recall", {"query": "deploy"}) == "No notes found. Try other words."


@pytest.mark.parametrize("name", ["1", "#1"])
def test_a_note_that_is_called_as_another_is_counted_replaces_nothing(box: Boxes, name: str) -> None:
    notes = box("entries")
    notes.call("remember", {"name": "deploy", "content": "make ship"})
    said = str(notes.call("remember", {"name": name, "content": "first of all"}))
    assert said.startswith(f'Remembered #2 "{name}" note, ')
    assert notes.binding.handle.get("deploy").content == "make ship"
    assert str(notes.call("remember", {"name": f" {name} ", "content": "again"})).startswith("Rewrote #2 ")


def test_a_name_is_the_same_however_its_letters_are_composed(box: Boxes) -> None:
    notes = box("entries")
    notes.call("remember", {"name": "caf\u00e9", "content": "open"})
    assert str(notes.call("remember", {"name": "cafe\u0301", "content": "shut"})).startswith("Rewrote #1 ")


def test_the_five_ways_to_write(box: Boxes) -> None:
    notes = box("entries")
    handle = notes.binding.handle
    assert str(notes.call("add", {"name": "deploy", "content": "make ship"})).startswith('Added #1 "deploy"')
    taken = str(notes.call("add", {"name": "deploy", "content": "again"}))
    assert taken.startswith("Error: The name 'deploy' is taken in agent/ana.")
    notes.call("alias", {"name": "deploy", "alias": "ship"})
    notes.call("write", {"name": "ship", "content": "make release"})
    notes.call("rename", {"name": "ship", "new_name": "release"})
    entry = handle.get("release")
    assert (entry.number, entry.content, entry.name, entry.aliases) == (
        1,
        "make release",
        "release",
        ("ship",),
    )
    assert handle.find("deploy") is None
    assert str(notes.call("remove", {"name": "ship"})).startswith('Removed #1 "release"')
    assert handle.stats().entries == 0


def test_an_unknown_name_is_told_with_the_nearest(box: Boxes) -> None:
    notes = box("entries")
    notes.call("add", {"name": "deploy", "content": "make ship"})
    said = notes.call("write", {"name": "deplyo", "content": "x"})
    assert said == "Error: There is no entry 'deplyo'. The nearest names: 'deploy'."


@pytest.mark.parametrize(
    ("name", "arguments", "what"),
    [
        ("remember", {"name": "talk-1", "content": "x"}, "overwritten"),
        ("write", {"name": "old-talk", "content": "x"}, "overwritten"),
        ("forget", {"name": "talk-1"}, "forgotten"),
        ("remove", {"name": "old-talk"}, "forgotten"),
    ],
)
def test_an_archive_stays(box: Boxes, name: str, arguments: dict[str, Json], what: str) -> None:
    notes = box("entries")
    archive = notes.binding.handle.add("talk-1", "What was said.", kind="archive")
    notes.binding.handle.alias("talk-1", "old-talk")
    said = notes.call(name, arguments)
    assert said == (
        f"Error: talk-1 is an archive and cannot be {what}. "
        "Read it with recall; write what is new under another name."
    )
    assert notes.binding.handle.get(archive.id).content == "What was said."
