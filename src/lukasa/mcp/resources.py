"""Entries as resources: `lukasa://entry/REF`, where REF is an id, a name, an alias or a number.

Always true: what is listed and read is in sight of the desk, and is JSON, so that remembered text stands in
it as data.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import mcp.types as protocol

from lukasa.clock import to_rfc3339
from lukasa.errors import NotFoundError

if TYPE_CHECKING:
    from lukasa.entries.entry import Entry
    from lukasa.mcp.desk import Desk

_PREFIX = "lukasa://entry/"
_MIME = "application/json"
_A_PAGE = 50
_TITLE = 60
TEMPLATE = protocol.ResourceTemplate(
    name="entry",
    title="A memory",
    uri_template=f"{_PREFIX}{{ref}}",
    description="One entry whole, by its id, name, alias or number.",
    mime_type=_MIME,
)


def list_entries(desk: Desk, cursor: str | None) -> protocol.ListResourcesResult:
    """One page of the entries in sight, newest first."""
    page = desk.binding.handle.list(limit=_A_PAGE, after=cursor)
    return protocol.ListResourcesResult(
        resources=[_resource(entry) for entry in page.entries], next_cursor=page.after
    )


def read_entry(desk: Desk, uri: str) -> protocol.ReadResourceResult:
    """One entry, as it is exported."""
    if not uri.startswith(_PREFIX):
        raise NotFoundError(wanted=f"resource {uri!r}")
    entry = desk.binding.handle.get(unquote(uri.removeprefix(_PREFIX)))
    text = json.dumps(entry.plain(), ensure_ascii=False, indent=2)
    return protocol.ReadResourceResult(
        contents=[protocol.TextResourceContents(uri=uri, mime_type=_MIME, text=text)]
    )


def _resource(entry: Entry) -> protocol.Resource:
    words = " ".join(entry.content.split())
    return protocol.Resource(
        uri=f"{_PREFIX}{quote(entry.id, safe='')}",
        name=entry.name or f"#{entry.number}",
        title=words if len(words) <= _TITLE else f"{words[: _TITLE - 1].rstrip()}\u2026",
        description=f"{entry.kind} in {entry.space}, {to_rfc3339(entry.created_at)}",
        mime_type=_MIME,
        annotations=protocol.Annotations(
            priority=entry.importance, last_modified=to_rfc3339(entry.updated_at)
        ),
    )
