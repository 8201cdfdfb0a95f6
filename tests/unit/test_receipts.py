"""A rehearsal of an erasure counts what the erasure then takes away."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import lukasa

if TYPE_CHECKING:
    from pathlib import Path


def test_a_dry_run_counts_each_link_once_as_the_erasure_does(store: lukasa.Store) -> None:
    ana = store.agent("ana", shares=["project/apollo"])
    first, second = ana.remember("The build is slow."), ana.remember("The build takes 20 minutes.")
    shared = ana.remember("Builds are to be quick.", scope="project/apollo")
    ana.link(second.id, "supports", first.id)
    ana.link(first.id, "supports", second.id)
    ana.link(shared.id, "about", first.id)
    rehearsed = store.forget_agent("ana", dry_run=True)
    assert rehearsed.links == 3
    erased = store.forget_agent("ana")
    assert replace(erased, remains=()) == replace(rehearsed, remains=(), dry_run=False)


def test_a_forgotten_entry_counts_the_links_from_and_to_it(store: lukasa.Store) -> None:
    ana = store.agent("ana")
    first, second = ana.remember("The build is slow."), ana.remember("The build takes 20 minutes.")
    ana.link(second.id, "supports", first.id)
    ana.link(first.id, "supports", second.id)
    assert ana.forget(first.id).links == 2
    assert ana.forget(second.id).links == 0


def test_what_was_forgotten_is_not_in_the_bytes_of_the_file(tmp_path: Path) -> None:
    phrase = "the rehearsal dinner is at eight"
    with lukasa.open(tmp_path / "memory.lukasa") as store:
        ana = store.agent("ana")
        ana.remember("Something that stays.")
        ana.add("dinner", f"Between us: {phrase}.", summary=phrase, context=phrase, metadata={"said": phrase})
        ana.write("dinner", f"It was decided that {phrase}.")
        assert occurrences(tmp_path, phrase) > 0
        assert ana.forget("dinner").remains == ()
        assert occurrences(tmp_path, phrase) == 0
        assert occurrences(tmp_path, "Something that stays.") > 0


def occurrences(folder: Path, phrase: str) -> int:
    return sum(path.read_bytes().count(phrase.encode()) for path in folder.iterdir())
