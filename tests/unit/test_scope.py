"""Scopes: `type/id` names exactly one space, with one owner or none; anything else is an error."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lukasa.errors import UsageError
from lukasa.scope import SCOPE_TYPES, agent_space, channel_space, check_agent, check_space, owner_of

AGENT = re.compile(r"[A-Za-z0-9_.:@-]{1,120}")
agents = st.from_regex(AGENT, fullmatch=True)
sessions = st.from_regex(re.compile(r"[A-Za-z0-9_.@-]{1,40}"), fullmatch=True)
likely = st.text("aZ09_.:@-/ \n\u00e9%*", max_size=12)


@pytest.mark.parametrize(
    ("space", "owner"),
    [
        ("agent/ana", "ana"),
        ("agent/ana@host:1.x_y-z", "ana@host:1.x_y-z"),
        ("channel/agent:ana:session:s1", "ana"),
        ("channel/agent:a:session:b:session:c", "a:session:b"),
        ("channel/agent:session:session:s", "session"),
        ("project/apollo", None),
        ("project/team/apollo", None),
        ("project/agent/ana", None),
        ("global/shared", None),
        ("global/global", None),
    ],
)
def test_a_space_has_the_owner_that_its_name_says(space: str, owner: str | None) -> None:
    assert check_space(space) == space
    assert owner_of(space) == owner


@pytest.mark.parametrize(
    "text",
    [
        *("agent/ana/bob", "agent//", "agent/ ana", "agent/ana ", " agent/ana", "AGENT/ana", "agents/ana"),
        *("channel/agent:ana:session:a:b", "channel/ana:session:s", "channel/agent::session:s"),
        *("channel/:session:s", "channel/agent:ana:Session:s", "channel/agent:ana/bob:session:s"),
        *("project//a\n", "project/*", "global", "global/", "session/s1", "project\\apollo", "project/\x00"),
    ],
)
def test_what_is_no_space_is_refused_and_named(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_space(text)
    assert "was wanted, found" in caught.value.message
    assert caught.value.fix


@given(agents)
def test_every_agent_has_one_space_of_its_own(agent: str) -> None:
    space = agent_space(agent)
    assert (check_space(space), owner_of(space), check_agent(agent)) == (space, agent, agent)


@given(agents, sessions)
def test_a_channel_belongs_to_its_agent_whatever_the_two_are_called(agent: str, session: str) -> None:
    # The longest names together are more than a space can be called; they are refused, not cut.
    if len(f"agent:{agent}:session:{session}") > 200:
        with pytest.raises(UsageError):
            channel_space(agent, session)
    else:
        space = channel_space(agent, session)
        assert owner_of(check_space(space)) == agent
        assert space.endswith(f":session:{session}")


@given(agents, agents, sessions, sessions)
def test_two_agents_never_meet_in_a_channel(one: str, two: str, here: str, there: str) -> None:
    short_one, short_two = one[:60], two[:60]
    same = (short_one, here) == (short_two, there)
    assert (channel_space(short_one, here) == channel_space(short_two, there)) == same


@pytest.mark.parametrize("session", ["", " ", "a:b", ":", "s\n", "\u00e9", "x" * 200, "a b"])
def test_a_session_that_could_be_taken_for_another_is_refused(session: str) -> None:
    with pytest.raises(UsageError):
        channel_space("ana", session)


@given(st.one_of(likely, st.text(max_size=20)))
def test_an_agent_id_is_exactly_what_the_rule_says(text: str) -> None:
    if AGENT.fullmatch(text):
        assert check_agent(text) == text
    else:
        with pytest.raises(UsageError, match="agent id"):
            check_agent(text)


@given(st.sampled_from([*SCOPE_TYPES, "", "team", "Agent"]), likely)
def test_a_space_is_taken_as_it_stands_or_refused(kind: str, name: str) -> None:
    text = f"{kind}/{name}"
    try:
        kept = check_space(text)
    except UsageError:
        with pytest.raises(UsageError, match="wanted, found"):
            check_space(text)
        return
    assert kept == text
    assert kind in SCOPE_TYPES
    assert (owner_of(kept) is None) == (kind in {"project", "global"})


def test_ids_have_a_longest_length() -> None:
    assert check_agent("x" * 120)
    assert check_space("project/" + "x" * 200)
    for text in ("agent/" + "x" * 121, "project/" + "x" * 201):
        with pytest.raises(UsageError):
            check_space(text)
