"""Spaces in memory: as many as fit, each of the version that the reader's own transaction sees.

Always true: what is answered from belongs to the version that was read inside the same transaction, so that
another process's write is seen and one that was taken back never is; what a transaction has not committed is
not kept for others. The spaces that were asked least lately go first.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING

from lukasa.db import as_json
from lukasa.recall.index import MOST_ROWS, SpaceIndex, empty

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lukasa.db import Database, Row
    from lukasa.entries.reach import Reach

_NO_MODEL = -1
_MEGABYTE = 1 << 20


class IndexCache:
    """The indexes of one store's spaces."""

    def __init__(self, *, megabytes: int) -> None:
        self._limit = megabytes * _MEGABYTE
        self._kept: dict[tuple[int, int], tuple[SpaceIndex, int]] = {}
        self._held = 0
        self._lock = threading.Lock()
        _caches.add(self)

    def indexes(self, db: Database, spaces: Sequence[str], model: int | None) -> list[SpaceIndex]:
        """The index of each space that is there, in the order asked for; a transaction must be open."""
        rows = {row.text("space"): row for row in db.rows("space_versions", spaces=as_json(spaces))}
        known = [rows[space] for space in spaces if space in rows and rows[space].integer("chunks")]
        return [self._index(db, row, _NO_MODEL if model is None else model) for row in known]

    def _index(self, db: Database, row: Row, model: int) -> SpaceIndex:
        key = (row.integer("number"), model)
        version = row.integer("version")
        kept = self._found(key)
        if kept is not None:
            # Who asks twice asks again. The first question of a process does not wait for an order.
            kept.ready()
        if kept is not None and kept.version == version:
            return kept
        if kept is None or kept.version > version or kept.is_scattered:
            kept = empty(row.text("space"), key[0], model)
        index = _brought_to(db, kept, row)
        if not db.writing:
            self._keep(key, index)
        return index

    def _found(self, key: tuple[int, int]) -> SpaceIndex | None:
        with self._lock:
            found = self._kept.pop(key, None)
            if found is None:
                return None
            # Put back as the last: it is the one that was asked most lately.
            self._kept[key] = found
            return found[0]

    def _keep(self, key: tuple[int, int], index: SpaceIndex) -> None:
        size = index.nbytes
        with self._lock:
            there = self._kept.get(key)
            if there is not None and there[0].version > index.version:
                return
            self._drop(key)
            self._kept[key] = index, size
            self._held += size
            while self._held > self._limit:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[int, int]) -> None:
        _, size = self._kept.pop(key, (None, 0))
        self._held -= size

    @property
    def nbytes(self) -> int:
        """What all of it holds in memory."""
        return self._held

    def begin_in_child(self) -> None:
        """After a fork, in the child: another thread may have held the lock."""
        self._lock = threading.Lock()


def _brought_to(db: Database, index: SpaceIndex, row: Row) -> SpaceIndex:
    """The index at the version of the row, by loading only what has changed since its own."""
    index = index.with_pages(
        _changed(db, index), version=row.integer("version"), has_links=row.flag("has_links")
    )
    if index.count == row.integer("chunks"):
        return index
    numbers = db.rows("chunk_numbers", space=index.space)
    return index.without_others([number.integer("number") for number in numbers])


def _changed(db: Database, index: SpaceIndex) -> Iterator[list[Row]]:
    """The pieces that are newer than an index, page by page."""
    version, number = index.version, 2**62
    size = MOST_ROWS
    while size == MOST_ROWS:
        page = db.rows(
            "load_chunks", space=index.space, model=index.model, version=version, number=number, limit=size
        )
        size = len(page)
        if page:
            version, number = page[-1].integer("version"), page[-1].integer("number")
            yield page


def cache_of(reach: Reach) -> IndexCache:
    """The one cache of a database, for all its handles."""
    with _lock:
        found = _of_database.get(reach.db)
        if found is None:
            found = _of_database[reach.db] = IndexCache(megabytes=reach.settings.recall.cache_mb)
        return found


_lock = threading.Lock()
_of_database: weakref.WeakKeyDictionary[Database, IndexCache] = weakref.WeakKeyDictionary()
_caches: weakref.WeakSet[IndexCache] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    global _lock  # noqa: PLW0603 - another thread may have held it
    _lock = threading.Lock()
    for cache in list(_caches):
        cache.begin_in_child()


os.register_at_fork(after_in_child=_after_fork_in_child)
