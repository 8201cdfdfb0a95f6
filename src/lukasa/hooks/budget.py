"""How long a hook may take: when its time is over, the process ends at once, as if it had had nothing to say.

A store is safe from that: what was not committed never happened.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lukasa.hooks.record import record

if TYPE_CHECKING:
    from collections.abc import Generator

    from lukasa.hooks.contracts import Event

# What a person waits for is short; what is kept after an answer may take its time.
SECONDS: dict[Event, float] = {
    "session-start": 2,
    "prompt-submit": 2,
    "stop": 10,
    "pre-compact": 10,
    "session-end": 10,
}


@contextmanager
def within(seconds: float, event: str) -> Generator[None]:
    """Lets a block take so long, and no longer: then the process is over, with success and without output."""
    timer = threading.Timer(seconds, _give_up, (seconds, event))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _give_up(seconds: float, event: str) -> None:
    record(event, f"gave up after {seconds:g} s")
    os._exit(0)
