"""Names and links: `rename`, `alias`, `link`, `unlink`, `supersede`, `links`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.cli import asking, views
from lukasa.cli.command import Command
from lukasa.cli.pieces import Grid, Line, Moment, Outcome
from lukasa.entries.kinds import RELATIONS
from lukasa.operations import entries
from lukasa.operations.answers import Unlinked, link_document, links_document, unlinked_document

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Cell
    from lukasa.entries.entry import Entry
    from lukasa.entries.links import Link
    from lukasa.handle import Handle


def _named_arguments(parser: ArgumentParser) -> None:
    asking.add_ref(parser)
    parser.add_argument("name", metavar="NAME", help="any text of 1 to 200 characters")


def _rename(call: Call) -> Outcome:
    with call.handle() as handle:
        entry = handle.rename(call.text("ref"), call.text("name"))
    return views.done("Renamed to", entry)


def _alias(call: Call) -> Outcome:
    with call.handle() as handle:
        entry = handle.alias(call.text("ref"), call.text("name"))
    return views.done("Found by one more name:", entry)


def _ends(parser: ArgumentParser) -> None:
    asking.add_ref(parser, "from", help=f"the entry that the link starts from: {asking.REF_HELP}")
    parser.add_argument("relation", metavar="RELATION", help=f"one of: {', '.join(RELATIONS)}")
    asking.add_ref(parser, "to", help="the entry that it points to")


def _link_arguments(parser: ArgumentParser) -> None:
    _ends(parser)
    parser.add_argument("--weight", metavar="0..1", type=float, default=1.0, help="how strong it is [1]")
    parser.add_argument("--provenance", metavar="TEXT", help="how it came to be known")


def _link(call: Call) -> Outcome:
    weight = call.real("weight")
    with call.handle() as handle:
        link = handle.link(
            call.text("from"),
            call.text("relation"),
            call.text("to"),
            weight=1.0 if weight is None else weight,
            provenance=call.maybe("provenance"),
        )
        start, end = handle.get(link.from_id), handle.get(link.to_id)
    said = Line(text=f"Linked: {_sentence(start, link.relation, end)}", tone="good")
    return Outcome(document=link_document(link), pieces=(said,))


def _sentence(start: Entry, relation: str, end: Entry) -> str:
    return f"{views.label(start)} — {relation} → {views.label(end)}"


def _unlink(call: Call) -> Outcome:
    relation = call.text("relation")
    with call.handle() as handle:
        start, end = handle.get(call.text("from")), handle.get(call.text("to"))
        handle.unlink(start.id, relation, end.id)
    return Outcome(
        document=unlinked_document(Unlinked(start.id, relation, end.id)),
        pieces=(Line(text=f"Unlinked: {_sentence(start, relation, end)}", tone="good"),),
    )


def _supersede_arguments(parser: ArgumentParser) -> None:
    asking.add_ref(parser, "old", help=f"the entry that becomes history: {asking.REF_HELP}")
    asking.add_ref(parser, "new", help="the entry that answers in its place")


def _supersede(call: Call) -> Outcome:
    with call.handle() as handle:
        entry = handle.supersede(call.text("old"), call.text("new"))
    return views.done(f"{call.text('old')} is history; in its place", entry)


def _links_arguments(parser: ArgumentParser) -> None:
    asking.add_ref(parser)


def _links(call: Call) -> Outcome:
    with call.handle() as handle:
        found = entries.links(handle, call.text("ref"))
        entry = found.entry
        rows = tuple(_row(handle, entry, link) for link in found.links)
    notes = () if rows else (Line(text=f"No links at {views.label(entry)}", tone="quiet"),)
    grid = Grid(columns=("direction", "relation", "#", "name", "weight", "when", "text"), rows=rows)
    return Outcome(
        document=links_document(found),
        pieces=(grid,) if rows else (),
        notes=notes,
    )


def _row(handle: Handle, entry: Entry, link: Link) -> tuple[Cell, ...]:
    outward = link.from_id == entry.id
    other = handle.get(link.to_id if outward else link.from_id)
    return (
        "to" if outward else "from",
        link.relation,
        other.number,
        other.name,
        link.weight,
        Moment(link.created_at),
        other.content,
    )


COMMANDS = {
    "rename": Command(
        about="The old name is free again. One of its own aliases as the new name swaps the two.",
        examples=("lukasa rename deploy release-steps", 'lukasa rename 12 "style guide"'),
        arguments=_named_arguments,
        run=_rename,
    ),
    "alias": Command(
        about="Its other names stay. Names and aliases are unique together in their space.",
        examples=("lukasa alias deploy ship",),
        arguments=_named_arguments,
        run=_alias,
    ),
    "link": Command(
        about="The same link again changes its weight and provenance only. `supersedes` also makes the\n"
        "entry that it points to history.",
        examples=("lukasa link deploy depends_on certificate", "lukasa link 14 supports 12 --weight 0.5"),
        arguments=_link_arguments,
        run=_link,
    ),
    "unlink": Command(
        about="An entry that was superseded by this link alone is an answer again.",
        examples=("lukasa unlink deploy depends_on certificate",),
        arguments=_ends,
        run=_unlink,
    ),
    "supersede": Command(
        about="The old one stays as history: out of lists and answers, still there by its name.",
        examples=("lukasa supersede 12 deploy",),
        arguments=_supersede_arguments,
        run=_supersede,
    ),
    "links": Command(
        about="Only those whose other end this agent may see.",
        examples=("lukasa links deploy", "lukasa links 12 --json"),
        arguments=_links_arguments,
        run=_links,
    ),
}
