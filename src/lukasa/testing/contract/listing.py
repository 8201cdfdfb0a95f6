"""Lists: newest first, narrowed by filters, in pages that neither skip nor repeat."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from lukasa.errors import UsageError
from lukasa.testing.contract.sight import contents

if TYPE_CHECKING:
    from typing import Unpack

    from lukasa.entries.reading import Filters
    from lukasa.handle import Handle
    from lukasa.memory import Store
    from lukasa.testing.frozen import FrozenClock


def listed(handle: Handle, **filters: Unpack[Filters]) -> list[str]:
    """The texts that a filter lets through, in order."""
    return [entry.content for entry in handle.list(**filters).entries]


class ListContract:
    """Every filter is a must; expired and superseded entries are hidden unless asked for."""

    def test_the_newest_comes_first(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        for text in ("one", "two", "three"):
            ana.remember(text)
        clock.forward(seconds=-1)
        ana.remember("from before")
        assert contents(ana) == ["three", "two", "one", "from before"]

    def test_kinds_and_classes(self, store: Store) -> None:
        ana = store.agent("ana")
        for kind in ("fact", "goal", "event"):
            ana.remember(kind, kind=kind)
        assert listed(ana, kinds=["goal", "fact"]) == ["goal", "fact"]
        assert listed(ana, classes=["episodic"]) == ["event"]
        assert listed(ana, kinds=["fact"], classes=["episodic"]) == []
        for wrong in ({"kinds": ["opinion"]}, {"classes": ["x"]}, {"status": "lost"}, {"status": ""}):
            with pytest.raises(UsageError):
                listed(ana, **wrong)  # type: ignore[arg-type]

    def test_category_status_source_and_session(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.remember("plain")
        ana.remember("work", category="Work", source_type="chat", source_id="7", session_id="s1")
        ana.complete(ana.remember("done", source_type="chat").id)
        assert listed(ana, category="WORK") == ["work"]
        assert listed(ana, status="done") == ["done"]
        assert listed(ana, source_type=" chat ") == ["done", "work"]
        assert listed(ana, source_type="chat", source_id="7") == ["work"]
        assert listed(ana, session_id="s1") == ["work"]
        assert listed(ana, source_type="") == []

    def test_all_tags_must_be_there(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.remember("both", tags=["a", "b"])
        ana.remember("one", tags=["a"])
        assert listed(ana, tags=["A ", "b", "a"]) == ["both"]
        assert listed(ana, tags=["a"]) == ["one", "both"]
        assert listed(ana, tags=["a", "c"]) == []

    def test_concepts_are_no_tags(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.remember("OpenAI quota")
        assert listed(ana, tags=["openai"]) == []

    def test_a_filter_of_more_tags_than_an_entry_can_have_finds_none(self, store: Store) -> None:
        ana = store.agent("ana")
        tags = [f"t{number}" for number in range(16)]
        ana.remember("x", tags=tags)
        assert listed(ana, tags=tags) == ["x"]
        assert listed(ana, tags=[*tags, "t16"]) == []

    def test_text_is_found_in_content_summary_and_name(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("\u00c9cole du Nord", "a school")
        ana.remember("100% of it_works", summary="A Blue Lamp")
        ana.remember("\u0417\u0438\u043c\u0430 \u6771\u4eac")
        assert listed(ana, text="\u00c9COLE") == ["a school"]
        assert listed(ana, text="blue lamp") == ["100% of it_works"]
        assert listed(ana, text="\u0437\u0418\u043c\u0430 \u6771") == [
            "\u0417\u0438\u043c\u0430 \u6771\u4eac"
        ]
        assert listed(ana, text="0% of it_w") == ["100% of it_works"]
        assert listed(ana, text="%") == ["100% of it_works"]
        assert listed(ana, text="it%works") == []

    def test_an_alias_is_no_search_text(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.add("deploy", "prod release steps")
        ana.alias("deploy", "ship")
        assert listed(ana, text="ship") == []
        assert listed(ana, text="deploy") == ["prod release steps"]
        assert ana.get("ship").name == "deploy"

    def test_what_no_entry_can_hold_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.remember("x")
        for part in ("text", "category", "source_type", "source_id", "session_id"):
            for bad in ("a\0b", "\ud800"):
                with pytest.raises(UsageError):
                    listed(ana, **{part: bad})  # type: ignore[arg-type]

    def test_from_and_until(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        start = clock.now()
        for text in ("one", "two", "three"):
            ana.remember(text)
            clock.forward(days=1)
        assert listed(ana, since="2026-05-02T12:00:00Z") == ["three", "two"]
        assert listed(ana, until=datetime(2026, 5, 2, 12, tzinfo=UTC)) == ["one"]
        assert listed(ana, since=start, until=start + 1) == ["one"]
        for beyond in (2**70, -(2**70), "whenever"):
            with pytest.raises(UsageError, match="time"):
                listed(ana, since=beyond)

    def test_expired_and_superseded_are_hidden_unless_asked_for(
        self, store: Store, clock: FrozenClock
    ) -> None:
        ana = store.agent("ana")
        old, new = ana.remember("old"), ana.remember("new")
        ana.supersede(old.id, new.id)
        ana.remember("brief", expires_at="1d")
        clock.forward(days=2)
        assert contents(ana) == ["new"]
        assert contents(ana, hidden=True) == ["brief", "new", "old"]
        assert ana.get(old.id).content == "old"

    def test_scope_narrows_to_one_space(self, store: Store) -> None:
        ana = store.agent("ana", shares=["project/apollo"])
        ana.remember("mine")
        ana.remember("ours", scope="project/apollo")
        ana.remember("said", scope="channel/agent:ana:session:s1")
        assert contents(ana) == ["said", "ours", "mine"]
        assert listed(ana, scope="project/apollo") == ["ours"]
        assert listed(ana, scope="agent/ana") == ["mine"]
        assert listed(ana, scope="channel/agent:ana:session:s1") == ["said"]
        assert listed(ana, scope="channel/agent:ana:session:s2") == []


class PageContract:
    """Pages by key: whatever is written meanwhile, what was there is seen once."""

    def test_pages_neither_skip_nor_repeat(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        for number in range(10):
            ana.remember(f"entry {number}")
            clock.forward(seconds=number % 2)
        seen: list[str] = []
        after: str | None = None
        while True:
            page = ana.list(limit=3, after=after)
            seen += [entry.content for entry in page.entries]
            if page.after is None:
                break
            after = page.after
            ana.remember(f"meanwhile {len(seen)}")
        assert seen == [f"entry {number}" for number in reversed(range(10))]

    def test_a_full_last_page_says_that_it_is_the_last(self, store: Store) -> None:
        ana = store.agent("ana")
        ana.remember("one")
        ana.remember("two")
        assert ana.list(limit=2).after is None
        assert ana.list(limit=1).after is not None
        assert store.agent("bob").list().entries == ()

    def test_a_limit_has_limits(self, store: Store) -> None:
        for limit in (0, -1, 1_001):
            with pytest.raises(UsageError, match="1 to 1000"):
                store.agent("ana").list(limit=limit)

    def test_what_is_no_page_mark_is_refused(self, store: Store) -> None:
        parts = ("", ":", "1", "1:", ":1", "a:b", "--5:3", "1:-1", "1:1:1", "1:1\0", "\u0661:1")
        for after in (*parts, f"{2**70}:1", f"1:{2**70}"):
            with pytest.raises(UsageError, match="page mark"):
                store.agent("ana").list(after=after)
