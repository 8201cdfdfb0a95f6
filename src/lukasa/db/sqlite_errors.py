"""What SQLite says when it fails, in the words of `errors`, in one table."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from lukasa.errors import (
    ConflictError,
    LukasaError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreNotWritableError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Generator

_READ_ONLY = "Copy it to a place that you may write to."
_MEANINGS: dict[type[Exception], tuple[type[LukasaError], str, str]] = {
    apsw.BusyError: (StoreBusyError, "is held by another writer", "Try again."),
    apsw.LockedError: (StoreBusyError, "is held by another writer", "Try again."),
    apsw.FullError: (
        StoreNotWritableError,
        "could not grow: the disk is full",
        "Free some space; nothing was lost.",
    ),
    apsw.ReadOnlyError: (StoreNotWritableError, "is read-only", _READ_ONLY),
    apsw.PermissionsError: (StoreNotWritableError, "may not be written", _READ_ONLY),
    apsw.CantOpenError: (StoreNotWritableError, "cannot be opened", "Check the path and its permissions."),
    apsw.IOError: (
        StoreNotWritableError,
        "could not be written or read",
        "Check the disk; nothing was lost.",
    ),
    apsw.CorruptError: (StoreDamagedError, "is damaged", "Restore it from a backup or an export."),
    # Its header was ours before SQLite saw it.
    apsw.NotADBError: (StoreDamagedError, "is damaged", "Restore it from a backup or an export."),
    OverflowError: (UsageError, "has no room for a value", "Correct the value."),
    UnicodeEncodeError: (UsageError, "has no room for a value", "Correct the value."),
    apsw.ConstraintError: (ConflictError, "refused a row that breaks its rules", "Read it again and retry."),
}


@contextmanager
def translated(location: str) -> Generator[None]:
    """Lets no engine error out: each becomes the one of ours that says what to do."""
    try:
        yield
    except apsw.Error as error:
        raise meaning(location, error) from error


def meaning(location: str, error: apsw.Error | OverflowError | UnicodeEncodeError) -> LukasaError:
    """Our error for SQLite's, or for a value that it cannot keep."""
    for kind, (ours, said, fix) in _MEANINGS.items():
        if isinstance(error, kind):
            return ours(f"The store {location} {said} ({error}).", fix=fix)
    return StoreError(f"The store {location} failed: {error}.", fix="Run `lukasa check`.")
