"""The session view: notes with ids, tags and a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from lukasa.db.database import Json

    from .conftest import Boxes


def of(said: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", said)


def found(said: Json) -> list[dict[str, Json]]:
    return cast("list[dict[str, Json]]", of(said)["notes"])


def test_a_note_is_saved_found_changed_and_deleted(box: Boxes) -> None:
    notes = box("session")
    saved = of(notes.call("memory_save", {"content": "Tea is green.", "tags": ["Tea"], "source": "web"}))
    assert saved == {"id": saved["id"], "saved": True}
    assert str(saved["id"]).startswith("note-")
    said = notes.call("memory_search", {"query": "green tea"})
    note = found(said)[0]
    assert of(said)["count"] == 1
    assert note == {
        "id": saved["id"],
        "content": "Tea is green.",
        "tags": ["tea"],
        "source": "web",
        "score": note["score"],
    }
    changed = notes.call("memory_update", {"id": saved["id"], "content": "Tea is black.", "tags": ["new"]})
    assert of(changed) == {
        "id": saved["id"],
        "content": "Tea is black.",
        "tags": ["new"],
        "source": "web",
        "updated": True,
    }
    assert notes.call("memory_delete", {"id": saved["id"]}) == {"id": saved["id"], "deleted": True}
    assert notes.call("memory_search", {"query": "tea"}) == {"notes": [], "count": 0}


def test_tags_and_source_narrow_a_search(box: Boxes) -> None:
    notes = box("session")
    for number in range(20):
        notes.call("memory_save", {"content": f"Green tea number {number}.", "source": "web"})
    notes.call("memory_save", {"content": "Tea for two.", "tags": ["song"], "source": "radio"})
    ways: list[dict[str, Json]] = [{"tags": ["song"]}, {"source": "radio"}]
    for narrowed in ways:
        said = notes.call("memory_search", {"query": "green tea", **narrowed})
        assert [note["content"] for note in found(said)] == ["Tea for two."]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("memory_delete", {"id": "17"}, "There is no note '17'; an id begins with note-."),
        ("memory_delete", {"id": "note-01"}, "There is no entry '01'."),
        (
            "memory_update",
            {"id": "note-1"},
            "memory_update needs something to change. Give content, tags or source.",
        ),
        ("memory_save", {"content": " "}, "A content was wanted, found only white space."),
    ],
)
def test_an_error_says_what_to_do(box: Boxes, name: str, arguments: dict[str, Json], error: str) -> None:
    reply = box("session").reply(name, arguments)
    assert reply.failed
    assert str(of(reply.said)["error"]).startswith(error)


def test_another_agents_note_is_not_there(box: Boxes) -> None:
    saved = of(box("session", agent="ben").call("memory_save", {"content": "Ben's secret."}))
    for name, arguments in {"memory_delete": {}, "memory_update": {"content": "x"}}.items():
        said = of(box("session").call(name, {"id": saved["id"], **arguments}))
        assert "There is no entry" in str(said["error"])
        assert "secret" not in str(said["error"])
