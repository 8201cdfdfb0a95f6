"""What hooks write down of themselves: a line for what went wrong, in a file of the user's that stays small.

Never a text of the conversation: times, names of events, and messages of errors.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from lukasa.clock import SystemClock, to_rfc3339

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 200_000
_LONGEST_LINE = 500


def record_file() -> Path:
    """Where the lines stand."""
    from platformdirs import user_state_path  # noqa: PLC0415 - only what went wrong needs it

    return user_state_path("lukasa") / "hooks.log"


def record(event: str, message: str) -> None:
    """Adds a line; where even that is impossible, nothing."""
    with suppress(OSError, RuntimeError):  # the second where there is no home folder
        path = record_file()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists() and path.stat().st_size > MOST_BYTES:
            path.replace(path.with_name("hooks.log.old"))
        words = " ".join(message.split())[:_LONGEST_LINE]
        line = f"{to_rfc3339(SystemClock().now())} {event} {words}\n"
        # One write of one line: hooks that run at once do not mix theirs.
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8", "replace"))
        finally:
            os.close(descriptor)
