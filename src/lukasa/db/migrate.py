"""Migrations: numbered SQL files, applied forward only, each recorded with its checksum.

A file that was applied is never changed; a store that knows a migration which this release does
not is newer, and is refused. Both engines have the same numbers and names. The engines apply
them (each in one transaction with its ledger row); this module says which.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from lukasa.errors import StoreVersionError
from lukasa.ids import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lukasa.db.database import Dialect, Row, Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Migration:
    """One step of the schema."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """What the ledger keeps, to notice a file that was changed later."""
        return digest(self.sql)

    def ledger_row(self, now: int) -> dict[str, Value]:
        """What the ledger says of it once it is applied."""
        return {"version": self.version, "name": self.name, "checksum": self.checksum, "now": now}


@cache
def known(dialect: Dialect) -> tuple[Migration, ...]:
    """This release's migrations for one engine, in order."""
    folder = Path(__file__).parent / "sql" / "migrations" / dialect
    found: list[Migration] = []
    for path in sorted(folder.iterdir(), key=lambda item: item.name):
        version, _, name = path.name.removesuffix(".sql").partition("_")
        found.append(Migration(version=int(version), name=name, sql=path.read_text(encoding="utf-8")))
    return tuple(found)


def pending(dialect: Dialect, ledger: Sequence[Row], location: str) -> tuple[Migration, ...]:
    """What is still to be applied, once the ledger has been held against the files."""
    steps = known(dialect)
    for row, step in zip(ledger, steps, strict=False):
        if (row.integer("version"), row.text("name")) != (step.version, step.name):
            raise _differs(location, f"{row.integer('version')} {row.text('name')}")
        if row.text("checksum") != step.checksum:
            raise _differs(location, f"{step.version} {step.name}")
    if len(ledger) > len(steps):
        raise StoreVersionError(
            f"The store {location} has schema {len(ledger)}; this release knows {len(steps)}. "
            "It was not touched.",
            fix="Install a newer Lukasa: pip install -U lukasa",
        )
    return steps[len(ledger) :]


def _differs(location: str, which: str) -> StoreVersionError:
    return StoreVersionError(
        f"Migration {which} of the store {location} is not the one of this release. It was not touched.",
        fix="Open it with the release that wrote it and export it from there.",
    )
