"""Named queries: all SQL of the project, read from the `.sql` files beside this module.

A block begins with `-- query: NAME`, says its intent in the comment lines that follow, and ends
where the next begins. Files in `sql/` serve both engines; a block of the same name in
`sql/sqlite/` or `sql/postgres/` takes its place there. Values stand as `:name`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lukasa.db.database import Dialect

_MARK = "-- query: "
# PostgreSQL takes a list that is selected from for a hundred rows, and would rather read a whole table than
# look so many up; an array is looked up in the index, whatever the size of either.
_LISTED = re.compile(
    r"(?<!NOT )IN \(\s*SELECT (value|CAST\(value AS \w+\)) FROM (json_each\(CAST\(:[a-z_]+ AS TEXT\)\))\s*\)"
)
_PIECES = re.compile(r"(--[^\n]*|'(?:[^']|'')*'|::|:[a-z_]+)")


@dataclass(frozen=True, kw_only=True)
class Query:
    """One named statement."""

    name: str
    intent: str
    sql: str

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of its values, in order of first use."""
        found = (piece[1:] for piece in _PIECES.findall(self.sql) if piece[0] == ":" and piece != "::")
        return tuple(dict.fromkeys(found))

    @cached_property
    def percent_style(self) -> str:
        """The text for PostgreSQL: lists as arrays, and placeholders as psycopg wants them, `%(name)s`."""
        pieces = _PIECES.split(_LISTED.sub(r"= ANY (ARRAY(SELECT \1 FROM \2))", self.sql))
        return "".join(
            f"%({piece[1:]})s" if piece[:1] == ":" and piece != "::" else piece.replace("%", "%%")
            for piece in pieces
        )


@cache
def load(dialect: Dialect) -> dict[str, Query]:
    """Every query as the engine is to see it."""
    # Not through importlib.resources: its import takes longer than reading the files.
    folder = Path(__file__).parent / "sql"
    return _read_folder(folder) | _read_folder(folder / dialect)


def _read_folder(folder: Path) -> dict[str, Query]:
    found: dict[str, Query] = {}
    for path in sorted(folder.iterdir(), key=lambda item: item.name):
        if path.name.endswith(".sql"):
            for query in parse(path.read_text(encoding="utf-8")):
                if query.name in found:
                    raise ValueError(f"query {query.name} stands twice in {folder}")
                found[query.name] = query
    return found


def parse(text: str) -> list[Query]:
    """The blocks of one file."""
    return [_parse_block(block) for block in ("\n" + text).split("\n" + _MARK)[1:]]


def _parse_block(block: str) -> Query:
    lines = block.split("\n")
    count = next((i for i, line in enumerate(lines[1:], 1) if not line.startswith("--")), len(lines))
    intent = " ".join(line.removeprefix("--").strip() for line in lines[1:count])
    return Query(name=lines[0].strip(), intent=intent, sql="\n".join(lines[count:]).strip().rstrip(";"))
