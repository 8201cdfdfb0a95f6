"""What a fork carries into a child and the child must never let go of.

Closing a database connection that the parent is still using, even by garbage collection, would undo
or confuse the parent's work: such things are kept until the child is gone.
"""

from __future__ import annotations

from lukasa.errors import StoreError


def keep_for_ever(thing: object) -> None:
    """Give `thing` one reference that nothing takes back, not even the interpreter's own end."""
    import ctypes  # noqa: PLC0415 - only in a child that was forked in the middle of something

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def refusal(location: str) -> StoreError:
    """What a child hears that was forked inside a transaction."""
    return StoreError(
        f"This process was forked inside a transaction on {location}, which is its parent's to end.",
        fix="Fork outside of transactions, or start the process anew (multiprocessing: spawn).",
    )
