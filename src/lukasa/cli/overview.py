"""The table of commands: the name of each, its line of help, and the module where it lives.

Only words stand here, so that `lukasa --help` answers without loading any of them.
"""

from __future__ import annotations

from lukasa.errors import UsageError

_GROUPS = {
    "Start": (("demo", "demo", "See it work: two agents, in real commands, on a store of its own."),),
    "Remember and read": (
        ("remember", "entries", "Store a memory."),
        ("add", "entries", "Store a memory under a new name."),
        ("recall", "recalling", "Ask a question; the best answers, each with its reasons."),
        ("why", "recalling", "Show why an entry answers a question, or why it does not."),
        ("context", "recalling", "Make the block of memories that may help with a message."),
        ("get", "entries", "Show one entry whole, now or as it was."),
        ("list", "entries", "List entries, newest first."),
    ),
    "Change": (
        ("write", "changing", "Replace the text of an entry."),
        ("update", "changing", "Change parts of an entry: tags, kind, importance, …"),
        ("complete", "changing", "Mark a todo, or any entry, as done."),
        ("undo", "changing", "Take the last change of an entry back."),
        ("history", "changing", "Show every change of an entry, oldest first."),
        ("forget", "operator", "Erase an entry, or a whole agent, with a receipt."),
        ("remove", "operator", "Erase the entry of a name, and free all its names."),
    ),
    "Names and links": (
        ("rename", "naming", "Give an entry another name."),
        ("alias", "naming", "Add one more name by which an entry is found."),
        ("link", "naming", "Join two entries by a relation."),
        ("unlink", "naming", "Take a link away."),
        ("supersede", "naming", "Put one entry in another's place."),
        ("links", "naming", "Show the links from and to an entry."),
    ),
    "Coding assistants": (
        ("install", "installing", "Give a coding assistant its memory, or take it out again."),
        ("mcp", "serving", "Serve the memory to an assistant, by the Model Context Protocol."),
        ("token", "serving", "Make, list or take back the tokens of the HTTP server."),
        ("hook", "hooking", "What an assistant calls at each turn of a conversation."),
    ),
    "Run the store": (
        ("agents", "operator", "List the agents that have something here."),
        ("stats", "operator", "Show how much there is."),
        ("check", "operator", "Verify everything in the store, and change nothing."),
        ("doctor", "doctoring", "Say what is installed and whether all is well, and what to do."),
        ("reindex", "models", "Make the index anew, or with another model or language."),
        ("model", "models", "Get, list and choose models of meaning."),
        ("completion", "completing", "Let your shell complete commands and options with Tab."),
        ("export", "transfer", "Write the store, or one agent's own, to a file."),
        ("import", "transfer", "Take an export in, all of it or nothing."),
        ("bench", "benching", "Measure how good recall is, and how fast."),
    ),
}
HOMES = {name: home for commands in _GROUPS.values() for name, home, _ in commands}
HELP = {name: words for commands in _GROUPS.values() for name, _, words in commands}

_HEAD = """\
Lukasa: durable memory for AI agents. One file, no server, no API key.

Usage: lukasa COMMAND [OPTIONS]

First use:
  lukasa remember "The user prefers short answers." --name style
  lukasa recall "how long should answers be"
  lukasa list

"""
_FOOT = """\
Options for every command, before or after its name:
  --store PATH_OR_URL  the store: a file, or a postgresql:// URL  [LUKASA_STORE, or your own folder]
  --agent NAME         whose memory  [LUKASA_AGENT, or main]
  --share SPACE        also bind a shared space, such as project/apollo; may be repeated
  --json               one JSON document on standard output; errors as JSON on standard error
  --version            the version
  -h, --help           help; `lukasa COMMAND --help` explains one command, with examples

Exit codes: 0 done, 1 failed, 2 called wrongly.
"""


def overview_text() -> str:
    """All commands by purpose, with a first use and the options that every command has."""
    width = max(len(name) for name in HOMES)
    parts = [
        f"{group}:\n" + "".join(f"  {name:{width}}  {words}\n" for name, _, words in commands)
        for group, commands in _GROUPS.items()
    ]
    return _HEAD + "\n".join(parts) + "\n" + _FOOT


def check_command(name: str) -> str:
    """The name itself, or an error that offers the nearest one."""
    if name in HOMES:
        return name
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistyped name needs it

    near = get_close_matches(name, HOMES, n=1, cutoff=0.5)
    fix = f"Did you mean `lukasa {near[0]}`?" if near else "`lukasa --help` shows them all."
    raise UsageError(f"There is no command {name!r}.", fix=fix)
