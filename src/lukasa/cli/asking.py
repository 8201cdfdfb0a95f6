"""Arguments that several commands share, and how what was given becomes fields and filters."""

from __future__ import annotations

from argparse import BooleanOptionalAction
from typing import TYPE_CHECKING

from lukasa.entries.kinds import CLASSES, KINDS, STATUSES

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from lukasa.cli.call import Call
    from lukasa.entries.fields import Fields
    from lukasa.entries.reading import Narrowing

REF_HELP = "a name, an alias, a number (12 or #12), or an id"


def add_ref(parser: ArgumentParser, name: str = "ref", *, help: str = REF_HELP) -> None:  # noqa: A002 - argparse's own word
    """The entry that is meant."""
    parser.add_argument(name, metavar=name.upper().replace("_", "-"), help=help)


def add_text(parser: ArgumentParser) -> None:
    """The text to be stored."""
    parser.add_argument("content", metavar="TEXT", nargs="+", help="the text; - reads it from standard input")


def add_scope(parser: ArgumentParser, what: str) -> None:
    """The one space that is meant."""
    parser.add_argument("--scope", metavar="SPACE", help=f"{what}, such as project/apollo")


def add_fields(parser: ArgumentParser) -> None:
    """All that can be said of an entry."""
    parts = parser.add_argument_group("parts of the entry")
    parts.add_argument("--kind", help=f"one of: {', '.join(KINDS)} [seen from the text]")
    parts.add_argument("--class", metavar="CLASS", help=f"one of: {', '.join(CLASSES)} [from the kind]")
    parts.add_argument("--category", help="a word of your own [general]")
    parts.add_argument("--tag", metavar="TAG", action="append", help="may be repeated, 16 times at most")
    parts.add_argument("--summary", help="a short form of the text")
    parts.add_argument("--importance", metavar="0..1", type=float, help="[0.5]")
    parts.add_argument("--confidence", metavar="0..1", type=float, help="[0.7]")
    parts.add_argument("--pin", action=BooleanOptionalAction, help="keep it whatever upkeep does")
    parts.add_argument("--status", help=f"one of: {', '.join(STATUSES)} [open]")
    parts.add_argument("--expires", metavar="TIME", help="30d, 2026-05-01T10:00:00Z, or never")
    parts.add_argument("--source", metavar="TYPE[:ID]", help="where it came from, such as mail:42")
    parts.add_argument("--session", metavar="ID", help="the conversation in which it was said")
    parts.add_argument("--metadata", metavar="JSON", help="an object of your own, kept as it is")
    parts.add_argument("--context", help="how it came to be known; kept, not searched")


def add_filters(parser: ArgumentParser) -> None:
    """What a list or a recall may be narrowed by."""
    filters = parser.add_argument_group("filters, each a must")
    add_scope(filters, "one space")  # type: ignore[arg-type]
    filters.add_argument("--kind", action="append", help="repeat for one of several")
    filters.add_argument("--class", metavar="CLASS", action="append", help="repeat for one of several")
    filters.add_argument("--category")
    filters.add_argument("--status", help="open, completed or cancelled")
    filters.add_argument("--tag", metavar="TAG", action="append", help="repeat for all of several")
    filters.add_argument("--text", help="a piece of the text, summary or name; letter case does not matter")
    filters.add_argument("--source", metavar="TYPE[:ID]")
    filters.add_argument("--session", metavar="ID")
    filters.add_argument("--since", metavar="TIME", help="7d (ago), or 2026-05-01")
    filters.add_argument("--until", metavar="TIME", help="before this moment")


def narrowing_of(call: Call) -> Narrowing:
    """The filters that were given."""
    source_type, source_id = source_of(call)
    return {
        "scope": call.maybe("scope"),
        "kinds": call.texts("kind"),
        "classes": call.texts("class"),
        "category": call.maybe("category"),
        "status": call.maybe("status"),
        "tags": call.texts("tag"),
        "text": call.maybe("text"),
        "source_type": source_type,
        "source_id": source_id,
        "session_id": call.maybe("session"),
        "since": call.maybe("since"),
        "until": call.maybe("until"),
    }


def fields_of(call: Call) -> Fields:
    """The parts that were given."""
    fields: Fields = {}
    if (kind := call.maybe("kind")) is not None:
        fields["kind"] = kind
    if (entry_class := call.maybe("class")) is not None:
        fields["entry_class"] = entry_class
    if (category := call.maybe("category")) is not None:
        fields["category"] = category
    if tags := call.texts("tag"):
        fields["tags"] = tags
    if (status := call.maybe("status")) is not None:
        fields["status"] = status
    if call.given.get("pin") is not None:
        fields["pinned"] = call.flag("pin")
    if (expires := call.maybe("expires")) is not None:
        fields["expires_at"] = expires
    if (metadata := call.metadata()) is not None:
        fields["metadata"] = metadata
    return fields | _texts_of(call) | _scores_of(call) | _source_of(call)


def _texts_of(call: Call) -> Fields:
    fields: Fields = {}
    if (name := call.maybe("name")) is not None:
        fields["name"] = name
    if (summary := call.maybe("summary")) is not None:
        fields["summary"] = summary
    if (context := call.maybe("context")) is not None:
        fields["context"] = context
    if (session := call.maybe("session")) is not None:
        fields["session_id"] = session
    return fields


def _scores_of(call: Call) -> Fields:
    fields: Fields = {}
    if (importance := call.real("importance")) is not None:
        fields["importance"] = importance
    if (confidence := call.real("confidence")) is not None:
        fields["confidence"] = confidence
    return fields


def _source_of(call: Call) -> Fields:
    kind, identity = source_of(call)
    fields: Fields = {}
    if kind is not None:
        fields["source_type"] = kind
    if identity is not None:
        fields["source_id"] = identity
    return fields


def source_of(call: Call) -> tuple[str | None, str | None]:
    """The type and id of `--source TYPE[:ID]`."""
    kind, _, identity = (call.maybe("source") or "").partition(":")
    return kind or None, identity or None
