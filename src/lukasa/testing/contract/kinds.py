"""Kinds, classes and life spans: what an entry is when nobody says, and how long it stays."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lukasa.clock import DAY, to_millis
from lukasa.config import Retention, Settings
from lukasa.entries.kinds import KINDS
from lukasa.errors import UsageError
from lukasa.testing.contract.sight import contents, refused

if TYPE_CHECKING:
    from lukasa.memory import Store
    from lukasa.testing.contract.sight import Reopened
    from lukasa.testing.frozen import FrozenClock

SHOWN = {
    "[todo] Water the plants": "todo",
    "todo: call the bank": "todo",
    "TODO: renew the pass": "todo",
    "The user prefers tea": "preference",
    "She likes better the blue one": "preference",
    "He likes the window seat better": "preference",
    "We decided to use Rust": "decision",
    "The decision is final": "decision",
    "The goal is to ship in May": "goal",
    "Her name is Ana": "identity",
    "The user is a nurse": "identity",
    "On 2026-04-02 the server failed": "event",
    "Yesterday we met the auditors": "event",
    "I noticed that the tests are slow": "observation",
    "The sky is blue": "fact",
}
NOT_SHOWN = (
    "She is undecided",
    "The goalkeeper saved it",
    "the observability stack is Grafana",
    "the identity provider is Okta",
    "Preferential rates apply to members",
    "The todo list lives in Jira",
    "A mastodon: an extinct animal",
    "This bulletin board is made of cork",
    "2026-04-02 is a Thursday",
)
IN_ORDER = {
    "todo: ask what she prefers": "todo",
    "He prefers what was decided": "preference",
    "They decided on the goal": "decision",
    "Her goal: her name is known": "goal",
    "Her name is Ana and on 2026-01-01 she moved": "identity",
    "On 2026-01-01 we noticed a leak": "event",
}


class KindContract:
    """The kind follows from whole words, in a fixed order; a given one wins."""

    def test_each_kind_shows_by_its_words(self, store: Store) -> None:
        ana = store.agent("ana")
        assert {text: ana.remember(text).kind for text in SHOWN} == SHOWN

    def test_parts_of_words_show_nothing(self, store: Store) -> None:
        ana = store.agent("ana")
        assert {text: ana.remember(text).kind for text in NOT_SHOWN} == dict.fromkeys(NOT_SHOWN, "fact")

    def test_the_earlier_rule_decides(self, store: Store) -> None:
        ana = store.agent("ana")
        assert {text: ana.remember(text).kind for text in IN_ORDER} == IN_ORDER

    def test_a_bulletin_is_an_event_of_its_own_class(self, store: Store) -> None:
        entry = store.agent("ana").remember("[bulletin] Two builds ran")
        assert (entry.kind, entry.entry_class) == ("event", "bulletin")

    def test_a_given_kind_wins(self, store: Store) -> None:
        ana = store.agent("ana")
        given = {kind: ana.remember(f"todo: as a {kind}", kind=kind).kind for kind in KINDS}
        assert given == {kind: kind for kind in KINDS}

    def test_an_unknown_kind_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        with refused(UsageError, ana, match="identity, goal, decision"):
            ana.remember("x", kind="opinion")

    def test_a_cleared_kind_is_read_from_the_text_again(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("The user prefers tea", kind="note")
        assert ana.update(entry.id, kind=None).kind == "preference"

    def test_writing_another_text_keeps_the_kind(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("The user prefers tea")
        assert ana.write(entry.id, "The goal is tea").kind == "preference"


CLASS_OF = {
    "identity": "semantic",
    "preference": "semantic",
    "fact": "semantic",
    "note": "semantic",
    "goal": "procedural",
    "decision": "procedural",
    "todo": "procedural",
    "event": "episodic",
    "observation": "episodic",
}


class ClassContract:
    """The class follows from the kind unless it was given."""

    def test_the_class_follows_from_the_kind(self, store: Store) -> None:
        ana = store.agent("ana")
        assert {kind: ana.remember(kind, kind=kind).entry_class for kind in CLASS_OF} == CLASS_OF

    def test_a_defaulted_class_follows_a_changed_kind(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        entry = ana.remember("The lamp", kind="fact")
        clock.forward(days=1)
        changed = ana.update(entry.id, kind="observation")
        assert (changed.entry_class, changed.expires_at) == ("episodic", clock.now() + 90 * DAY)
        back = ana.update(entry.id, kind="fact")
        assert (back.entry_class, back.expires_at) == ("semantic", None)

    def test_a_given_class_stays(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("The lamp", kind="fact", entry_class="procedural")
        assert ana.update(entry.id, kind="event").entry_class == "procedural"

    def test_a_cleared_class_follows_again(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("The lamp", kind="event", entry_class="procedural")
        cleared = ana.update(entry.id, entry_class=None)
        assert (cleared.entry_class, cleared.expires_at is None) == ("episodic", False)

    def test_an_unknown_class_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        with refused(UsageError, ana, match="semantic, procedural, episodic, bulletin"):
            ana.remember("x", entry_class="temporal")


class LifeSpanContract:
    """How long an entry is an answer, and what moves that."""

    def test_the_span_follows_from_the_class(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        spans = {"The sky is blue": None, "The goal is May": None, "I noticed it": 90, "[bulletin] x": 180}
        for text, days in spans.items():
            expires = None if days is None else clock.now() + days * DAY
            assert ana.remember(text).expires_at == expires

    def test_settings_give_other_spans(self, reopened: Reopened, clock: FrozenClock) -> None:
        retention = Retention(episodic_days=1, bulletin_days=2, completed_days=3)
        ana = reopened(Settings(retention=retention)).agent("ana")
        todo = ana.complete(ana.remember("todo: x").id)
        found = [ana.remember("I noticed it"), ana.remember("[bulletin] x"), todo]
        assert [entry.expires_at for entry in found] == [clock.now() + days * DAY for days in (1, 2, 3)]

    def test_an_expired_entry_is_no_answer(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        ana.remember("I noticed a leak")
        clock.forward(days=90, seconds=-0.001)
        assert contents(ana) == ["I noticed a leak"]
        clock.forward(seconds=0.001)
        assert contents(ana) == []
        assert contents(ana, hidden=True) == ["I noticed a leak"]

    def test_a_given_date_wins(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        moment = datetime(2026, 6, 1, tzinfo=UTC)
        given = [
            ana.remember("I noticed 1", expires_at=moment),
            ana.remember("I noticed 2", expires_at="2026-06-01T02:00:00+02:00"),
            ana.remember("I noticed 3", expires_at=to_millis(moment)),
        ]
        assert {entry.expires_at for entry in given} == {to_millis(moment)}
        assert ana.remember("x", expires_at="2d").expires_at == clock.now() + 2 * DAY
        assert ana.remember("I noticed 4", expires_at="never").expires_at is None

    def test_a_given_date_stays_through_kind_and_status(self, store: Store) -> None:
        ana = store.agent("ana")
        entry = ana.remember("todo: x", expires_at="2026-06-01")
        for changed in (ana.complete(entry.id), ana.update(entry.id, kind="event")):
            assert changed.expires_at == to_millis(datetime(2026, 6, 1, tzinfo=UTC))

    def test_a_cleared_date_follows_from_the_class_again(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        entry = ana.remember("I noticed it", expires_at="never")
        assert ana.update(entry.id, expires_at=None).expires_at == clock.now() + 90 * DAY

    def test_a_finished_todo_stays_thirty_days(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        for status in ("completed", "done", "cancelled"):
            entry = ana.remember(f"todo: be {status}")
            clock.forward(days=5)
            done = ana.update(entry.id, status=status)
            assert (done.completed_at, done.expires_at) == (clock.now(), clock.now() + 30 * DAY)
            clock.forward(days=30)
            assert contents(ana) == []

    def test_complete_cancel_and_reopen(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        ana.add("chore", "todo: x")
        done = ana.complete("chore")
        assert (done.status, done.completed_at) == ("completed", clock.now())
        assert ana.complete("chore", status="cancelled").status == "cancelled"
        again = ana.complete("chore", status="open")
        assert (again.status, again.completed_at, again.expires_at) == ("open", None, None)

    def test_completing_twice_keeps_the_first_time(self, store: Store, clock: FrozenClock) -> None:
        ana = store.agent("ana")
        done = ana.complete(ana.remember("todo: x").id)
        clock.forward(days=3)
        again = ana.complete(done.id)
        assert (again.completed_at, again.expires_at) == (done.completed_at, done.expires_at)

    def test_what_is_no_todo_lives_on_when_completed(self, store: Store) -> None:
        ana = store.agent("ana")
        assert ana.complete(ana.remember("The goal is May").id).expires_at is None

    def test_what_is_no_time_is_refused(self, store: Store) -> None:
        ana = store.agent("ana")
        for wanted in ("tomorrow-ish", "", "999999w", 10**17, -(10**17), 2**70):
            with refused(UsageError, ana, match="time"):
                ana.remember("x", expires_at=wanted)
