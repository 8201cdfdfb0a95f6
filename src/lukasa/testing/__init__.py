"""What a test of Lukasa, or of something built on it, needs; shipped, and used by our own tests.

FrozenClock (time stands until it is moved) · Faulty (the n-th statement fails) · state (all of a
store as text, to compare) · StoreContract (the suite that every backend must pass).
"""

from __future__ import annotations

from lukasa.testing.faults import Faulty, InjectedError
from lukasa.testing.frozen import FrozenClock
from lukasa.testing.snapshot import state

__all__ = ["Faulty", "FrozenClock", "InjectedError", "state"]
