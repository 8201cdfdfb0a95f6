"""Prompts that a person picks: what is remembered of a matter, and what to keep of a conversation.

Always true: what was remembered stands in a prompt as the context block frames it, as data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcp.types as protocol

from lukasa.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lukasa.mcp.desk import Desk

_RECALL = "recall"
_REMEMBER = "remember-session"
PROMPTS = (
    protocol.Prompt(
        name=_RECALL,
        title="Recall",
        description="Put before the model what is remembered that may help with a message.",
        arguments=[
            protocol.PromptArgument(
                name="message", description="what you are about to ask or do", required=True
            )
        ],
    ),
    protocol.Prompt(
        name=_REMEMBER,
        title="Remember this session",
        description="Have the model keep what this conversation has brought, before it ends.",
        arguments=[
            protocol.PromptArgument(
                name="about",
                description="what to look for above all; everything, if left out",
                required=False,
            )
        ],
    ),
)
_NOTHING = "(Nothing that was remembered helps with this.)"
_KEEP = """\
Go through this conversation{about} and keep in memory what will matter in a later one: decisions with \
their reasons, preferences, facts about people, systems and projects, and what is still to be done.

1. Recall first, for each of them, whether it is there already. Correct an entry that is no longer true; do \
not add a second one.
2. One fact in each memory, in a whole sentence that will be understood without this conversation: names, \
dates and paths spelled out.
3. Leave out what anybody could look up, what mattered only today, and every password or key.
4. At the end, say in a few lines what you kept, what you corrected, and what you left out."""


def prompt(desk: Desk, name: str, arguments: Mapping[str, str]) -> protocol.GetPromptResult:
    """The messages of a prompt, filled in."""
    wanted = next((one for one in PROMPTS if one.name == name), None)
    if wanted is None:
        raise NotFoundError(wanted=f"prompt {name!r}", near=[one.name for one in PROMPTS])
    known = {argument.name for argument in wanted.arguments or ()}
    if unknown := arguments.keys() - known:
        raise UsageError(
            f"The prompt {name} does not take {min(unknown)!r}.", fix=f"It takes {', '.join(known)}."
        )
    text = _recalled(desk, arguments) if name == _RECALL else _kept(arguments)
    said = protocol.PromptMessage(role="user", content=protocol.TextContent(type="text", text=text))
    return protocol.GetPromptResult(description=wanted.description, messages=[said])


def _recalled(desk: Desk, arguments: Mapping[str, str]) -> str:
    message = arguments.get("message", "").strip()
    if not message:
        raise UsageError(
            "The prompt recall was given no message.", fix="Say what you are about to ask or do."
        )
    block = desk.binding.handle.context(message).text
    return f"{block or _NOTHING}\n\n{message}"


def _kept(arguments: Mapping[str, str]) -> str:
    about = " ".join(arguments.get("about", "").split())
    return _KEEP.format(about=f", above all for {about}," if about else "")
