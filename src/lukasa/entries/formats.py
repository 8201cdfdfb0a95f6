"""The plain formats: JSON lines (all of it), a JSON array, and a tree of Markdown files.

JSON lines is lossless. The array has what most tools know (id, content, category, created_at).
The tree has one file an entry, with a head of `key: JSON` lines, made for people to read and edit.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

from lukasa.clock import to_rfc3339
from lukasa.entries.reading import walk
from lukasa.entries.records import lines_of
from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lukasa.db import Database
    from lukasa.db.database import Json
    from lukasa.entries.entry import Entry
    from lukasa.entries.records import Record

Format = Literal["jsonl", "json", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)
_UNFIT = re.compile(r"[^\w.-]+")


def check_format(name: str) -> Format:
    """The format of that name, or an error that lists them."""
    for known in FORMATS:
        if name == known:
            return known
    raise UsageError(f"A format was wanted, found {name!r}.", fix=f"Use one of: {', '.join(FORMATS)}.")


def write_out(
    db: Database, spaces: Sequence[str], target: Path, form: Format, seen: Callable[[Entry], None]
) -> None:
    """Writes what the spaces hold and shows each entry to `seen`. A file appears whole or not at all."""
    entries = _shown(walk(db, spaces), seen)
    try:
        if form == "markdown":
            for entry in entries:
                _write_note(entry, target)
        else:
            _write_file(lines_of(db, spaces, entries) if form == "jsonl" else _array_lines(entries), target)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}.", fix="Check the path.") from error


def _write_file(lines: Iterator[str], target: Path) -> None:
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _shown(entries: Iterator[Entry], seen: Callable[[Entry], None]) -> Iterator[Entry]:
    for entry in entries:
        seen(entry)
        yield entry


def _array_lines(entries: Iterator[Entry]) -> Iterator[str]:
    mark = "["
    for entry in entries:
        record = {
            "id": entry.number,
            "content": entry.content,
            "category": entry.category,
            "created_at": to_rfc3339(entry.created_at),
        }
        yield mark + json.dumps(record, ensure_ascii=False)
        mark = ","
    yield "[]" if mark == "[" else "]"


def _write_note(entry: Entry, root: Path) -> None:
    # A part such as `..` would lead out of the tree.
    folder = root / Path(*(_UNFIT.sub("-", part).strip(".") or "-" for part in entry.space.split("/")))
    folder.mkdir(parents=True, exist_ok=True)
    slug = _UNFIT.sub("-", entry.name or "").strip("-.")[:60]
    path = folder / f"{entry.number:06}{'-' + slug if slug else ''}.md"
    head = "".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}\n"
        for key, value in entry.plain().items()
        if key != "content"
    )
    path.write_text(f"---\n{head}---\n{entry.content}\n", encoding="utf-8", newline="")


def read_in(source: Path) -> Iterator[Record]:
    """The records of a file or a tree, in whichever of the formats it is."""
    if source.is_dir():
        for path in sorted(source.rglob("*.md")):
            yield _read_note(path)
        return
    try:
        with source.open(encoding="utf-8-sig") as file:
            start = file.read(1)
            file.seek(0)
            if start == "[":
                yield from _array_of(json.load(file), source)
            else:
                for number, line in enumerate(file, 1):
                    if line.strip():
                        yield _object_of(line, f"line {number} of {source.name}")
    except FileNotFoundError:
        raise UsageError(f"There is no file {source}.", fix="Check the path.") from None
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}.", fix="Check the path.") from error
    except ValueError as error:
        raise UsageError(f"{source.name} is not JSON text: {error}.", fix="Check the file.") from error


def _array_of(value: object, source: Path) -> list[Record]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    if not all(isinstance(item, dict) for item in items):
        raise UsageError(f"An array of objects was wanted in {source.name}.", fix="Check the file.")
    return cast("list[Record]", items)


def _object_of(line: str, where: str) -> Record:
    try:
        value = cast("object", json.loads(line))
    except ValueError as error:
        raise UsageError(f"An object was wanted in {where}: {error}.", fix="Check the file.") from error
    if not isinstance(value, dict):
        raise UsageError(f"An object was wanted in {where}.", fix="Check the file.")
    return cast("Record", value)


def _read_note(path: Path) -> Record:
    """One Markdown file: its head of `key: JSON` lines, if it has one, and its text."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path.name} is not UTF-8 text.", fix="Convert it, or take it out.") from error
    if text.startswith("---\r\n"):  # an editor has changed the line ends, of the head and of the text
        text = text.replace("\r\n", "\n")
    mark, _, rest = text.partition("\n")
    if mark != "---":
        return {"content": text, "name": path.stem}
    head, found, content = rest.partition("\n---\n")
    if not found:
        raise UsageError(
            f"{path.name} has a head that does not end.", fix="End it with a line of three dashes."
        )
    record: Record = {"content": content}
    for line in head.split("\n"):
        key, _, value = line.partition(": ")
        record[key] = _value_of(value, path)
    return record


def _value_of(text: str, path: Path) -> Json:
    try:
        return cast("Json", json.loads(text))
    except ValueError as error:
        raise UsageError(
            f"{path.name} has the value {text!r}, which is not JSON.", fix="Put it in quotes."
        ) from error
