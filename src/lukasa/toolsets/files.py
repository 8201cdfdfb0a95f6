"""Named entries as files: a path is a name, folders are what names have in common.

Always true: what was written is read back to the byte, though an entry's text is trimmed: the white space
around it is kept beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.errors import UsageError
from lukasa.scope import agent_space

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lukasa.db.database import Json
    from lukasa.entries.entry import Entry
    from lukasa.operations.binding import Binding

ROOT = "/memories"
_MARK = "file"
_WIDTH = 6
_DEPTH = 2
_PAGE = 1_000
_STEP = 1_024
_UNITS = "BKMG"


def checked_path(said: str) -> str:
    """The path itself, without doubled or trailing slashes; one that leads elsewhere is refused."""
    if said != ROOT and not said.startswith(f"{ROOT}/"):
        raise UsageError(f"Path must start with /memories, got: {said}")
    parts = [part for part in said.split("/") if part not in {"", "."}]
    if ".." in parts:
        raise UsageError(f"Path {said} would escape /memories directory")
    return "/" + "/".join(parts)


def numbered(lines: Sequence[str], first: int) -> list[str]:
    """Lines with their numbers before them, as `cat -n` shows them."""
    return [f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first)]


class Files:
    """The files of one agent."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._handle = binding.handle
        self._making = binding.making
        self._space = agent_space(binding.agent)

    def read(self, path: str) -> str | None:
        """The text of a file, or None."""
        entry = self._entry(path)
        return None if entry is None else _text_of(entry)

    def create(self, path: str, text: str) -> None:
        """A new file."""
        content, metadata = _kept(path, text)
        self._handle.add(path, content, kind="note", metadata=metadata, **self._making)

    def write(self, path: str, text: str) -> None:
        """Another text for a file that is there."""
        content, metadata = _kept(path, text)
        self._binding.spare_archive(path, "overwritten")
        self._handle.update(path, content=content, metadata=metadata)

    def delete(self, path: str) -> bool:
        """Erases a file, or a folder with all in it; False if there is neither."""
        found = list(self._at(path))
        for entry in found:
            self._binding.spare_archive(entry.id, "forgotten")
            self._handle.forget(entry.id)
        return bool(found)

    def rename(self, old: str, new: str) -> bool:
        """Gives a file, or all of a folder, another path; False if there is neither."""
        found = list(self._at(old))
        for entry in found:
            self._handle.rename(entry.id, new + (entry.name or "").removeprefix(old))
        return bool(found)

    def under(self, path: str) -> dict[str, int]:
        """Every file in a folder, with its size in bytes."""
        return {
            entry.name: len(_text_of(entry).encode())
            for entry in self._at(path)
            if entry.name and entry.name != path
        }

    def file_above(self, path: str) -> bool:
        """Whether a part of the path is a file already."""
        parts = path.split("/")
        return any(self._entry("/".join(parts[:end])) for end in range(3, len(parts)))

    def _entry(self, path: str) -> Entry | None:
        found = self._handle.find(path, scope=self._space)
        return found if found is not None and found.name == path else None

    def _at(self, path: str) -> Iterator[Entry]:
        """The file of a path, or all files in its folder."""
        after = None
        while True:
            page = self._handle.list(limit=_PAGE, after=after, text=path, scope=self._space)
            for entry in page.entries:
                if entry.name is not None and (entry.name == path or entry.name.startswith(f"{path}/")):
                    yield entry
            after = page.after
            if after is None:
                return


def _kept(path: str, text: str) -> tuple[str, dict[str, Json]]:
    """A text as an entry keeps it, and what is needed to give it back; a blank one stands under its path."""
    content = text.strip()
    if not content:
        return path, {_MARK: [text, "", path]}
    lead, _, tail = text.partition(content)
    return content, {_MARK: [lead, tail]}


def _text_of(entry: Entry) -> str:
    match entry.metadata.get(_MARK):
        case [str(lead), str(tail)]:
            return lead + entry.content + tail
        case [str(blank), "", entry.content]:
            return blank
        case _:  # another tool wrote it, or wrote over it
            return entry.content


def listing(said: str, path: str, sizes: dict[str, int]) -> str:
    """A folder as the tool shows it, two levels deep."""
    rows = [f"{_size(sum(sizes.values()))}\t{said}"]
    rows += [f"{_size(size)}\t{said}/{name}" for name, size in _rows(path, sizes)]
    header = f"Here're the files and directories up to 2 levels deep in {said}, excluding hidden items:"
    return "\n".join([header, *rows])


def _rows(path: str, sizes: dict[str, int]) -> list[tuple[str, int]]:
    """Folders and files, each with its size, a folder before what is in it."""
    totals: dict[tuple[str, ...], int] = {}
    folders: set[tuple[str, ...]] = set()
    for name, size in sizes.items():
        parts = tuple(name.removeprefix(f"{path}/").split("/"))
        if any(part.startswith(".") for part in parts):
            continue
        for depth in range(1, min(len(parts), _DEPTH) + 1):
            totals[parts[:depth]] = totals.get(parts[:depth], 0) + size
            if depth < len(parts):
                folders.add(parts[:depth])
    return [("/".join(parts) + "/" * (parts in folders), totals[parts]) for parts in sorted(totals)]


def _size(count: int) -> str:
    power = min((count.bit_length() - 1) // 10, len(_UNITS) - 1) if count else 0
    size = count / _STEP**power
    return f"{int(size)}{_UNITS[power]}" if size == int(size) else f"{size:.1f}{_UNITS[power]}"
