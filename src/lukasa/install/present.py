"""What stands in an assistant's files now: whether Lukasa is there, and by which programs it is called."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from lukasa.install import files
from lukasa.install.assistants import SERVER, SERVERS, our_lines, removed, said, targets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lukasa.db.database import Json
    from lukasa.hooks.contracts import Assistant
    from lukasa.install.assistants import Target

_SETS = re.compile(r"[A-Za-z_]\w*=")


def is_missing(assistant: Assistant, target: Target) -> bool:
    """Whether Lukasa stands nowhere in a file."""
    text = files.read(target.path)
    return text is None or removed(assistant, target.form, text, str(target.path)) == text


def has_hooks(assistant: Assistant) -> bool:
    """Whether the hooks stand in the assistant's files in the home folder."""
    return any(
        target.form in {"hooks", "both"} and not is_missing(assistant, target)
        for target in targets(assistant, None)
    )


def programs(target: Target) -> set[str]:
    """The programs by which a file calls Lukasa."""
    found = said(target.form, files.read(target.path) or "", str(target.path))
    return {*_of_server(found.get(SERVERS, found.get("mcp_servers"))), *_of_hooks(found.get("hooks"))}


def _of_server(servers: Json) -> Iterator[str]:
    server = servers.get(SERVER) if isinstance(servers, dict) else None
    if isinstance(server, dict) and isinstance(server.get("command"), str):
        yield str(server["command"])


def _of_hooks(hooks: Json) -> Iterator[str]:
    for groups in hooks.values() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            yield from map(_program, our_lines(group))


def _program(line: str) -> str:
    """The program that a line of shell calls, after the variables that it sets."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:  # quotes that do not end
        words = line.split()
    return next(word for word in words if not _SETS.match(word))
