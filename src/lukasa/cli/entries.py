"""Remembering and reading: `remember`, `get`, `list`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lukasa.cli import asking, views
from lukasa.cli.command import Command
from lukasa.cli.pieces import Line, Outcome
from lukasa.operations import entries
from lukasa.operations.answers import entry_document, page_document

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from lukasa.cli.call import Call
    from lukasa.entries.reading import Page
    from lukasa.handle import Handle
    from lukasa.operations.words import Unnamed


def _remember_arguments(parser: ArgumentParser) -> None:
    asking.add_text(parser)
    parser.add_argument("--name", help="a name, unique in its space")
    parser.add_argument("--at", metavar="TIME", help="when it was: 2d (ago), or 2026-05-01 [now]")
    asking.add_scope(parser, "the space to write to")
    asking.add_fields(parser)


def _remember(call: Call) -> Outcome:
    fields = asking.fields_of(call)
    content = call.content("content")
    with call.handle() as handle:
        entry = handle.remember(content, scope=call.maybe("scope"), at=call.maybe("at"), **fields)
    verb = "Remembered" if entry.seen == 1 else f"Known already, now seen {entry.seen} times:"
    return views.done(verb, entry)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="any text of 1 to 200 characters that is not taken")
    asking.add_text(parser)
    asking.add_scope(parser, "the space to write to")
    asking.add_fields(parser)


def _add(call: Call) -> Outcome:
    fields = asking.fields_of(call)
    content = call.content("content")
    del fields["name"]  # it is said apart
    with call.handle() as handle:
        unnamed = cast("Unnamed", fields)
        entry = entries.add(handle, call.text("name"), content, scope=call.maybe("scope"), **unnamed)
    return views.done("Added", entry)


def _get_arguments(parser: ArgumentParser) -> None:
    asking.add_ref(parser)
    parser.add_argument("--as-of", metavar="TIME", help="as it was then: 2d (ago), or 2026-05-01T10:00:00Z")
    asking.add_scope(parser, "look in this space only")


def _get(call: Call) -> Outcome:
    with call.handle() as handle:
        entry = handle.get(call.text("ref"), scope=call.maybe("scope"), as_of=call.maybe("as_of"))
    return Outcome(document=entry_document(entry), pieces=(views.card(entry),))


def _list_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--limit", metavar="N", type=int, default=50, help="how many at most, to 1000 [50]")
    parser.add_argument("--after", metavar="MARK", help="the next page, by the mark that the last one gave")
    parser.add_argument("--hidden", action="store_true", help="expired and superseded ones too")
    asking.add_filters(parser)


def _list(call: Call) -> Outcome:
    limit = call.number("limit")
    with call.handle() as handle:
        page = handle.list(
            limit=50 if limit is None else limit,
            after=call.maybe("after"),
            hidden=call.flag("hidden"),
            **asking.narrowing_of(call),
        )
        note = _note(handle, page)
    return Outcome(
        document=page_document(page),
        pieces=(views.grid(page.entries),) if page.entries else (),
        notes=(Line(text=note, tone="quiet"),) if note else (),
    )


def _note(handle: Handle, page: Page) -> str:
    """What a page cannot say of itself: that there is more, or where nothing was found."""
    if page.after is not None:
        return f"There is more: the same with --after {page.after}"
    return "" if page.entries else f"Nothing to show for agent {handle.agent} in {handle.stats().location}."


COMMANDS = {
    "remember": Command(
        about="Kind, class and life span are seen from the text unless you say them. The same text again\n"
        "is the same entry, seen once more. Text that holds a secret is refused.",
        examples=(
            'lukasa remember "The user prefers short answers."',
            'lukasa remember "Deploy with make release." --name deploy --tag ops --importance 0.9',
            'lukasa remember "todo: renew the certificate" --expires 30d',
            'lukasa remember "The API is frozen." --scope project/apollo',
            "git log -1 | lukasa remember - --source git --kind note",
        ),
        arguments=_remember_arguments,
        run=_remember,
    ),
    "add": Command(
        about="A name or alias that is taken is refused; `write` changes what stands under one.",
        examples=(
            'lukasa add deploy "Deploy with make release." --tag ops',
            "lukasa add style-guide - < style.md",
        ),
        arguments=_add_arguments,
        run=_add,
    ),
    "get": Command(
        about="By name, alias, number or id. A superseded or expired entry is still shown: it is history.",
        examples=("lukasa get deploy", "lukasa get 12 --json", "lukasa get deploy --as-of 2d"),
        arguments=_get_arguments,
        run=_get,
    ),
    "list": Command(
        about="In a pipe each entry is a line with tabs between: number, kind, state, time, name, tags,\n"
        "text. A span in --since and --until counts back from now.",
        examples=(
            "lukasa list",
            "lukasa list --kind todo --status open --tag ops",
            "lukasa list --since 7d --text certificate --limit 10",
            "lukasa list --hidden --json",
        ),
        arguments=_list_arguments,
        run=_list,
    ),
}
