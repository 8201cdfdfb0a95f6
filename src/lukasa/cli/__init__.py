"""The command line: `lukasa remember`, `get`, `list`, … over the façade, and nothing beyond it.

overview (the table of commands) · parser (their arguments) · call (what was asked) · pieces (what is
answered) · plain, pretty, show (how it looks) · entries, recalling, changing, naming, operator, transfer,
benching, demo.

`main` is the one place where errors become exit codes: 2 for a call that is wrong, 1 for a failure,
130 after Ctrl-C. A start stays light: a module is loaded by the command that needs it, rich only for a
person, psycopg only for a URL.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from lukasa.cli.overview import check_command, overview_text
from lukasa.errors import LukasaError, StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130
_PIPE_CLOSED = 141
_WITH_VALUE = ("--store", "--agent", "--share")
_HELP = {"-h", "--help"}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line; returns its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _accept_any_text()
    try:
        code = _run(arguments)
        if sys.stdout:  # None where the caller has closed it
            sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_stdout()
        return _PIPE_CLOSED
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return _INTERRUPTED
    except LukasaError as error:
        return _fail(error, arguments)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        reason = error.strerror or type(error).__name__
        return _fail(StoreError(f"The system refused{where}: {reason}.", fix="Check the path."), arguments)
    return code


def _run(arguments: list[str]) -> int:
    before, name, after = _split(arguments)
    options = set(_options(arguments))
    if "--version" in options:
        return _version(as_json="--json" in options)
    if name == "help":
        before, name, after, options = [], (after or [None])[0], [], _HELP
    if name is None:
        return _overview(before)
    wanted = bool(_HELP & options)
    if name == "hook" and not wanted and not os.isatty(0):
        return _hook([*before, *after])
    return _command(check_command(name), [*before, *after], wants_help=wanted)


def _hook(arguments: list[str]) -> int:
    from lukasa.cli.hooking import unfailing  # noqa: PLC0415 - what an assistant calls, and nobody else

    def work() -> int:
        try:
            _command("hook", arguments, wants_help=False)
            sys.stdout.flush()
        except BrokenPipeError:
            _let_go_of_stdout()
        return 0

    return unfailing(arguments, work)


def _split(arguments: list[str]) -> tuple[list[str], str | None, list[str]]:
    """The options before the command, its name, and all that follows."""
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        if not argument.startswith("-"):
            return arguments[:position], argument, arguments[position + 1 :]
        position += 2 if argument in _WITH_VALUE else 1
    return arguments, None, []


def _options(arguments: list[str]) -> list[str]:
    """What may be an option: all before a `--`."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _version(*, as_json: bool) -> int:
    from lukasa import __version__  # noqa: PLC0415 - read where it is shown

    print(f'{{"version": "{__version__}"}}' if as_json else f"lukasa {__version__}")
    return 0


def _overview(options: list[str]) -> int:
    if options and not _HELP & set(options):
        raise UsageError("A command was wanted, found only options.", fix="`lukasa --help` shows them all.")
    print(overview_text(), end="")
    return 0


def _command(name: str, arguments: list[str], *, wants_help: bool) -> int:
    from lukasa.cli.parser import build, perform  # noqa: PLC0415 - the overview needs no parser

    if wants_help:
        print(build(name).format_help(), end="")
        return 0
    call, outcome = perform(name, arguments)
    from lukasa.cli.show import show  # noqa: PLC0415 - see above

    show(outcome, as_json=call.as_json)
    return outcome.code


def _fail(error: LukasaError, arguments: list[str]) -> int:
    from lukasa.cli.show import show_error  # noqa: PLC0415 - only a failure needs it

    show_error(error, as_json="--json" in _options(arguments))
    from lukasa.operations.failures import failure_of  # noqa: PLC0415 - see above

    return failure_of(error).exit_code


def _accept_any_text() -> None:
    """A terminal that cannot show a character gets its escape, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _let_go_of_stdout() -> None:
    """The reader has left (`| head`): what is still buffered goes nowhere, without a word."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
