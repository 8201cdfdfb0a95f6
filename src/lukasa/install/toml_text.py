"""Putting a block into a TOML text that somebody else wrote: between two marks, at the end.

The rest stays as it is, to the byte. A text that is not TOML, or would not be with the block, is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING

from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.db.database import Json

_OPEN, _CLOSE = "# >>> lukasa >>>", "# <<< lukasa <<<"
_BLOCK = re.compile(rf"(?:\r?\n)?{_OPEN}.*?{_CLOSE}[^\n]*\n?", re.DOTALL)


def parsed(text: str, where: str) -> dict[str, Json]:
    """What a text says; an error where it is not TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{where} is not valid TOML ({error}); it was not touched.", fix="Correct it first."
        ) from error


def with_block(text: str, lines: Sequence[str], where: str) -> str:
    """The text with the block at its end, in the place of an earlier one."""
    parsed(text, where)
    end = "\r\n" if "\r\n" in text else "\n"
    block = end.join([_OPEN, *lines, _CLOSE, ""])
    if block in text:
        return text
    bare = without_block(text)
    gap = "" if not bare else end if bare.endswith("\n") else end * 2
    done = bare + gap + block
    try:
        tomllib.loads(done)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{where} names lukasa already, in a way of its own ({error}); it was not touched.",
            fix="Take that out, or change it by hand to what --print shows.",
        ) from error
    return done


def without_block(text: str) -> str:
    """The text without the block."""
    return _BLOCK.sub("", text)


def string(text: str) -> str:
    """A text as TOML writes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
