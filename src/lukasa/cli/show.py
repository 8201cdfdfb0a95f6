"""Who reads it: a program gets JSON, a pipe plain lines, a person at a terminal what rich draws."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, cast

from lukasa.cli.literal import json_text, literal
from lukasa.cli.plain import lines

if TYPE_CHECKING:
    from lukasa.cli.pieces import Outcome
    from lukasa.db.database import Json
    from lukasa.errors import LukasaError


def show(outcome: Outcome, *, as_json: bool) -> None:
    """Writes an outcome for whoever reads it."""
    if as_json:
        print(json_text(outcome.document))
        return
    if outcome.pieces and sys.stdout.isatty():
        from lukasa.cli.pretty import draw  # noqa: PLC0415 - rich is for a person alone

        draw(outcome.pieces)
    else:
        for line in lines(outcome.pieces):
            print(line)
    sys.stdout.flush()
    for line in lines(outcome.notes):
        print(_tinted(line, "2"), file=sys.stderr)


def show_error(error: LukasaError, *, as_json: bool) -> None:
    """Writes an error and its remedy to standard error."""
    if as_json:
        print(json_text(error_document(error)), file=sys.stderr)
        return
    print(f"{_tinted('error:', '1;31')} {literal(error.message)}", file=sys.stderr)
    if error.fix:
        print(f"{_tinted('fix:', '1;32')} {literal(error.fix)}", file=sys.stderr)


def error_document(error: LukasaError) -> Json:
    """An error as JSON."""
    found = {"type": type(error).__name__, "message": error.message, "fix": error.fix}
    return {"error": cast("Json", found)}


def _tinted(text: str, code: str) -> str:
    """Colour on standard error, where a person sees it and did not decline."""
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\x1b[{code}m{text}\x1b[0m"
