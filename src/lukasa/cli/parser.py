"""The arguments of one command: its parser, its help, and what a command line gives it.

Only the command that was asked for is loaded, and only its parser is built.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn, cast

from lukasa.cli.call import Call
from lukasa.cli.overview import HELP, HOMES
from lukasa.errors import UsageError

if TYPE_CHECKING:
    from lukasa.cli.command import Command
    from lukasa.cli.pieces import Outcome


@dataclass(frozen=True, kw_only=True, slots=True)
class Argument:
    """One argument of a command: an option by all its spellings, or what stands in its place."""

    spellings: tuple[str, ...]
    name: str
    help: str
    takes_value: bool
    choices: tuple[str, ...]


class Parser(ArgumentParser):
    """One whose complaints are errors like any other, and that tells what it takes."""

    def listed(self) -> list[Argument]:
        """Everything that the command takes, in order."""
        return [
            Argument(
                spellings=tuple(action.option_strings),
                name=str(action.metavar or action.dest),
                help=action.help or "",
                takes_value=action.nargs != 0,
                choices=tuple(str(choice) for choice in action.choices or ()),
            )
            for action in self._actions
        ]

    def error(self, message: str) -> NoReturn:
        """An argument that cannot be read."""
        raise UsageError(
            f"{message[:1].upper()}{message[1:]}.", fix=f"`{self.prog} --help` shows it, with examples."
        )


def find_command(name: str) -> Command:
    """The command of that name, loaded with the module where it lives."""
    home = import_module(f"lukasa.cli.{HOMES[name]}")
    return cast("dict[str, Command]", home.COMMANDS)[name]


def perform(name: str, arguments: list[str]) -> tuple[Call, Outcome]:
    """Does what a command line says; returns it as it was understood, and what came of it."""
    call = parse(name, arguments)
    return call, find_command(name).run(call)


def parse(name: str, arguments: list[str]) -> Call:
    """What a command line asks, or an error that says what is wrong with it."""
    given, unknown = build(name).parse_known_args(arguments)
    if unknown:
        raise UsageError(f"Not understood: {' '.join(unknown)}.", fix=_remedy(name, unknown[0]))
    return Call(vars(given))


def _remedy(name: str, unknown: str) -> str:
    """What may have been meant by an argument that nobody takes."""
    if not unknown.startswith("-"):
        return "Put a text of several words in quotes, and options before or after it."
    options = re.findall(r"--[a-z-]+", build(name).format_usage())
    near = get_close_matches(unknown.partition("=")[0], options, n=1)
    shown = f"`lukasa {name} --help` shows what it takes."
    return f"Did you mean {near[0]}? {shown}" if near else f"{shown} A text that begins with - goes after --."


def build(name: str) -> Parser:
    """The parser of one command, with its help."""
    command = find_command(name)
    examples = "\n".join(f"  {example}" for example in command.examples)
    parser = Parser(
        prog=f"lukasa {name}",
        description=f"{HELP[name]}\n\n{command.about}",
        epilog=f"Examples:\n{examples}",
        formatter_class=RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    command.arguments(parser)
    _add_common(parser, command.owner)
    return parser


def _add_common(parser: ArgumentParser, owner: str) -> None:
    group = parser.add_argument_group("options for every command")
    group.add_argument("--store", metavar="PATH_OR_URL", help="the store [LUKASA_STORE]")
    group.add_argument(owner, dest="agent", metavar="NAME", help="whose memory [LUKASA_AGENT, or main]")
    group.add_argument("--share", metavar="SPACE", action="append", help="also bind a shared space")
    group.add_argument("--json", action="store_true", help="one JSON document on standard output")
    group.add_argument("-h", "--help", action="store_true", help="this help")
