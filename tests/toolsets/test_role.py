"""The role view: exact texts, cosine scores, a cap on what an agent keeps."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import lukasa
from lukasa.clock import to_millis
from lukasa.config import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from lukasa.testing import FrozenClock

    from .conftest import Boxes

MORNING = to_millis(datetime(2025, 6, 1, 10, 30, tzinfo=UTC))


def test_the_texts_are_those_of_the_view(box: Boxes, clock: FrozenClock) -> None:
    role = box("role")
    clock.forward(seconds=(MORNING - clock.now()) / 1_000)
    assert role.call("recall", {"query": "tea"}) == "No memories stored yet."
    assert role.call("list_memories") == "No memories stored yet."
    said = role.call("remember", {"content": "The user drinks green tea.", "category": "My Preferences"})
    assert said == "Remembered (id=1, category=my_preferences)"
    assert role.call("remember", {"content": "Paris is far away."}) == "Remembered (id=2, category=general)"
    assert role.call("recall", {"query": "The user drinks green tea.", "top_k": 1}) == (
        "[Category: my_preferences | Score: 1.000 | 2025-06-01T10:30:00+00:00]\nThe user drinks green tea."
    )
    both = str(role.call("recall", {"query": "what does the user drink"}))
    assert both.count("\n\n---\n\n[Category: ") == 1
    assert role.call("recall", {"query": "tea", "category": "none"}) == "No relevant memories found."
    assert role.call("list_memories", {"category": "none"}) == "No memories found."
    assert role.call("list_memories", {"category": "my preferences"}) == (
        "[Category: my_preferences | id=1 | 2025-06-01T10:30:00+00:00]\nThe user drinks green tea."
    )


def test_scores_fall_from_first_to_last(box: Boxes) -> None:
    role = box("role")
    for text in ("Tea is green.", "Coffee is black.", "The train to Rome leaves at nine."):
        role.call("remember", {"content": text})
    said = str(role.call("recall", {"query": "green tea"}))
    scores = [float(part.split(" ")[0]) for part in said.split("Score: ")[1:]]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert 0 <= scores[-1] < scores[0] <= 1


def test_without_a_model_it_recalls_by_words(tmp_path: Path) -> None:
    with lukasa.open(tmp_path / "m.lukasa", settings=Settings(embedding="none")) as store:
        role = lukasa.tools("role", store=store, agent="ana")
        role.call("remember", {"content": "Tea is green."})
        assert "Score: 1.000" in str(role.call("recall", {"query": "green tea"}))
        assert role.call("recall", {"query": "motor"}) == "No relevant memories found."


def test_an_agent_keeps_a_thousand_memories_at_most(tmp_path: Path) -> None:
    with lukasa.tools("role", store=tmp_path / "m.lukasa", agent="ana") as role:
        assert role.toolset.max_memories == 1_000
        handle = role.binding.handle
        with role.binding.store.transaction():
            for number in range(1_003):
                handle.remember(f"Fact number {number}.")
        assert handle.stats().entries == 1_000


def test_an_error_says_what_to_do(box: Boxes) -> None:
    said = box("role").call("remember", {"body": "x"})
    assert said == "Error: remember takes no argument 'body'. It takes content, category."
