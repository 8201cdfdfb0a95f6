"""Two agents do anything in any order, against a model of plain dicts: same answers, same refusals, no leak.

Quagga shares project/apollo with nobody; zorilla has no share at all. After every step each handle must
show exactly what the model says that it sees, and no error may speak of what is out of its sight.
"""

from __future__ import annotations

import itertools
import re
from contextlib import suppress
from copy import deepcopy
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings, stateful
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import lukasa
from lukasa.entries.kinds import STATUSES
from lukasa.errors import DuplicateError, LukasaError, NotFoundError, UsageError
from lukasa.testing import FrozenClock
from lukasa.testing.dicts import SHARED, Known, Model, Refer, shown
from lukasa.text.terms import terms_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lukasa.entries.kinds import Status

AGENTS = ("quagga", "zorilla")
SPACES: dict[str, tuple[str, ...]] = {"quagga": ("agent/quagga", SHARED), "zorilla": ("agent/zorilla",)}
NEW = "not given yet"
PLANTED = (("quagga", "deploy", SHARED), ("quagga", "deploy", None), ("zorilla", "deploy", None))
RELATIONS = ("about", "supersedes", "supersedes")
KIND_OF = {"The sky is blue": "fact", "todo: water it": "todo", "The goal is May": "goal"}
NAMES = ("deploy", "ship", "3", "caf\u00e9", "quagga's", "zorilla's")

ASKED = ("quagga", "zorilla", "sky", "water", "goal", "red", "deploy")

agents = st.sampled_from(AGENTS)
names = st.sampled_from(NAMES)
texts = st.sampled_from((*KIND_OF, "of quagga", "of zorilla"))
scopes = st.sampled_from((None, None, SHARED))
tags = st.lists(st.sampled_from(("red", "blue")), unique=True, max_size=2)
# How somebody refers to an entry: by a name, or by the id or number of one, in three spellings.
numbered = st.tuples(st.sampled_from(("id", "number", "#")), st.integers(0, 6))
refs = names | numbered | numbered
Said = tuple[str | int | None, ...]


def place(agent: str, scope: str | None) -> str:
    """The space that a scope means to the agent."""
    if scope is not None and scope not in SPACES[agent]:
        raise UsageError(f"not bound to {scope}")
    return scope or SPACES[agent][0]


def remembered(model: Model, space: str, text: str, name: str | None, labels: list[str]) -> Known:
    """The same said again is seen once more, and open again; anything else is new."""
    new = Known(NEW, 0, space, KIND_OF.get(text, "fact"), text, name, tags=tuple(labels))
    twin = next((entry for entry in model.known.values() if entry.says() == new.says()), None)
    if twin is None:
        model.check_free(space, name)
        model.known[NEW] = new
        return new
    united = tuple(dict.fromkeys((*twin.tags, *labels)))
    if (twin.tags, twin.status) != (united, "open"):
        twin.keep_for_undo()
        twin.tags, twin.status = united, "open"
    twin.seen += 1
    return twin


