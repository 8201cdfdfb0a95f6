"""`hook`: what a coding assistant calls at each turn of a conversation.

Always true, when an assistant calls it: it ends with success, writes one JSON object that the assistant
understands or nothing, and is over within its time. What went wrong stands in a file of the user's.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from lukasa.cli.command import Command
from lukasa.cli.literal import json_text
from lukasa.cli.pieces import Line, Outcome
from lukasa.entries.kinds import one_of
from lukasa.errors import UsageError
from lukasa.hooks.budget import SECONDS, within
from lukasa.hooks.contracts import ASSISTANTS, EVENTS, answer
from lukasa.hooks.record import record

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

    from lukasa.cli.call import Call
    from lukasa.hooks.contracts import Assistant, Event
    from lukasa.hooks.events import Kept
    from lukasa.hooks.payload import Payload


def unfailing(arguments: list[str], work: Callable[[], int]) -> int:
    """Runs a hook for an assistant: whatever happens, the conversation goes on."""
    event = next((word for word in arguments if word in EVENTS), "hook")
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - an assistant must never stop because its memory did
        record(event, f"{type(error).__name__}: {error}")
        return 0


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("event", metavar="EVENT", help=f"one of: {', '.join(EVENTS)}")
    parser.add_argument(
        "--agent", dest="assistant", metavar="ASSISTANT", help=f"who calls: {', '.join(ASSISTANTS)}"
    )
    parser.add_argument(
        "--bind-project", action="store_true", help="also bind project/NAME of the git checkout"
    )
    parser.add_argument("--seconds", metavar="N", type=float, help="how long it may take [2; 10 to keep]")


def _hook(call: Call) -> Outcome:
    event: Event = one_of("event", call.text("event"), EVENTS)
    assistant: Assistant = one_of("assistant", call.maybe("assistant") or "", ASSISTANTS)
    if os.isatty(0):
        raise UsageError(
            "A hook reads JSON from standard input, found a terminal.",
            fix="`lukasa install` tells an assistant to call it.",
        )
    caller = _caller(assistant)
    if caller is None:
        return Outcome(document=None, pieces=())
    seconds = call.real("seconds")
    with within(SECONDS[event] if seconds is None else seconds, event):
        from lukasa.hooks.payload import read_payload  # noqa: PLC0415 - what is slow begins in its time

        payload = read_payload(sys.stdin.buffer)
        kept = _happened(call, caller, event, payload)
    for reason in kept.refused:
        record(event, reason)
    said = answer(caller, event, kept.text)
    return Outcome(document=said, pieces=(Line(text=json_text(said)),) if said is not None else ())


def _caller(named: Assistant) -> Assistant | None:
    """Who really calls: Cursor runs Claude's hooks as well, and then its own, which do the same once more."""
    if named != "claude" or not os.environ.get("CURSOR_VERSION"):
        return named
    from lukasa.install.present import has_hooks  # noqa: PLC0415 - only where Cursor runs Claude's hooks

    return None if has_hooks("cursor") else "cursor"


def _happened(call: Call, assistant: Assistant, event: Event, payload: Payload) -> Kept:
    from lukasa.hooks.events import happened  # noqa: PLC0415 - see above
    from lukasa.hooks.payload import project_of  # noqa: PLC0415 - see above

    project = project_of(payload.folder) if call.flag("bind_project") else None
    shares = [*call.texts("share"), *([f"project/{project}"] if project else [])]
    with call.store() as store:
        return happened(store, store.agent(call.place().agent, shares=shares), assistant, event, payload)


COMMANDS = {
    "hook": Command(
        about="For coding assistants, which call it by themselves once `lukasa install` has told them to.\n"
        "A session begins with what is pinned, important or new; a prompt brings what belongs to it;\n"
        "stop, pre-compact and session-end keep what was said, each turn once, in a space of that\n"
        "conversation. Here --agent is the assistant; whose memory it is, --memory-agent says, or\n"
        "LUKASA_AGENT, or else it is main. It never fails and is never slow: what went wrong is a line\n"
        "in hooks.log in your state folder.",
        examples=(
            "lukasa hook session-start --agent claude < payload.json",
            "lukasa hook stop --agent codex --memory-agent ana < payload.json",
        ),
        arguments=_arguments,
        run=_hook,
        owner="--memory-agent",
    ),
}
