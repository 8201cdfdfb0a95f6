"""What a test of Lukasa, or of something built on it, needs; shipped, and used by our own tests.

FrozenClock (time stands until it is moved) · Faulty (the n-th statement fails) · state (all of a
store as text, to compare) · FarEmbedder (a remote model that fails when told to) · contract (the suite that
every backend must pass).
"""

from __future__ import annotations

from lukasa.testing.faults import Faulty, InjectedError
from lukasa.testing.frozen import FrozenClock
from lukasa.testing.remote import FarEmbedder
from lukasa.testing.snapshot import state

__all__ = ["FarEmbedder", "Faulty", "FrozenClock", "InjectedError", "state"]
