"""What goes wrong, once: each kind of error with its exit code, its HTTP status, and what a model is told.

Always true: matched by type, the nearest kind in the tree of errors decides; a model is told what was wrong
and what to do next, and never a traceback.
"""

from __future__ import annotations

from typing import NamedTuple

from lukasa.errors import (
    ConflictError,
    DuplicateError,
    EmbeddingModelChangedError,
    LukasaError,
    MissingExtraError,
    NotFoundError,
    SecretError,
    StoreBusyError,
    StoreError,
    StoreNotWritableError,
    UsageError,
)


class Failure(NamedTuple):
    """How one kind of error is told; `advice` is what a model can do where the error does not say."""

    exit_code: int
    status: int
    advice: str


_OPERATOR = "You cannot mend this: go on without memory, and tell the user."
FAILURES: dict[type[LukasaError], Failure] = {
    UsageError: Failure(2, 400, "Correct the call and try once more."),
    SecretError: Failure(2, 422, "Remember it without the secret."),
    MissingExtraError: Failure(2, 501, _OPERATOR),
    EmbeddingModelChangedError: Failure(2, 409, _OPERATOR),
    NotFoundError: Failure(1, 404, "Look for it with recall or list."),
    DuplicateError: Failure(1, 409, "Use another name, or change the entry that has it."),
    ConflictError: Failure(1, 409, "Read it again, then decide again."),
    StoreError: Failure(1, 500, _OPERATOR),
    StoreBusyError: Failure(1, 503, "Wait a moment and try once more."),
    StoreNotWritableError: Failure(1, 507, _OPERATOR),
    LukasaError: Failure(1, 500, _OPERATOR),
}


def failure_of(error: LukasaError) -> Failure:
    """How an error is told: by its own type, or the nearest above it."""
    return next(FAILURES[kind] for kind in type(error).__mro__ if kind in FAILURES)


def told(error: LukasaError) -> str:
    """The error for a model: what went wrong, and what to do next."""
    advice = failure_of(error).advice
    if advice == _OPERATOR:
        return f"{error} {advice}".strip()
    return str(error) if error.fix else f"{error.message} {advice}"
