r"""Text shown as it is stored: never taken for markup, never obeyed by a terminal.

Control characters, escapes, line separators, halves of surrogate pairs and the marks that turn the
direction of text are shown as `\x1b`, `\u202e`, …; what is left is safe to print anywhere.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lukasa.db.database import Json

_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_NAMED = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
_ONE_BYTE = 0x100


def literal(text: str) -> str:
    """The text on one line, with every character that a terminal would obey escaped."""
    return _OBEYED.sub(_escape, text)


def literal_lines(text: str) -> list[str]:
    """The text line by line, each one literal."""
    return [literal(line) for line in text.split("\n")]


def flat(text: str) -> str:
    """The text on one line, its white space collapsed."""
    return literal(" ".join(text.split()))


def cut(text: str, length: int) -> str:
    """At most `length` characters, with a mark where some were left out."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def counted(count: int, one: str, many: str) -> str:
    """A number and its word: `1 entry`, `2 entries`."""
    return f"{count} {one if count == 1 else many}"


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < _ONE_BYTE else f"\\u{code:04x}")


def json_text(document: Json) -> str:
    """One JSON text that is as safe to print as any other line, and that reads back the same."""
    spoken = (sys.stdout.encoding or "utf-8").lower().replace("-", "")
    return json_literal(json.dumps(document, ensure_ascii=spoken != "utf8"))


def json_literal(text: str) -> str:
    """A line of JSON whose strings hold nothing that a terminal would obey; it reads back the same."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
