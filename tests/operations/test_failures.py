"""Every error has one exit code, one status, and a word of what to do next."""

from __future__ import annotations

from http import HTTPStatus

import pytest

from lukasa import errors
from lukasa.errors import (
    DimensionMismatchError,
    LukasaError,
    MissingExtraError,
    NotFoundError,
    SecretError,
    StoreBusyError,
    StoreDamagedError,
    UsageError,
)
from lukasa.operations.failures import failure_of, told

KINDS = [getattr(errors, name) for name in errors.__all__]
SAMPLES: list[tuple[LukasaError, int, int]] = [
    (UsageError("It is wrong."), 2, 400),
    (SecretError(where="content", kinds=("GitHub token",)), 2, 422),
    (MissingExtraError(wanted="PostgreSQL", extra="postgres"), 2, 501),
    (DimensionMismatchError("Another length."), 2, 409),
    (NotFoundError(wanted="entry 'x'"), 1, 404),
    (StoreBusyError("It is held."), 1, 503),
    (StoreDamagedError("It is broken.", fix="Restore it."), 1, 500),
]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: type(sample[0]).__name__)
def test_an_error_is_told_by_its_type(sample: tuple[LukasaError, int, int]) -> None:
    error, code, status = sample
    found = failure_of(error)
    assert (found.exit_code, found.status) == (code, status)
    assert told(error).startswith(error.message)
    assert len(told(error)) > len(error.message), "and what to do next"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_of_error_is_in_the_table(kind: type[LukasaError]) -> None:
    found = failure_of(kind.__new__(kind))
    assert found.exit_code == (2 if issubclass(kind, UsageError) else 1)
    assert HTTPStatus(found.status) >= HTTPStatus.BAD_REQUEST
    assert found.advice.endswith(".")
