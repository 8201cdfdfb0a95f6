"""From a command line to a command: the overview, the help of each command, and its arguments.

Only the parser of the command that was asked for is built, so a start costs the same however many
commands there are. Options for every command may stand before or after its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from lukasa.cli.call import Call
from lukasa.cli.show import show
from lukasa.cli.table import BY_NAME, COMMANDS, GROUPS
from lukasa.errors import UsageError

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from lukasa.cli.command import Command

_WITH_VALUE = ("--store", "--agent", "--share")
_OVERVIEW = """\
Lukasa: durable memory for AI agents. One file, no server, no API key.

Usage: lukasa COMMAND [OPTIONS]

First use:
  lukasa remember "The user prefers short answers." --name style
  lukasa get style
  lukasa list

"""
_GLOBALS = """\
Options for every command, before or after its name:
  --store PATH_OR_URL  the store: a file, or a postgresql:// URL  [LUKASA_STORE, or your data folder]
  --agent NAME         whose memory  [LUKASA_AGENT, or main]
  --share SPACE        also bind a shared space, such as project/apollo; may be repeated
  --json               one JSON document on standard output; errors as JSON on standard error
  --version            the version
  -h, --help           help; `lukasa COMMAND --help` explains one command, with examples

Exit codes: 0 done, 1 failed, 2 called wrongly.
"""


def run(arguments: list[str]) -> int:
    """Does what the command line says; returns the exit code."""
    before, name, after = _split(arguments)
    options = [*before, *(after[: after.index("--")] if "--" in after else after)]
    if "--version" in options:
        return _version(as_json="--json" in options)
    if name is None:
        return _overview(before)
    if name == "help":
        name, after, options = (after or [""])[0], [], ["--help"]
        if not name:
            return _overview(["--help"])
    command = _command(name)
    if {"-h", "--help"} & set(options):
        print(build(command).format_help(), end="")
        return 0
    call = parse(command, [*before, *after])
    outcome = command.run(call)
    show(outcome, as_json=call.as_json)
    return outcome.code


def _split(arguments: list[str]) -> tuple[list[str], str | None, list[str]]:
    """The options before the command, its name, and all that follows."""
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        if not argument.startswith("-"):
            return arguments[:position], argument, arguments[position + 1 :]
        position += 2 if argument in _WITH_VALUE else 1
    return arguments, None, []


def _version(*, as_json: bool) -> int:
    from lukasa import __version__  # noqa: PLC0415 - read where it is shown

    print(f'{{"version": "{__version__}"}}' if as_json else f"lukasa {__version__}")
    return 0


def _overview(options: list[str]) -> int:
    if options and not {"-h", "--help"} & set(options):
        raise UsageError("A command was wanted, found only options.", fix="`lukasa --help` shows them all.")
    width = max(len(command.name) for command in COMMANDS)
    parts = [_OVERVIEW]
    for group in GROUPS:
        lines = [f"  {c.name:{width}}  {c.help}\n" for c in COMMANDS if c.group == group]
        parts.append(f"{group}:\n{''.join(lines)}\n")
    print("".join(parts) + _GLOBALS, end="")
    return 0


def _command(name: str) -> Command:
    if name in BY_NAME:
        return BY_NAME[name]
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistyped name needs it

    near = get_close_matches(name, BY_NAME, n=1, cutoff=0.5)
    fix = f"Did you mean `lukasa {near[0]}`?" if near else "`lukasa --help` shows them all."
    raise UsageError(f"There is no command {name!r}.", fix=fix)


def parse(command: Command, arguments: list[str]) -> Call:
    """The arguments of a command, or an error that says what is wrong with them."""
    given, unknown = build(command).parse_known_args(arguments)
    if unknown:
        fix = f"`lukasa {command.name} --help` shows what it takes; put a text of several words in quotes."
        raise UsageError(f"Not understood: {' '.join(unknown)}.", fix=fix)
    return Call(vars(given))


def build(command: Command) -> ArgumentParser:
    """The parser of one command, with its help."""
    from argparse import ArgumentParser, RawDescriptionHelpFormatter  # noqa: PLC0415 - the overview needs none

    class Parser(ArgumentParser):
        """One whose complaints are errors like any other."""

        def error(self, message: str) -> NoReturn:
            raise UsageError(
                f"{message[:1].upper()}{message[1:]}.", fix=f"`{self.prog} --help` shows it, with examples."
            )

    examples = "\n".join(f"  {example}" for example in command.examples)
    parser = Parser(
        prog=f"lukasa {command.name}",
        description=f"{command.help}\n\n{command.about}",
        epilog=f"Examples:\n{examples}",
        formatter_class=RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    command.arguments(parser)
    _add_globals(parser)
    return parser


def _add_globals(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("options for every command")
    group.add_argument("--store", metavar="PATH_OR_URL", help="the store [LUKASA_STORE]")
    group.add_argument("--agent", metavar="NAME", help="whose memory [LUKASA_AGENT, or main]")
    group.add_argument("--share", metavar="SPACE", action="append", help="also bind a shared space; repeatable")
    group.add_argument("--json", action="store_true", help="one JSON document on standard output")
    group.add_argument("-h", "--help", action="store_true", help="this help")
