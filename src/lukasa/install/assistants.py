"""Which files each assistant reads, and what stands in them for Lukasa to be its memory.

For a person: the files in the home folder. For a project: those in the checkout, which others share.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lukasa.hooks.contracts import NATIVE
from lukasa.install import json_text, toml_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.db.database import Json
    from lukasa.hooks.contracts import Assistant, Event

Form = Literal["servers", "hooks", "both", "toml"]
SERVER = "lukasa"
SERVERS = "mcpServers"
_OURS = re.compile(r"\bhook (?:session-start|prompt-submit|stop|pre-compact|session-end) --agent \w+")
# How long an assistant waits for a hook: longer than the hook itself allows itself.
_SECONDS: dict[Event, int] = {
    "session-start": 10,
    "prompt-submit": 10,
    "stop": 30,
    "pre-compact": 30,
    "session-end": 30,
}
_AFTERWARDS: dict[Assistant, str] = {
    "claude": "Start a new session. `/mcp` and `/hooks` show what is there.",
    "codex": "Start a new session and trust the hooks under `/hooks`: Codex runs none before.",
    "cursor": "Open a new chat. Settings show the server under MCP and the hooks under Hooks.",
    "gemini": "Start a new session. `/mcp` and `/hooks` show what is there.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Calling:
    """How Lukasa is called: the program, and whose memory in which store."""

    server: tuple[str, ...]
    hook: tuple[str, ...]
    options: tuple[str, ...] = ()
    hook_options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """One file of an assistant, and what of Lukasa's stands in it."""

    path: Path
    form: Form


def targets(assistant: Assistant, project: Path | None) -> tuple[Target, ...]:
    """The files of an assistant, in the home folder or in a project."""
    home = _home(assistant) if project is None else project / f".{assistant}"
    if assistant == "claude":
        servers = _claude_servers() if project is None else project / ".mcp.json"
        return Target(path=servers, form="servers"), Target(path=home / "settings.json", form="hooks")
    if assistant == "codex":
        return Target(path=home / "config.toml", form="toml"), Target(path=home / "hooks.json", form="hooks")
    if assistant == "cursor":
        return Target(path=home / "mcp.json", form="servers"), Target(path=home / "hooks.json", form="hooks")
    return (Target(path=home / "settings.json", form="both"),)


def _home(assistant: Assistant) -> Path:
    variable = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME"}.get(assistant, "")
    given = os.environ.get(variable)
    return Path(given) if given else Path.home() / f".{assistant}"


def _claude_servers() -> Path:
    given = os.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(given) if given else Path.home()) / ".claude.json"


def afterwards(assistant: Assistant) -> str:
    """What a person does next."""
    return _AFTERWARDS[assistant]


def installed(assistant: Assistant, form: Form, text: str | None, calling: Calling, where: str) -> str:
    """A file's text with Lukasa in it; the same text, if it is there already."""
    if form == "toml":
        return toml_text.with_block(text or "", _toml(calling), where)
    begun = text if text is not None and text.strip() else "{}\n"
    found = json_text.parsed(begun, where)
    done = begun
    if form in {"servers", "both"}:
        done = _with_server(done, found, assistant, calling)
    if form in {"hooks", "both"}:
        done = _with_hooks(done, assistant, calling)
    json_text.parsed(done, where)
    return done


def removed(assistant: Assistant, form: Form, text: str, where: str) -> str:
    """A file's text without Lukasa; the same text, if it names Lukasa nowhere."""
    if form == "toml":
        return toml_text.without_block(text)
    if not text.strip():
        return text
    json_text.parsed(text, where)
    if form in {"servers", "both"}:
        text = json_text.drop(text, (SERVERS, SERVER))
    return _without_hooks(text, assistant) if form in {"hooks", "both"} else text


def said(form: Form, text: str, where: str) -> dict[str, Json]:
    """What a text says, apart from how it is written and from what is empty."""
    if form == "toml":
        return toml_text.parsed(text, where)
    found = json_text.parsed(text, where) if text.strip() else {}
    hooks = found.get("hooks")
    if isinstance(hooks, dict):
        found["hooks"] = {name: groups for name, groups in hooks.items() if groups}
    return {name: value for name, value in found.items() if value not in _NOTHING}


