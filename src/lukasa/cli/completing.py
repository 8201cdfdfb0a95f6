"""`completion`: a script by which a shell completes our commands, their options, and what these may be.

Made from the parsers themselves, so that it knows what they know. The script calls nothing: a completion
costs no start of Lukasa.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, get_args

from lukasa.cli.command import Command
from lukasa.cli.overview import HELP
from lukasa.cli.parser import build
from lukasa.cli.pieces import Line, Outcome
from lukasa.config import FUSIONS, MODES
from lukasa.entries.kinds import CLASSES, KINDS, RELATIONS, STATUSES, one_of

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

    from lukasa.cli.call import Call
    from lukasa.cli.parser import Argument

Shell = Literal["bash", "zsh", "fish"]
SHELLS: tuple[Shell, ...] = get_args(Shell)
_ONE_OF = re.compile(r"(?:one of|who calls): ([a-z_-]+(?:, [a-z_-]+)+)")
_FILES = {"FILE", "PATH", "PATH_OR_URL"}
_CHOICES: dict[str, tuple[str, ...]] = {
    "--kind": KINDS,
    "--class": CLASSES,
    "--status": STATUSES,
    "--mode": MODES,
    "--fusion": FUSIONS,
    "RELATION": RELATIONS,
    "COMMAND": tuple(HELP),
}


def choices_of(argument: Argument) -> tuple[str, ...]:
    """What an argument may be, where that is a fixed set."""
    if argument.choices:
        return argument.choices
    for name in (*argument.spellings, argument.name):
        if name in _CHOICES:
            return _CHOICES[name]
    told = _ONE_OF.search(argument.help)
    return tuple(told[1].split(", ")) if told else ()


def script(shell: Shell) -> str:
    """The script for one shell."""
    made = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    return "\n".join(made()) + "\n"


def _options(name: str) -> list[Argument]:
    return [argument for argument in build(name).listed() if argument.spellings]


def _places(name: str) -> list[Argument]:
    return [argument for argument in build(name).listed() if not argument.spellings]


def _cases() -> Iterator[str]:
    """The lines of a case over `command:previous`, the same in bash and zsh."""
    for name in HELP:
        for option in _options(name):
            if option.takes_value:
                pattern = "|".join(f"{name}:{spelling}" for spelling in option.spellings)
                yield f"    {pattern}) {_offered(option)} ;;"
        words = " ".join(spelling for option in _options(name) for spelling in option.spellings)
        yield f"    {name}:*) options='{words}'; {_of_places(name)} ;;"


def _of_places(name: str) -> str:
    """What may stand in a place of the command: the first that is known counts."""
    return next((_offered(place) for place in _places(name) if _offered(place) != "nothing=1"), ":")


def _offered(argument: Argument) -> str:
    if choices := choices_of(argument):
        return f"words='{' '.join(choices)}'"
    return "files=1" if argument.name in _FILES else "nothing=1"


_FIRST = "--store --agent --share --json --version --help"
_FIND = """\
  local command= words= options= files= nothing= i=FIRST
  while (( i < HERE )); do
    case "${WORDS[i]}" in
      --store|--agent|--share) (( i += 2 )) ;;
      -*) (( i += 1 )) ;;
      *) command="${WORDS[i]}"; break ;;
    esac
  done"""


def _find(first: str, here: str, words: str) -> str:
    return _FIND.replace("FIRST", first).replace("HERE", here).replace("WORDS", words)


def _bash() -> Iterator[str]:
    yield "# Made by: lukasa completion bash > ~/.local/share/bash-completion/completions/lukasa"
    yield "_lukasa() {"
    yield _find("1", "COMP_CWORD", "COMP_WORDS")
    yield '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"'
    yield "  COMPREPLY=()"
    yield '  case "$command:$previous" in'
    yield "    :--store) files=1 ;;"
    yield "    :--agent|:--share) nothing=1 ;;"
    yield f"    :*) words='{' '.join((*HELP, 'help'))}'; options='{_FIRST}' ;;"
    yield "    help:*) words='" + " ".join(HELP) + "' ;;"
    yield from _cases()
    yield "  esac"
    yield '  [[ $nothing && ! $words ]] && [[ "$current" != -* ]] && return'
    yield '  [[ "$current" == -* ]] && words="$options" files='
    yield '  COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "  [[ $files ]] && compopt -o filenames 2>/dev/null"
    yield '  [[ $files ]] && COMPREPLY+=($(compgen -f -- "$current"))'
    yield "  return 0"
    yield "}"
    yield "complete -F _lukasa lukasa"


def _zsh() -> Iterator[str]:
    yield "#compdef lukasa"
    yield "# Made by: lukasa completion zsh > ~/.zfunc/_lukasa"
    yield "_lukasa() {"
    yield "  local current=$words[CURRENT] previous=$words[CURRENT-1]"
    yield "  local -a typed=($words)"
    yield _find("2", "CURRENT", "typed")
    yield '  case "$command:$previous" in'
    yield "    :--store) files=1 ;;"
    yield "    :--agent|:--share) nothing=1 ;;"
    yield f"    :*) words='{' '.join((*HELP, 'help'))}'; options='{_FIRST}' ;;"
    yield "    help:*) words='" + " ".join(HELP) + "' ;;"
    yield from _cases()
    yield "  esac"
    yield "  if [[ $current == -* ]]; then compadd -- ${=options}; return; fi"
    yield "  [[ -n $words ]] && compadd -- ${=words}"
    yield "  [[ -n $files ]] && _files"
    yield "  return 0"
    yield "}"
    yield "compdef _lukasa lukasa"


def _fish() -> Iterator[str]:
    yield "# Made by: lukasa completion fish > ~/.config/fish/completions/lukasa.fish"
    yield "complete -c lukasa -f"
    for name, words in HELP.items():
        yield f"complete -c lukasa -n __fish_use_subcommand -a {name} -d {_quoted(words)}"
    for name in HELP:
        seen = f"complete -c lukasa -n '__fish_seen_subcommand_from {name}'"
        for option in _options(name):
            yield f"{seen}{_spelled(option)}{_value(option)} -d {_quoted(option.help)}"
        for place in _places(name):
            if _value(place):
                yield f"{seen}{_value(place).replace(' -x', '').replace(' -r', '')}"


def _spelled(option: Argument) -> str:
    long = (spelling for spelling in option.spellings if spelling.startswith("--"))
    short = (spelling for spelling in option.spellings if not spelling.startswith("--"))
    return "".join([*(f" -l {word[2:]}" for word in long), *(f" -s {word[1:]}" for word in short)])


def _value(argument: Argument) -> str:
    if choices := choices_of(argument):
        return f" -x -a {_quoted(' '.join(choices))}"
    if argument.name in _FILES:
        return " -r -F"
    return " -x" if argument.takes_value and argument.spellings else ""


def _quoted(text: str) -> str:
    """A text for fish, which knows two escapes between single quotes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", help=f"one of: {', '.join(SHELLS)}")


def _completion(call: Call) -> Outcome:
    shell: Shell = one_of("shell", call.text("shell"), SHELLS)
    made = script(shell)
    return Outcome(
        document={"shell": shell, "script": made},
        pieces=tuple(Line(text=line) for line in made.splitlines()),
    )


COMMANDS = {
    "completion": Command(
        about="Prints a script that your shell reads, once and for all: commands, options, and what options\n"
        "may be are completed with Tab. Make it anew after an update.",
        examples=(
            "lukasa completion bash > ~/.local/share/bash-completion/completions/lukasa",
            "lukasa completion zsh > ~/.zfunc/_lukasa",
            "lukasa completion fish > ~/.config/fish/completions/lukasa.fish",
        ),
        arguments=_arguments,
        run=_completion,
    ),
}
