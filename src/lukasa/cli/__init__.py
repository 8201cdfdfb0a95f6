"""The command line: `lukasa remember`, `get`, `list`, … over the façade, and nothing beyond it.

command (one command, as a value) · table (all of them) · parser (their arguments) · call (what was asked)
· pieces (what is answered) · plain, pretty (how it looks) · entries, naming, operator, transfer, demo.

`main` is the one place where errors become exit codes: 2 for a call that is wrong, 1 for a failure,
130 after Ctrl-C. A start stays light: rich is imported only for a person, psycopg only for a URL.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from lukasa.errors import LukasaError, StoreError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130
_PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command line; returns its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _accept_any_text()
    try:
        code = _run(arguments)
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
        place = f" {error.filename}" if error.filename else ""
        return _fail(StoreError(f"The system refused{place}: {error.strerror}.", fix="Check it."), arguments)
    return code


def _run(arguments: list[str]) -> int:
    from lukasa.cli import parser  # noqa: PLC0415 - Ctrl-C and errors are caught from the first import on

    return parser.run(arguments)


def _fail(error: LukasaError, arguments: list[str]) -> int:
    from lukasa.cli.show import show_error  # noqa: PLC0415 - only a failure needs it

    show_error(error, as_json="--json" in _options(arguments))
    return 2 if isinstance(error, UsageError) else 1


def _options(arguments: list[str]) -> list[str]:
    """What may be an option: all before a `--`."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


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