_NOTHING: tuple[Json, ...] = ({}, [])
# What we put into a file that was not there, besides what is Lukasa's own.
OURS_ALONE: tuple[dict[str, Json], ...] = ({}, {"version": 1})


def _toml(calling: Calling) -> list[str]:
    words = (*calling.server[1:], *calling.options)
    return [
        f"[mcp_servers.{SERVER}]",
        f"command = {toml_text.string(calling.server[0])}",
        f"args = [{', '.join(toml_text.string(word) for word in words)}]",
    ]


def _with_server(text: str, found: dict[str, Json], assistant: Assistant, calling: Calling) -> str:
    entry: dict[str, Json] = {"type": "stdio"} if assistant == "claude" else {}
    entry |= {"command": calling.server[0], "args": [*calling.server[1:], *calling.options]}
    servers = found.get(SERVERS)
    same = isinstance(servers, dict) and servers.get(SERVER) == entry
    return text if same else json_text.put(text, (SERVERS, SERVER), entry)


def _with_hooks(text: str, assistant: Assistant, calling: Calling) -> str:
    if assistant == "cursor" and "version" not in json_text.parsed(text, "it"):
        text = json_text.put(text, ("version",), 1)
    for event, native in NATIVE[assistant].items():
        wanted = group(assistant, event, command(calling, assistant, event))
        there = [item for item in _groups(text, native) if is_ours(item)]
        if there != [wanted]:
            text = json_text.append(_bare(text, native), ("hooks", native), wanted)
    return text


def _groups(text: str, native: str) -> Sequence[Json]:
    hooks = json_text.parsed(text, "it").get("hooks")
    groups = hooks.get(native) if isinstance(hooks, dict) else None
    return groups if isinstance(groups, list) else ()


def _without_hooks(text: str, assistant: Assistant) -> str:
    for native in NATIVE[assistant].values():
        bare = _bare(text, native)
        text = bare if bare == text else json_text.prune(bare, ("hooks", native))
    return text


def _bare(text: str, native: str) -> str:
    """A text without our hooks at an event; those that somebody put beside one of ours stay."""
    for place, item in enumerate(_groups(text, native)):
        if 0 < len(our_lines(item)) < len(lines_of(item)):
            text = json_text.drop_items(text, ("hooks", native, place, "hooks"), is_ours)
    return json_text.drop_items(text, ("hooks", native), is_ours)


def command(calling: Calling, assistant: Assistant, event: Event) -> str:
    """What an assistant runs at an event: a line of shell."""
    words = (*calling.hook, event, "--agent", assistant, *calling.hook_options)
    return shlex.join(words)


def group(assistant: Assistant, event: Event, line: str) -> Json:
    """One hook as an assistant writes it down."""
    seconds = _SECONDS[event]
    if assistant == "cursor":
        return {"command": line, "timeout": seconds}
    named: dict[str, Json] = {"name": f"{SERVER}-{event}"} if assistant == "gemini" else {}
    wait = seconds * 1_000 if assistant == "gemini" else seconds
    return {"hooks": [{**named, "type": "command", "command": line, "timeout": wait}]}


def is_ours(item: Json) -> bool:
    """Whether a hook is one that `install` wrote, or a group has such a one."""
    return bool(our_lines(item))


def our_lines(item: Json) -> list[str]:
    """The commands of a hook or a group that `install` wrote."""
    return [line for line in lines_of(item) if _is_our_line(line)]


def _is_our_line(line: str) -> bool:
    return "lukasa" in line and _OURS.search(line) is not None


def lines_of(item: Json) -> list[str]:
    """The commands of a hook, or of a group of them."""
    if not isinstance(item, dict):
        return []
    inner = item.get("hooks")
    hooks: list[Json] = [item, *(inner if isinstance(inner, list) else ())]
    found = [hook.get("command") for hook in hooks if isinstance(hook, dict)]
    return [line for line in found if isinstance(line, str)]
