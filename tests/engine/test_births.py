"""Several at once make a store whose folder is not there yet: each of their writes is kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import lukasa

if TYPE_CHECKING:
    from pathlib import Path

WRITERS = 4


@pytest.mark.parametrize("below", ["", "new", "new/and/newer"])
def test_first_writes_at_once_are_all_kept(tmp_path: Path, below: str) -> None:
    for attempt in range(8):
        path = tmp_path / str(attempt) / below / "memory.lukasa"

        def write(number: int, path: Path = path) -> None:
            with lukasa.open(path) as store:
                store.agent("main").remember(f"Fact number {number}.")

        with ThreadPoolExecutor(WRITERS) as pool:
            for done in [pool.submit(write, number) for number in range(WRITERS)]:
                done.result()
        with lukasa.open(path) as store:
            assert store.agent("main").stats().entries == WRITERS
            assert store.check().ok
        assert [each.name for each in path.parent.iterdir()] == ["memory.lukasa"]


def test_a_store_in_a_store_folder_is_made_inside_anothers_first_write(tmp_path: Path) -> None:
    with lukasa.open(tmp_path / "one.lukasa") as one, lukasa.open(tmp_path / "in" / "two.lukasa") as two:
        with one.transaction():
            one.agent("main").remember("The first.")
            two.agent("main").remember("The second, made while the first is not there yet.")
        assert (one.agent("main").stats().entries, two.agent("main").stats().entries) == (1, 1)
