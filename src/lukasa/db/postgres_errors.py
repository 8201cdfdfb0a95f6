"""What PostgreSQL and its driver say when they fail, in the words of `errors`, in one table."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors as sql_errors
from psycopg_pool import PoolTimeout

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

_MEANINGS: tuple[tuple[type[Exception], type[LukasaError], str, str], ...] = (
    (
        sql_errors.IntegrityError,
        ConflictError,
        "refused a row that breaks its rules",
        "Read it again and retry.",
    ),
    (sql_errors.DeadlockDetected, StoreBusyError, "is held by another writer", "Try again."),
    (sql_errors.SerializationFailure, StoreBusyError, "is held by another writer", "Try again."),
    (sql_errors.LockNotAvailable, StoreBusyError, "is held by another writer", "Try again."),
    (
        sql_errors.ReadOnlySqlTransaction,
        StoreNotWritableError,
        "is read-only",
        "Connect to the primary server.",
    ),
    (
        sql_errors.InsufficientPrivilege,
        StoreNotWritableError,
        "may not be written",
        "Grant the role its rights.",
    ),
    (sql_errors.DiskFull, StoreNotWritableError, "could not grow: the disk is full", "Free some space."),
    (sql_errors.DataCorrupted, StoreDamagedError, "is damaged", "Restore it from a backup or an export."),
    (UnicodeEncodeError, UsageError, "has no room for a value", "Correct the value."),
    (psycopg.DataError, UsageError, "has no room for a value", "Correct the value."),
    (PoolTimeout, StoreBusyError, "gave no connection in time", "Check that the server runs; try again."),
    (psycopg.OperationalError, StoreError, "did not answer", "Check that the server runs, and the URL."),
)


@contextmanager
def translated(location: str) -> Generator[None]:
    """Lets no driver error out: each becomes the one of ours that says what to do."""
    try:
        yield
    except (psycopg.Error, PoolTimeout, UnicodeEncodeError) as error:
        for kind, ours, said, fix in _MEANINGS:
            if isinstance(error, kind):
                raise ours(f"The store {location} {said} ({error}).", fix=fix) from error
        raise StoreError(f"The store {location} failed: {error}.", fix="Run `lukasa check`.") from error