class Machine(RuleBasedStateMachine):
    """What two agents may do; every step runs on the model and on the store."""

    def __init__(self, location: str) -> None:
        super().__init__()
        self.location, self.clock = location, FrozenClock()
        self.store = lukasa.open(location, clock=self.clock)
        self.model = Model()
        self.steps = self.newest = 0
        for handle in map(self.handle, AGENTS):  # what an earlier game left in the same store
            for entry in handle.list(limit=1_000, hidden=True).entries:
                handle.forget(entry.id)

    @initialize()
    def plant(self) -> None:
        for agent, name, scope in PLANTED:
            self.add(agent, name, f"{name} of {agent}", scope)
            self.remember(agent, "The sky is blue", scope, [], None)

    def teardown(self) -> None:
        assert self.store.check().problems == ()
        self.store.close()

    def handle(self, agent: str) -> lukasa.Handle:
        return self.store.agent(agent, shares=SPACES[agent][1:])

    def two(self, agent: str, ref: Refer, other: Refer) -> tuple[str | int, str | int]:
        return self.model.spelled(ref, SPACES[agent]), self.model.spelled(other, SPACES[agent], shift=1)

    def attempt(
        self, agent: str, said: Said, model: Callable[[Model], Known | None], real: Callable[[], object]
    ) -> None:
        """One step on both sides; `said` is what the agent itself wrote, which an error may repeat."""
        self.clock.forward(seconds=1)
        self.steps += 1
        after = deepcopy(self.model)
        try:
            wanted = model(after)
        except LukasaError as expected:
            with pytest.raises(type(expected)) as caught:
                real()
            self.assert_silent(agent, said, caught.value)
            return
        answer = real()
        if isinstance(answer, lukasa.Entry) and wanted is not None:
            if wanted.id == NEW:
                self.welcome(after, wanted, answer)
            assert shown(answer) == shown(wanted)
        self.model = after

    def welcome(self, model: Model, wanted: Known, answer: lukasa.Entry) -> None:
        """A new entry takes the id and number that the store gave it: above all that it ever gave."""
        assert answer.number > self.newest
        assert answer.id not in {id_ for id_, _ in model.ever}
        self.newest = answer.number
        wanted.id, wanted.number = answer.id, answer.number
        del model.known[NEW]
        model.known[answer.id] = wanted
        model.ever.append((answer.id, answer.number))

    def assert_silent(self, agent: str, said: Said, error: LukasaError) -> None:
        """The error speaks of what was written and of what is in sight, of nothing else."""
        in_sight = self.model.seen_by(SPACES[agent])
        visible = {name for entry in in_sight for name in (entry.name, *entry.aliases) if name}
        if isinstance(error, NotFoundError):
            assert set(error.near) <= visible
        text = str(error)
        numbers = {int(number) for number in re.findall(r"[Ee]ntry (\d+)", text)}
        assert numbers <= {entry.number for entry in in_sight} | {
            part for part in said if isinstance(part, int)
        }
        for known in sorted({str(part) for part in said} | visible, key=len, reverse=True):
            text = text.replace(known, "")
        others = [*AGENTS, *(entry.id for entry in self.model.known.values() if entry not in in_sight)]
        assert not [other for other in others if other != agent and other in text]
        assert agent == "quagga" or "apollo" not in text

    @rule(agent=agents, text=texts, scope=scopes, labels=tags, name=st.none() | names)
    def remember(self, agent: str, text: str, scope: str | None, labels: list[str], name: str | None) -> None:
        self.attempt(
            agent,
            (text, scope, name),
            lambda model: remembered(model, place(agent, scope), text, name, labels),
            lambda: self.handle(agent).remember(text, scope=scope, tags=labels, name=name),
        )

    @rule(agent=agents, name=names, text=texts, scope=scopes)
    def add(self, agent: str, name: str, text: str, scope: str | None) -> None:
        def model(after: Model) -> Known:
            space = place(agent, scope)
            after.check_free(space, name)
            return remembered(after, space, text, name, [])

        self.attempt(
            agent, (name, text, scope), model, lambda: self.handle(agent).add(name, text, scope=scope)
        )

    def change(
        self, agent: str, ref: Refer, alter: Callable[[Known], None], real: Callable[[str | int], object]
    ) -> None:
        """A change that can be undone, of an entry in sight; whatever it breaks, it does not happen."""
        spelled = self.model.spelled(ref, SPACES[agent])

        def model(after: Model) -> Known:
            entry = after.find(spelled, SPACES[agent])
            entry.keep_for_undo()
            alter(entry)
            after.check_sound(entry)
            return entry

        self.attempt(agent, (spelled, *NAMES), model, lambda: real(spelled))

    @rule(agent=agents, ref=refs, text=texts)
    def write(self, agent: str, ref: Refer, text: str) -> None:
        def alter(entry: Known) -> None:
            entry.content = text

        self.change(agent, ref, alter, lambda spelled: self.handle(agent).write(spelled, text))

    @rule(agent=agents, ref=refs, name=names)
    def rename(self, agent: str, ref: Refer, name: str) -> None:
        def alter(entry: Known) -> None:
            if entry.name == name:
                raise DuplicateError(name)
            swapped = (entry.name if alias == name else alias for alias in entry.aliases)
            entry.aliases = tuple(alias for alias in swapped if alias is not None)
            entry.name = name

        self.change(agent, ref, alter, lambda spelled: self.handle(agent).rename(spelled, name))

    @rule(agent=agents, ref=refs, name=names)
    def alias(self, agent: str, ref: Refer, name: str) -> None:
        def alter(entry: Known) -> None:
            if name in (entry.name, *entry.aliases):
                raise DuplicateError(name)
            entry.aliases = (*entry.aliases, name)

        self.change(agent, ref, alter, lambda spelled: self.handle(agent).alias(spelled, name))

    @rule(agent=agents, ref=refs, labels=tags)
    def take_the_name_away_and_tag(self, agent: str, ref: Refer, labels: list[str]) -> None:
        def alter(entry: Known) -> None:
            entry.name, entry.tags = None, tuple(labels)

        self.change(
            agent, ref, alter, lambda spelled: self.handle(agent).update(spelled, name=None, tags=labels)
        )

    @rule(agent=agents, ref=refs, status=st.sampled_from(STATUSES))
    def complete(self, agent: str, ref: Refer, status: Status) -> None:
        def alter(entry: Known) -> None:
            entry.status = status

        self.change(agent, ref, alter, lambda spelled: self.handle(agent).complete(spelled, status=status))

    @rule(agent=agents, ref=refs)
    def undo(self, agent: str, ref: Refer) -> None:
        spelled = self.model.spelled(ref, SPACES[agent])

        def model(after: Model) -> Known:
            entry = after.find(spelled, SPACES[agent])
            entry.undo()
            after.check_sound(entry)
            return entry

        self.attempt(agent, (spelled, *NAMES), model, lambda: self.handle(agent).undo(spelled))

    @rule(agent=agents, ref=refs)
    def forget(self, agent: str, ref: Refer) -> None:
        spelled = self.model.spelled(ref, SPACES[agent])

        def model(after: Model) -> None:
            after.forget(after.find(spelled, SPACES[agent]))

        self.attempt(agent, (spelled,), model, lambda: self.handle(agent).forget(spelled))

    @rule(agent=agents, ref=refs, relation=st.sampled_from(RELATIONS), other=refs, away=st.booleans())
    def link_or_unlink(self, agent: str, ref: Refer, relation: str, other: Refer, *, away: bool) -> None:
        one, two = self.two(agent, ref, other)
        if away and self.model.links:  # hardly ever would one be met by chance
            one, relation, two = list(self.model.links)[-1 - self.steps % len(self.model.links)]
        real = self.handle(agent).unlink if away else self.handle(agent).link

        def model(after: Model) -> None:
            start, end = after.two(one, two, SPACES[agent])
            if away:
                after.unlink(start, end, relation)
            else:
                after.link(start, end, relation, self.steps)

        self.attempt(agent, (one, two), model, lambda: real(one, relation, two))

    @rule(agent=agents, ref=refs, other=refs)
    def supersede(self, agent: str, ref: Refer, other: Refer) -> None:
        old, new = self.two(agent, ref, other)

        def model(after: Model) -> Known:
            successor, before = after.two(new, old, SPACES[agent])
            after.link(successor, before, "supersedes", self.steps)
            return successor

        self.attempt(agent, (old, new), model, lambda: self.handle(agent).supersede(old, new))

    @rule(agent=agents, ref=refs, scope=scopes)
    def look(self, agent: str, ref: Refer, scope: str | None) -> None:
        """By name, alias, id or number: the same entry by `get` and by `find`, in all spaces or in one."""
        spelled = self.model.spelled(ref, SPACES[agent])
        spaces = SPACES[agent] if scope is None or agent != "quagga" else (scope,)

        def model(after: Model) -> Known:
            place(agent, scope)
            return after.find(spelled, spaces)

        handle = self.handle(agent)

        def find() -> lukasa.Entry:
            return handle.find(spelled, scope=scope) or handle.get(spelled, scope=scope)

        self.attempt(agent, (spelled, scope), model, find)
        self.attempt(agent, (spelled, scope), model, lambda: handle.get(spelled, scope=scope))

    @rule(agent=agents, ref=refs, text=texts)
    def begin_and_give_up(self, agent: str, ref: Refer, text: str) -> None:
        """Several changes whose transaction fails in the end: the invariants see that nothing happened."""
        handle = self.handle(agent)
        with suppress(ZeroDivisionError), self.store.transaction():
            entry = handle.find(self.model.spelled(ref, SPACES[agent]))
            made = handle.remember(f"{text}, almost")
            if entry:
                handle.supersede(made.id, entry.id)
                handle.forget(entry.id)
            raise ZeroDivisionError

    @rule()
    def close_and_open_again(self) -> None:
        self.store.close()
        self.store = lukasa.open(self.location, clock=self.clock)

    @invariant()
    def each_handle_shows_what_it_should(self) -> None:
        for agent in AGENTS:
            handle, known = self.handle(agent), self.model.seen_by(SPACES[agent])
            known.sort(key=lambda entry: -entry.number)
            listed = handle.list(limit=100, hidden=True).entries
            assert [shown(entry) for entry in listed] == [shown(entry) for entry in known]
            answers = [entry.id for entry in handle.list(limit=100).entries]
            assert answers == [entry.id for entry in known if not entry.superseded]
            ids = {entry.id for entry in known}
            real = {(link.from_id, link.relation, link.to_id) for id_ in ids for link in handle.links(id_)}
            assert real == {link for link in self.model.links if {link[0], link[2]} <= ids}
            assert handle.stats().entries == len(known)

    @invariant()
    def a_recall_finds_what_is_in_sight_and_says_the_word(self) -> None:
        word = ASKED[self.steps % len(ASKED)]
        wanted = set(terms_of(word))
        for agent in AGENTS:
            found = self.handle(agent).recall(word, mode="keyword", limit=100, observe=bool(self.steps % 2))
            saying = {
                entry.id
                for entry in self.model.seen_by(SPACES[agent])
                if not entry.superseded
                and wanted & set(terms_of(" ".join((entry.name or "", *entry.tags, entry.content))))
            }
            assert {hit.entry.id for hit in found} == saying
            self.handle(agent).recall(word, limit=3, observe=False)

    @invariant()
    def each_history_ends_with_the_last_change(self) -> None:
        for entry in self.model.known.values():
            agent = "zorilla" if entry.space == "agent/zorilla" else "quagga"
            past = self.handle(agent).history(entry.id)
            assert [change.revision for change in past] == list(range(1, entry.revision + 1))


def play(location: Callable[[int], str], *, examples: int, length: int) -> int:
    """Plays that many games of that many steps, each in the store that it is given; returns how many."""
    games = itertools.count()
    chosen = settings(
        max_examples=examples,
        stateful_step_count=length,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    run = stateful.run_state_machine_as_test  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    run(lambda: Machine(location(next(games))), settings=chosen)  # pyright: ignore[reportArgumentType]
    return next(games)


def test_two_agents_get_what_the_model_says(tmp_path: Path) -> None:
    assert play(lambda game: str(tmp_path / f"{game}.lukasa"), examples=25, length=40) >= 25


@pytest.mark.slow
def test_two_agents_get_what_the_model_says_in_long_games(tmp_path: Path) -> None:
    assert play(lambda game: str(tmp_path / f"{game}.lukasa"), examples=100, length=80) >= 100


@pytest.mark.slow
def test_two_agents_get_what_the_model_says_on_postgres(postgres_url: str) -> None:
    assert play(lambda _: postgres_url, examples=30, length=40) >= 30
