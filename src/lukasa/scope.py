"""Spaces and the words for them: the unit of isolation and of sharing.

A scope is a type and an id, written `type/id`; it names exactly one space. Anything that is not
written so is an error, never a wider search.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from lukasa.errors import UsageError

ScopeType = Literal["agent", "channel", "project", "global"]
SCOPE_TYPES: tuple[ScopeType, ...] = get_args(ScopeType)
_AGENT = re.compile(r"[A-Za-z0-9_.:@-]{1,120}\Z")
_ID = re.compile(r"[A-Za-z0-9_.:@/-]{1,200}\Z")


def check_agent(agent: str) -> str:
    """The agent id itself, or an error that says how one is written."""
    if not _AGENT.match(agent):
        raise UsageError(
            f"An agent id was wanted, found {agent!r}.",
            fix="Use 1 to 120 of the characters A-Z a-z 0-9 _ . : @ -",
        )
    return agent


def agent_space(agent: str) -> str:
    """The space that is the agent's own."""
    return f"agent/{check_agent(agent)}"


def check_space(text: str) -> str:
    """The space that `type/id` names, or an error."""
    kind, _, name = text.partition("/")
    if kind not in SCOPE_TYPES or not _ID.match(name):
        raise UsageError(
            f"A space was wanted, found {text!r}.",
            fix="Write type/id with a type of agent, channel, project or global: project/apollo.",
        )
    if kind == "agent":
        check_agent(name)
    if kind == "channel":
        _channel_owner(name)
    return text


def channel_space(agent: str, session: str) -> str:
    """The space of one of the agent's conversations."""
    return check_space(f"channel/agent:{check_agent(agent)}:session:{session}")


def owner_of(space: str) -> str | None:
    """The agent whose space it is: its own memory, or a channel of it. None for a shared one."""
    kind, _, name = space.partition("/")
    if kind == "agent":
        return name
    return _channel_owner(name) if kind == "channel" else None


def _channel_owner(name: str) -> str:
    """A session id holds no colon, so the last `:session:` parts the two without doubt."""
    head, _, session = name.rpartition(":session:")
    agent = head.removeprefix("agent:")
    if not session or ":" in session or agent == head:
        raise UsageError(
            f"A channel was wanted, found {name!r}.",
            fix="Write channel/agent:NAME:session:ID, with no colon in ID.",
        )
    return check_agent(agent)
