"""Identifiers: UUIDv7 text for rows, hashes for texts.

A UUIDv7 begins with its millisecond, so ids made later sort later and land on the same
index pages. Within one process ids never go backwards, also when the wall clock does.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from uuid import UUID

_VERSION_7 = 0x7 << 76
_VARIANT = 0x2 << 62
_RANDOM_BITS = 74
_lock = threading.Lock()
_last = 0
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")


def new_id(now: int) -> str:
    """A fresh UUIDv7 for the millisecond `now`, later in order than any before it."""
    global _last  # noqa: PLW0603 - one order for the whole process
    value = (now << _RANDOM_BITS) | (int.from_bytes(os.urandom(10)) >> 6)
    with _lock:
        # A random step, as a child process that was forked begins at the same last id.
        _last = value if value > _last else _last + 1 + int.from_bytes(os.urandom(4))
        value = _last
    high, low = value >> 62, value & ((1 << 62) - 1)
    time, twelve = high >> 12, high & 0xFFF
    return str(UUID(int=(time << 80) | _VERSION_7 | (twelve << 64) | _VARIANT | low))


def is_id(text: str) -> bool:
    """Whether `text` is written like one of our ids."""
    return _UUID.match(text) is not None


def digest(*parts: str) -> str:
    """One hash over several texts, each kept apart from the next."""
    hashed = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        hashed.update(len(encoded).to_bytes(8))
        hashed.update(encoded)
    return hashed.hexdigest()
