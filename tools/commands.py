"""Writes docs/commands.md from the command line's own table, so that the two cannot differ.

python tools/commands.py > docs/commands.md
"""

from __future__ import annotations

import os
import re

from lukasa.cli.overview import HELP
from lukasa.cli.parser import build, find_command

HEAD = """\
# Commands

Made by `make docs` from the command line's own help; a test compares the two. `lukasa COMMAND --help` shows
the same.

Every command takes `--store PATH_OR_URL` (or `LUKASA_STORE`; else one file in your data folder),
`--agent NAME` (or `LUKASA_AGENT`; else `main`), `--share SPACE` to bind a shared space, and `--json`. REF is
a name, an alias, a number or an id. Exit codes: 0 done, 1 failed, 2 called wrongly.
"""
# Two columns of the help, wide enough not to be broken: an argument, and what it means.
ARGUMENT = re.compile(r"^  (\S.*?)(?:\s{2,}(\S.*))?$")
MEANING = re.compile(r"^ {10,}(\S.*)$")


def arguments_of(name: str) -> list[tuple[str, str]]:
    """Each argument of a command as it is written, and what it means."""
    os.environ["COLUMNS"] = "1000"
    text = build(name).format_help().partition(f"\n\n{HELP[name]}")[2].partition("\nExamples:\n")[0]
    found: list[tuple[str, str]] = []
    for line in text.partition("options for every command:")[0].splitlines():
        if match := ARGUMENT.match(line):
            found.append((match[1], match[2] or ""))
        elif found and (match := MEANING.match(line)):
            found[-1] = (found[-1][0], match[1])
    return found


def section(name: str) -> str:
    """What the document says of one command."""
    command = find_command(name)
    arguments = "\n".join(
        f"| `{written}` | {means.replace('|', chr(92) + '|')} |" for written, means in arguments_of(name)
    )
    table = f"\n| argument | meaning |\n|---|---|\n{arguments}\n" if arguments else ""
    examples = "\n".join(command.examples)
    about = " ".join(command.about.split("\n"))
    return f"## `{name}`\n\n{HELP[name]} {about}\n\n```sh\n{examples}\n```\n{table}"


def document() -> str:
    """The whole of docs/commands.md."""
    return "\n".join((HEAD, *(section(name) for name in HELP)))


if __name__ == "__main__":
    print(document(), end="")
