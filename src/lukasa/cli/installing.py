"""`install`: puts Lukasa into a coding assistant's own files, and takes it out again."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lukasa.cli.command import Command
from lukasa.cli.pieces import Card, Line, Outcome
from lukasa.db import is_postgres
from lukasa.entries.kinds import one_of
from lukasa.errors import UsageError
from lukasa.hooks.contracts import ASSISTANTS
from lukasa.install.assistants import afterwards, installed, targets
from lukasa.install.plan import calling, carry_out, install_changes, uninstall_changes
from lukasa.scope import check_agent, check_space

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Piece
    from lukasa.db.database import Json
    from lukasa.hooks.contracts import Assistant
    from lukasa.install.assistants import Calling
    from lukasa.install.plan import Change

_DONE = {"made": "Made", "changed": "Changed", "taken away": "Took away", "as it was": "Nothing to do in"}


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("assistant", metavar="ASSISTANT", help=f"one of: {', '.join(ASSISTANTS)}")
    parser.add_argument("--print", action="store_true", help="only show what would stand in which file")
    parser.add_argument(
        "--uninstall", action="store_true", help="take it out again; files are what they were"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="for you, everywhere [so]")
    where.add_argument("--project", action="store_true", help="for this checkout, in files that others share")
    parser.add_argument("--bind-project", action="store_true", help="hooks bind project/NAME of the checkout")
    parser.add_argument(
        "--plugin", action="store_true", help="only say where the assistant's plugin folder is"
    )


def _install(call: Call) -> Outcome:
    assistant: Assistant = one_of("assistant", call.text("assistant"), ASSISTANTS)
    if call.flag("plugin"):
        return _plugin(assistant)
    project = _root() if call.flag("project") else None
    how = _calling(call, shared=project is not None)
    if call.flag("print"):
        return _shown(assistant, project, how)
    uninstall = call.flag("uninstall")
    changes = uninstall_changes(assistant, project) if uninstall else install_changes(assistant, project, how)
    carry_out(changes, uninstall=uninstall)
    return _told(assistant, changes, how, uninstall=uninstall)


def _root() -> Path:
    here = Path.cwd()
    return next((place for place in (here, *here.parents) if (place / ".git").exists()), here)


def _calling(call: Call, *, shared: bool) -> Calling:
    """Which store and agent the assistant will be given: as this call says, or as the environment does."""
    environment: dict[str, str] = {} if shared else dict(os.environ)
    store = call.maybe("store") or environment.get("LUKASA_STORE")
    agent = call.maybe("agent") or environment.get("LUKASA_AGENT")
    options = ["--store", _place(store)] if store else []
    for space in call.texts("share"):
        options += ["--share", check_space(space)]
    server = ["--agent", check_agent(agent)] if agent else []
    hook = ["--memory-agent", agent] if agent else []
    hook += ["--bind-project"] if call.flag("bind_project") else []
    return calling((*server, *options), (*hook, *options), shared=shared)


def _place(store: str) -> str:
    if not is_postgres(store):
        return str(Path(store).absolute())
    if urlsplit(store).password:
        raise UsageError(
            "The store's URL holds a password, and would stand in the assistant's files.",
            fix="Put the password into ~/.pgpass, and leave it out of the URL.",
        )
    return store


def _plugin(assistant: Assistant) -> Outcome:
    folder = str(Path(__file__).parents[1] / "plugins" / assistant)
    return Outcome(document={"assistant": assistant, "plugin": folder}, pieces=(Line(text=folder),))


def _shown(assistant: Assistant, project: Path | None, how: Calling) -> Outcome:
    """What would stand in each file, as if the file were empty; for one who writes it in by hand."""
    texts = [
        (str(target.path), installed(assistant, target.form, None, how, str(target.path)))
        for target in targets(assistant, project)
    ]
    found: list[Json] = [{"path": path, "text": text} for path, text in texts]
    pieces: list[Piece] = []
    for path, text in texts:
        pieces += [
            Line(text=path, tone="title"),
            *(Line(text=line) for line in text.splitlines()),
            Line(text=""),
        ]
    return Outcome(document={"assistant": assistant, "files": found}, pieces=tuple(pieces[:-1]))


def _told(assistant: Assistant, changes: list[Change], how: Calling, *, uninstall: bool) -> Outcome:
    done = [(str(change.path), _what(change)) for change in changes]
    then = "" if uninstall or not any(change.needed for change in changes) else afterwards(assistant)
    lacks = "" if uninstall or find_spec("mcp") or how.server[0] == "uvx" else _NEEDS_MCP
    found: list[Json] = [{"path": path, "done": what} for path, what in done]
    pieces: list[Piece] = [Line(text=f"{_DONE[what]} {path}", tone="good") for path, what in done]
    if not pieces:
        pieces = [Line(text="Nothing to do: there is no such file.", tone="quiet")]
    notes = tuple(Line(text=note, tone="quiet") for note in (then, lacks) if note)
    if not uninstall:
        pieces.append(Card(title="Calls", pairs=(("server", " ".join((*how.server, *how.options))),)))
    return Outcome(document={"assistant": assistant, "files": found}, pieces=tuple(pieces), notes=notes)


_NEEDS_MCP = "The server needs one more part: pip install 'lukasa[mcp]'"


def _what(change: Change) -> str:
    if not change.needed:
        return "as it was"
    return "made" if change.before is None else "taken away" if change.after is None else "changed"


COMMANDS = {
    "install": Command(
        about="Writes the server and the hooks into the assistant's own files, and nothing else there is\n"
        "touched; a copy of each file as it was stands beside it. Done twice is done once. What --store,\n"
        "--agent and --share say, or LUKASA_STORE and LUKASA_AGENT, goes with it. A file that is not\n"
        "plain JSON or TOML is refused; --print shows what to write by hand.",
        examples=(
            "lukasa install claude",
            "lukasa install cursor --agent ana --store ~/memory.lukasa",
            "lukasa install codex --print",
            "lukasa install gemini --project --bind-project",
            "lukasa install claude --uninstall",
        ),
        arguments=_arguments,
        run=_install,
    ),
}
