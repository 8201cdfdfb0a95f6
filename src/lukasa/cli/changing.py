"""Changing what is there: `write`, `update`, `complete`, `undo`, `history`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lukasa.cli import asking, views
from lukasa.cli.command import Command
from lukasa.cli.pieces import Grid, Moment, Outcome
from lukasa.errors import UsageError
from lukasa.operations import entries
from lukasa.operations.answers import history_document

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Cell
    from lukasa.entries.entry import Entry
    from lukasa.entries.fields import Fields
    from lukasa.entries.kinds import Status
    from lukasa.entries.reading import Change

_NOTHING: dict[str, Fields] = {
    "name": {"name": None},
    "kind": {"kind": None},
    "class": {"entry_class": None},
    "category": {"category": None},
    "tags": {"tags": ()},
    "summary": {"summary": None},
    "expires": {"expires_at": None},
    "source": {"source_type": None, "source_id": None},
    "session": {"session_id": None},
    "metadata": {"metadata": None},
    "context": {"context": None},
}


def _write_arguments(parser: ArgumentParser) -> None:
    asking.add_ref(parser)
    asking.add_text(parser)
    _add_revision(parser)


def _add_revision(parser: ArgumentParser) -> None:
    parser.add_argument("--revision", metavar="N", type=int, help="only if it is still at this revision")


def _write(call: Call) -> Outcome:
    content = call.content("content")
    with call.handle() as handle:
        entry = handle.write(call.text("ref"), content, revision=call.number("revision"))
    return views.done("Wrote", entry)


def _update_arguments(parser: ArgumentParser) -> None:
    asking.add_ref(parser)
    parser.add_argument("--text", metavar="TEXT", help="another text")
    parser.add_argument("--name", help="another name")
    _add_revision(parser)
    parser.add_argument(
        "--clear", metavar="PART", action="append", choices=_NOTHING, help=f"empty one: {', '.join(_NOTHING)}"
    )
    asking.add_fields(parser)


def _update(call: Call) -> Outcome:
    fields = asking.fields_of(call)
    for part in call.texts("clear"):
        if set(_NOTHING[part]) & set(fields):
            raise UsageError(f"--{part} is given and cleared at once.", fix="Leave one of the two out.")
        fields = cast("Fields", {**fields, **_NOTHING[part]})
    with call.handle() as handle:
        entry = handle.update(
            call.text("ref"), content=call.maybe("text"), revision=call.number("revision"), **fields
        )
    return views.done("Updated", entry)


def _complete_arguments(parser: ArgumentParser) -> None:
    asking.add_ref(parser)
    parser.add_argument(
        "--status", choices=("completed", "cancelled", "open"), default="completed", help="[completed]"
    )


def _complete(call: Call) -> Outcome:
    status = cast("Status", call.text("status"))
    with call.handle() as handle:
        entry = handle.complete(call.text("ref"), status=status)
    return views.done("Reopened" if status == "open" else status.capitalize(), entry)


def _one_ref(parser: ArgumentParser) -> None:
    asking.add_ref(parser)


def _undo(call: Call) -> Outcome:
    with call.handle() as handle:
        entry = handle.undo(call.text("ref"))
    return views.done("As it was before:", entry)


def _history(call: Call) -> Outcome:
    with call.handle() as handle:
        found = entries.history(handle, call.text("ref"))
    before = found.before()
    after = [*before[1:], found.entry]
    rows = tuple(_row(*step) for step in zip(found.changes, before, after, strict=True))
    return Outcome(
        document=history_document(found),
        pieces=(Grid(columns=("revision", "when", "operation", "agent", "change"), rows=rows),),
    )


def _row(change: Change, before: Entry | None, after: Entry | None) -> tuple[Cell, ...]:
    parts = views.changed_parts(before, after) if before and after else [views.label(after)] if after else []
    if change.undoes is not None:
        parts.insert(0, f"undoes revision {change.undoes}")
    return (change.revision, Moment(change.at), change.operation, change.actor, "; ".join(parts))


COMMANDS = {
    "write": Command(
        about="Id, number, time, kind, names and tags stay; what it said before is kept in its history.",
        examples=(
            'lukasa write deploy "Deploy with make ship."',
            "lukasa write deploy - < deploy.txt",
            'lukasa write deploy "Deploy with make ship." --revision 3',
        ),
        arguments=_write_arguments,
        run=_write,
    ),
    "update": Command(
        about="Parts that are not given stay as they are; --tag gives the whole new set of tags.",
        examples=(
            "lukasa update deploy --tag ops --tag release --importance 0.9",
            "lukasa update 12 --kind decision --pin",
            "lukasa update deploy --clear summary --clear expires",
        ),
        arguments=_update_arguments,
        run=_update,
    ),
    "complete": Command(
        about="A completed todo goes out of sight after thirty days. --status open takes the mark away.",
        examples=("lukasa complete 12", "lukasa complete certificate --status cancelled"),
        arguments=_complete_arguments,
        run=_complete,
    ),
    "undo": Command(
        about="Once more takes the one before it back. Links and forgetting are not undone by it.",
        examples=("lukasa undo deploy",),
        arguments=_one_ref,
        run=_undo,
    ),
    "history": Command(
        about="What was done, when and by whom, and what it changed. In JSON each change has the whole\n"
        "entry as it was before.",
        examples=("lukasa history deploy", "lukasa history 12 --json"),
        arguments=_one_ref,
        run=_history,
    ),
}
