"""Everything that can go wrong, drawn as one tree.

LukasaError
├── UsageError                 the call is wrong: nothing was read or written
│   ├── SecretError            a secret stood in the text
│   ├── MissingExtraError      an optional part is not installed
│   └── EmbeddingModelChangedError  the vectors are another model's
│       └── DimensionMismatchError  the vectors have another length
├── NotFoundError              nothing of that name, id or number in sight
├── DuplicateError             the name or the text is taken
├── ConflictError              somebody else changed it first
└── StoreError                 the store did not answer
    ├── StoreBusyError         another writer holds it
    ├── StoreNotWritableError  full, or read-only
    ├── StoreDamagedError      it is ours, and broken
    ├── StoreForeignError      it is not ours
    └── StoreVersionError      it is another release's

Each message says what was wanted, what was found, and what to do; a surface maps a class to
its exit code, HTTP status or tool error once, in one table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ConflictError",
    "DimensionMismatchError",
    "DuplicateError",
    "EmbeddingModelChangedError",
    "LukasaError",
    "MissingExtraError",
    "NotFoundError",
    "SecretError",
    "StoreBusyError",
    "StoreDamagedError",
    "StoreError",
    "StoreForeignError",
    "StoreNotWritableError",
    "StoreVersionError",
    "UsageError",
]


class LukasaError(Exception):
    """The root: `message` says what was wanted and found, `fix` what to do."""

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message} {self.fix}".strip()


class UsageError(LukasaError):
    """The call is wrong: nothing was read or written."""


class SecretError(UsageError):
    """A secret stood in the text. The message names its kind and place, never its value."""

    def __init__(self, *, where: str, kinds: tuple[str, ...]) -> None:
        super().__init__(
            f"The {where} holds what looks like a secret ({', '.join(kinds)}); nothing was stored.",
            fix="Take it out, or set the secrets policy to redact or warn.",
        )
        self.where = where
        self.kinds = kinds


class MissingExtraError(UsageError):
    """An optional part is not installed."""

    def __init__(self, *, wanted: str, extra: str) -> None:
        super().__init__(
            f"{wanted} needs an optional part.", fix=f"Install it: pip install 'lukasa[{extra}]'"
        )
        self.extra = extra


class EmbeddingModelChangedError(UsageError):
    """The store's vectors are another model's: never compared with this one's, nor kept beside them."""


class DimensionMismatchError(EmbeddingModelChangedError):
    """The store's vectors have another length than the model now makes."""


class NotFoundError(LukasaError):
    """Nothing of that name, id or number in sight of this handle."""

    def __init__(self, *, wanted: str, near: Sequence[str] = ()) -> None:
        known = ", ".join(repr(name) for name in near)
        fix = f"The nearest names: {known}." if near else "`list` shows what is there."
        super().__init__(f"There is no {wanted}.", fix=fix)
        self.wanted = wanted
        self.near = tuple(near)


class DuplicateError(LukasaError):
    """The name or the text is taken."""


class ConflictError(LukasaError):
    """Somebody else changed it first."""


class StoreError(LukasaError):
    """The store did not answer."""


class StoreBusyError(StoreError):
    """Another writer holds the store."""


class StoreNotWritableError(StoreError):
    """The store is full or read-only; its state is unchanged."""


class StoreDamagedError(StoreError):
    """The store is ours, and broken."""


class StoreForeignError(StoreError):
    """The file or database is not a Lukasa store; it was not touched."""


class StoreVersionError(StoreError):
    """The store was written by another release; it was not touched."""
