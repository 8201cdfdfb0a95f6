"""Out and in: three plain formats, lossless where they promise it, all of it or nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import lukasa
from lukasa.errors import DuplicateError, SecretError, UsageError
from lukasa.ids import new_id
from lukasa.testing.contract.sight import contents, everything, refused

if TYPE_CHECKING:
    from pathlib import Path

    from lukasa.memory import Store
    from lukasa.testing.frozen import FrozenClock

TOKEN = "ghp_" + "aB3dE5fG7hI9" * 3
SHARED = "project/apollo"


def filled(store: Store, clock: FrozenClock) -> None:
    """A store with something of everything."""
    ana, bob = store.agent("ana", shares=[SHARED]), store.agent("bob", shares=[SHARED])
    ana.add(
        "d\u00e9ploy", "prod\nrelease \U0001f680 steps", tags=["b", "a"], metadata={"n": [1, {"x": None}]}
    )
    clock.forward(seconds=1)
    for name in ("ship", "push\u2028it"):
        ana.alias("d\u00e9ploy", name)
    ana.update("d\u00e9ploy", summary="how", context="lunch", pinned=True, importance=0.123456789)
    ana.complete(ana.remember("todo: x", source_type="chat", source_id="1", session_id="s").id)
    ana.remember("I noticed a leak", expires_at="never", scope="channel/agent:ana:session:s1")
    ana.remember("[bulletin] Two builds\r\nran", category="News")
    old, new = bob.remember("Rome", scope=SHARED), bob.remember("Oslo", scope=SHARED)
    ana.link("ship", "about", old.id, weight=0.25, provenance="the chat")
    bob.supersede(old.id, new.id)
    again = bob.remember("Rome", scope=SHARED)
    bob.write(again.id, "Roma")
    bob.undo(again.id)
    bob.remember("Rome", scope=SHARED)
    bob.forget(bob.remember("to be forgotten").id)
    bob.remember("bob's", confidence=0.9, kind="note", entry_class="procedural")


def exported(store: Store, path: Path, form: str = "jsonl") -> list[str]:
    """The lines of an export."""
    store.export(path, form=form)
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


class FormatContract:
    """What is written out can be taken in again, on any engine."""

    def test_json_lines_lose_nothing_from_engine_to_engine(
        self, store: Store, clock: FrozenClock, tmp_path: Path
    ) -> None:
        filled(store, clock)
        there = exported(store, tmp_path / "there.jsonl")
        with lukasa.open(tmp_path / "other.lukasa", clock=clock) as other:
            taken = other.import_(tmp_path / "there.jsonl")
            assert (taken.added, taken.known, taken.links_without_end) == (store.stats().entries, 0, 0)
            assert exported(other, tmp_path / "back.jsonl") == there
            assert other.check().problems == ()

    def test_json_lines_lose_nothing_into_this_engine(
        self, store: Store, clock: FrozenClock, tmp_path: Path
    ) -> None:
        with lukasa.open(tmp_path / "other.lukasa", clock=clock) as other:
            filled(other, clock)
            there = exported(other, tmp_path / "there.jsonl")
            numbers = [entry.number for entry in other.agent("bob").list(hidden=True).entries]
        clock.forward(days=300)
        store.import_(tmp_path / "there.jsonl")
        assert exported(store, tmp_path / "back.jsonl") == there
        assert store.agent("bob").remember("later").number > max(numbers)

    def test_an_export_of_one_agent_has_what_is_its_own(
        self, store: Store, clock: FrozenClock, tmp_path: Path
    ) -> None:
        filled(store, clock)
        path = tmp_path / "ana.jsonl"
        assert store.export(path, agent="ana") == len(contents(store.agent("ana"), hidden=True))
        text = path.read_text(encoding="utf-8")
        assert all(word not in text for word in ("bob", "Rome", "Oslo", SHARED))

    def test_a_markdown_tree_brings_every_entry_back(
        self, store: Store, clock: FrozenClock, tmp_path: Path
    ) -> None:
        filled(store, clock)
        ana, bob = store.agent("ana", shares=[SHARED]), store.agent("bob")
        store.export(tmp_path / "tree", form="markdown")
        with lukasa.open(tmp_path / "other.lukasa", clock=clock) as other:
            other.import_(tmp_path / "tree")
            there = (other.agent("ana", shares=[SHARED]), other.agent("bob"))
            for mine, theirs in zip((ana, bob), there, strict=True):
                before = mine.list(hidden=True, limit=1_000).entries
                after = theirs.list(hidden=True, limit=1_000).entries
                for one, two in zip(before, after, strict=True):
                    assert two == one.changed(revision=1, superseded_by=None)
            assert other.check().problems == ()

    def test_a_space_named_like_a_way_up_stays_in_the_tree(self, store: Store, tmp_path: Path) -> None:
        sly = "project/../../.."
        store.agent("..", shares=[sly]).remember("x", scope=sly)
        store.agent("..").remember("y")
        store.export(tmp_path / "deep" / "tree", form="markdown")
        outside = [
            path for path in tmp_path.rglob("*.md") if not path.is_relative_to(tmp_path / "deep" / "tree")
        ]
        assert (outside, len(list(tmp_path.rglob("*.md")))) == ([], 2)
        assert list(tmp_path.parent.glob("*.md")) == []

    def test_a_json_array_is_the_role_views(self, store: Store, clock: FrozenClock, tmp_path: Path) -> None:
        filled(store, clock)
        store.export(tmp_path / "all.json", form="json", agent="bob")
        records = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))
        assert [sorted(record) for record in records] == [["category", "content", "created_at", "id"]]
        with lukasa.open(tmp_path / "other.lukasa", clock=clock) as other:
            assert other.import_(tmp_path / "all.json", agent="zoe").added == 1
            entry = other.agent("zoe").list().entries[0]
            assert (entry.content, entry.number) == ("bob's", records[0]["id"])

    @pytest.mark.parametrize("form", ["jsonl", "json", "markdown"])
    def test_an_empty_store_goes_out_and_in(self, store: Store, tmp_path: Path, form: str) -> None:
        (tmp_path / "empty").mkdir()
        target = tmp_path / ("empty" if form == "markdown" else "empty.txt")
        assert store.export(target, form=form) == 0
        assert store.import_(target).added == 0

    @pytest.mark.parametrize("form", ["jsonl", "json", "markdown"])
    def test_the_same_import_twice_changes_nothing(
        self, store: Store, clock: FrozenClock, tmp_path: Path, form: str
    ) -> None:
        with lukasa.open(tmp_path / "other.lukasa", clock=clock) as other:
            filled(other, clock)
            other.export(tmp_path / "out", form=form)
        first = store.import_(tmp_path / "out")
        handles = [store.agent(name, shares=[SHARED]) for name in ("ana", "bob", "main")]
        before = everything(*handles)
        clock.forward(days=1)
        again = store.import_(tmp_path / "out")
        assert first.added > 0
        assert (again.added, again.known) == (0, first.added + first.known)
        assert everything(*handles) == before

    def test_a_dry_run_changes_nothing_and_costs_no_number(
        self, store: Store, clock: FrozenClock, tmp_path: Path
    ) -> None:
        with lukasa.open(tmp_path / "other.lukasa", clock=clock) as other:
            filled(other, clock)
            there = exported(other, tmp_path / "out")
        rehearsal = store.import_(tmp_path / "out", dry_run=True)
        assert (store.stats().entries, store.stats().spaces) == (0, 0)
        assert store.import_(tmp_path / "out") == rehearsal
        assert exported(store, tmp_path / "back") == there

    def test_an_unknown_format_or_place_is_refused(self, store: Store, tmp_path: Path) -> None:
        store.agent("ana").remember("x")
        with pytest.raises(UsageError, match="jsonl, json, markdown"):
            store.export(tmp_path / "out", form="yaml")
        with pytest.raises(UsageError, match="written"):
            store.export(tmp_path / "no" / "such" / "folder.jsonl")
        assert list(tmp_path.glob("*.jsonl")) == []


ID = new_id(0)
ENTRY: dict[str, object] = {"type": "entry", "content": "x"}
BAD_RECORDS: dict[str, list[object]] = {
    "no content": [{"type": "entry"}],
    "blank content": [{"content": " "}],
    "content of another type": [{"content": 5}],
    "not an object": [[1, 2]],
    "unknown type": [{"type": "dream"}],
    "another format": [{"type": "lukasa", "format": 99}],
    "bad kind": [ENTRY | {"kind": "opinion"}],
    "kind of another type": [ENTRY | {"kind": 5}],
    "bad space": [ENTRY | {"space": "everywhere"}],
    "bad agent": [ENTRY | {"agent_id": "a b"}],
    "importance as text": [ENTRY | {"importance": "high"}],
    "importance is not a number": [ENTRY | {"importance": float("nan")}],
    "category of another type": [ENTRY | {"category": 5}],
    "name of another type": [ENTRY | {"name": ["a"]}],
    "summary of another type": [ENTRY | {"summary": {"a": 1}}],
    "tags of another type": [ENTRY | {"tags": "t"}],
    "aliases of another type": [ENTRY | {"aliases": "t"}],
    "metadata of another type": [ENTRY | {"metadata": [1]}],
    "bad time": [ENTRY | {"created_at": "once"}],
    "time of another type": [ENTRY | {"created_at": [1]}],
    "time out of this world": [ENTRY | {"created_at": 2**70}],
    "number out of this world": [ENTRY | {"number": 2**70}],
    "secret": [ENTRY | {"content": f"token {TOKEN}"}],
    "secret in a tag": [ENTRY | {"tags": [TOKEN]}],
    "NUL": [ENTRY | {"content": "a\0b"}],
    "half a pair": [ENTRY | {"summary": "\ud800"}],
    "bad relation": [{"type": "link", "relation": "knows", "space": "agent/a", "to_space": "agent/a"}],
    "link without spaces": [{"type": "link", "relation": "about"}],
    "change that cannot be read": [
        ENTRY | {"id": ID, "revision": 2},
        {"type": "change", "revision": 1, "actor": "ana", "at": 0},
        {"type": "change", "revision": 2, "actor": "ana", "at": 0, "before": "{"},
    ],
    "change with a secret": [
        ENTRY | {"id": ID, "revision": 2},
        {"type": "change", "revision": 1, "actor": "ana", "at": 0},
        {"type": "change", "revision": 2, "actor": "ana", "at": 0, "before": json.dumps({"content": TOKEN})},
    ],
}


def written(path: Path, records: list[object]) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


class IntakeContract:
    """What comes in goes through the same door as any other entry, or nothing of it does."""

    def test_a_bad_record_refuses_the_whole_file(self, store: Store, tmp_path: Path) -> None:
        ana = store.agent("ana")
        ana.remember("there already")
        let_in: list[str] = []
        for case, records in BAD_RECORDS.items():
            path = written(tmp_path / "in", [{"content": "good", "space": "agent/ana"}, *records])
            try:
                store.import_(path)
            except UsageError:
                continue
            let_in.append(case)
        assert let_in == []
        assert (contents(ana), store.stats().entries) == (["there already"], 1)

    def test_a_secret_is_named_by_its_kind(self, store: Store, tmp_path: Path) -> None:
        with pytest.raises(SecretError) as caught:
            store.import_(written(tmp_path / "in", BAD_RECORDS["secret"]))
        assert TOKEN not in str(caught.value)

    def test_what_is_no_json_is_refused(self, store: Store, tmp_path: Path) -> None:
        broken = (b"\xff\xfe", b"{", b"[1", b"[1]", b"nonsense", b'{"content": "x"}\nnonsense', b"\x00")
        for raw in broken:
            (tmp_path / "in").write_bytes(raw)
            with pytest.raises(UsageError):
                store.import_(tmp_path / "in")
        assert store.stats().entries == 0

    def test_a_bad_note_is_refused(self, store: Store, tmp_path: Path) -> None:
        (tmp_path / "good.md").write_text("good", encoding="utf-8")
        for raw in (b"\xff\xfe", b"---\nno end", b"---\nkind: fact\n---\nx", b"---\nkind\n---\nx", b""):
            (tmp_path / "bad.md").write_bytes(raw)
            with pytest.raises(UsageError):
                store.import_(tmp_path)
        assert store.stats().entries == 0

    def test_line_ends_and_marks_of_editors_are_no_text(self, store: Store, tmp_path: Path) -> None:
        note = b'\xef\xbb\xbf---\r\nname: "n"\r\n---\r\none\r\ntwo\r\n'
        (tmp_path / "note.md").write_bytes(note)
        store.import_(tmp_path, agent="ana")
        assert store.agent("ana").get("n").content == "one\ntwo"

    def test_a_plain_note_is_an_entry_of_its_files_name(self, store: Store, tmp_path: Path) -> None:
        (tmp_path / "deploy.md").write_text("prod steps\n", encoding="utf-8")
        store.import_(tmp_path, agent="ana")
        assert store.agent("ana").get("deploy").content == "prod steps"

    def test_there_is_no_such_file(self, store: Store, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no file"):
            store.import_(tmp_path / "nothing")

    def test_an_agents_own_import_stays_its_own(
        self, store: Store, clock: FrozenClock, tmp_path: Path
    ) -> None:
        with lukasa.open(tmp_path / "other.lukasa", clock=clock) as other:
            filled(other, clock)
            other.export(tmp_path / "out")
        store.import_(tmp_path / "out", agent="zoe")
        assert [agent.agent for agent in store.agents()] == ["zoe"]
        entries = store.agent("zoe").list(hidden=True).entries
        assert {(entry.space, entry.agent_id) for entry in entries} == {("agent/zoe", "zoe")}

    def test_what_is_there_already_is_left_alone(self, store: Store, tmp_path: Path) -> None:
        ana = store.agent("ana")
        entry = ana.add("home", "Rome")
        store.export(tmp_path / "out")
        changed = ana.write("home", "Oslo")
        taken = store.import_(tmp_path / "out")
        assert (taken.added, taken.known, ana.get(entry.id)) == (0, 1, changed)

    def test_a_name_that_is_taken_refuses_the_import(self, store: Store, tmp_path: Path) -> None:
        ana = store.agent("ana")
        ana.add("home", "Rome")
        path = written(tmp_path / "in", [{"content": "x"}, {"content": "y", "name": "home"}])
        with refused(DuplicateError, ana, match="home"):
            store.import_(path, agent="ana")

    def test_a_successor_that_did_not_come_leaves_history(self, store: Store, tmp_path: Path) -> None:
        records: list[object] = [
            ENTRY | {"space": "agent/ana", "superseded_at": "2026-01-01", "superseded_by": ID}
        ]
        store.import_(written(tmp_path / "in", records))
        entry = store.agent("ana").list(hidden=True).entries[0]
        assert (entry.superseded_by, entry.superseded_at is None) == (None, False)

    def test_a_supersession_that_comes_later_closes_the_old_entry(
        self, store: Store, clock: FrozenClock, tmp_path: Path
    ) -> None:
        with lukasa.open(tmp_path / "other.lukasa", clock=clock) as other:
            ana = other.agent("ana")
            old = ana.remember("Rome")
            other.export(tmp_path / "before")
            ana.supersede(old.id, ana.remember("Oslo").id)
            other.export(tmp_path / "after")
        store.import_(tmp_path / "before")
        store.import_(tmp_path / "after")
        assert contents(store.agent("ana")) == ["Oslo"]

    def test_links_that_cannot_be_are_refused(self, store: Store, tmp_path: Path) -> None:
        one, two = new_id(1), new_id(2)
        entries: list[object] = [{"content": text, "id": text, "space": "agent/a"} for text in (one, two)]
        link = {"type": "link", "space": "agent/a", "to_space": "agent/a", "created_at": 0}
        circle = [
            link | {"from_id": one, "relation": "supersedes", "to_id": two},
            link | {"from_id": two, "relation": "supersedes", "to_id": one},
        ]
        for links in (circle, [link | {"from_id": one, "relation": "about", "to_id": one}]):
            with pytest.raises(UsageError):
                store.import_(written(tmp_path / "in", [*entries, *links]))
            assert store.stats().entries == 0

    def test_a_link_without_an_end_is_left_out_and_counted(self, store: Store, tmp_path: Path) -> None:
        link = {
            "type": "link",
            "relation": "about",
            "space": "agent/a",
            "to_space": "agent/a",
            "created_at": 0,
        }
        records: list[object] = [
            {"content": "x", "id": ID, "space": "agent/a"},
            link | {"from_id": ID, "to_id": new_id(3)},
        ]
        taken = store.import_(written(tmp_path / "in", records))
        assert (taken.added, taken.links, taken.links_without_end) == (1, 0, 1)

    def test_odd_records_become_sound_entries(self, store: Store, tmp_path: Path) -> None:
        records: list[object] = [
            ENTRY | {"completed_at": "2026-01-01", "status": "open", "space": "agent/a"},
            {"content": "y", "name": "n", "aliases": ["n", "m", "m", 5], "tags": [7], "space": "agent/a"},
            {
                "content": "z",
                "importance": 9,
                "category": "A/B",
                "seen": -1,
                "revision": 7,
                "space": "agent/a",
            },
        ]
        store.import_(written(tmp_path / "in", records))
        third, second, first = store.agent("a").list().entries
        assert (first.completed_at, second.aliases, second.tags) == (None, ("m", "5"), ("7",))
        assert (third.importance, third.category, third.seen, third.revision) == (1.0, "a_b", 1, 1)
