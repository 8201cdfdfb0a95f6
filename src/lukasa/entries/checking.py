"""`check`: everything about a store that can be verified, verified.

The engine's own check, the ledger against the files, each `check_…` query (whose rows are
problems), and each entry against what is derived from its text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.db.migrate import pending
from lukasa.db.queries import load as load_queries
from lukasa.entries.forgetting import spaces_of
from lukasa.entries.indexing import index_language, pieces_of
from lukasa.entries.reading import walk
from lukasa.errors import LukasaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lukasa.db import Database
    from lukasa.entries.entry import Entry


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What a check looked at, and every problem that it found."""

    entries: int
    checks: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def check(db: Database, *, progress: Callable[[int], None]) -> Verdict:
    """Verifies the whole store at one moment of it, and changes nothing."""
    problems = db.problems()
    language = index_language(db)
    names = [name for name in load_queries(db.dialect) if name.startswith("check_")]
    entries = 0
    with db.transaction(write=False):
        try:
            problems += _ledger(db)
            last = _last_number(db)
            for name in names:
                problems += [row.text("problem") for row in db.rows(name)]
            for entry in walk(db, spaces_of(db, None)):
                entries += 1
                progress(entries)
                problems += _entry(db, entry, last)
                problems += _pieces(db, entry, language)
        except LukasaError as error:
            problems.append(str(error))
    return Verdict(entries=entries, checks=len(names) + 3, problems=tuple(problems))


def _ledger(db: Database) -> list[str]:
    try:
        steps = pending(db.dialect, db.rows("list_migrations"), db.location)
    except LukasaError as error:
        return [str(error)]
    return [f"migration {step.version} {step.name} is not applied" for step in steps]


def _last_number(db: Database) -> int:
    row = db.row("last_number")
    return row.integer("number") if row else 0


def _entry(db: Database, entry: Entry, last: int) -> Iterator[str]:
    stored = db.row("find_by_fingerprint", space=entry.space, fingerprint=entry.fingerprint)
    if stored is None or stored.text("id") != entry.id:
        yield f"entry {entry.id} has a fingerprint that is not its text's"
    if entry.number > last:
        yield f"entry {entry.id} has number {entry.number}, which was never given"


def _pieces(db: Database, entry: Entry, language: str) -> Iterator[str]:
    """What an entry is found by, against what its text gives."""
    stored = [
        (row.integer("start"), row.integer("stop"), row.blob("terms"), row.blob("counts"))
        for row in db.rows("chunks_of", space=entry.space, owner=entry.id)
    ]
    wanted = [
        (piece.start, piece.stop, piece.terms.keys, piece.terms.counts)
        for piece in pieces_of(entry, language)
    ]
    if stored != wanted:
        yield f"entry {entry.id} is indexed otherwise than its text says: run `lukasa reindex`"
