"""For the one who runs the store: `forget`, `remove`, `agents`, `stats`, `check`.

To forget a whole agent takes its name, `--all`, and a yes: from the person at the terminal, or as
`--yes`. Without a terminal and without `--yes` nothing is erased.
"""

from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from lukasa.cli import asking
from lukasa.cli.command import Command
from lukasa.cli.literal import counted, literal
from lukasa.cli.pieces import Card, Grid, Line, Moment, Outcome
from lukasa.cli.progress import watching
from lukasa.errors import NotFoundError, UsageError
from lukasa.operations.answers import agents_document, receipt_document, stats_document, verdict_document

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Piece
    from lukasa.entries.counting import Stats
    from lukasa.entries.forgetting import Receipt
    from lukasa.memory import Store


_ENTRIES = ("entry", "entries")
_PARTS = {
    "entries": _ENTRIES,
    "names": ("name", "names"),
    "tags": ("tag", "tags"),
    "links": ("link", "links"),
    "history": ("change of its history", "changes of its history"),
    "chunks": ("piece of its index", "pieces of its index"),
    "vectors": ("vector", "vectors"),
    "recalls": ("recall", "recalls"),
}


def _forget_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("ref", metavar="REF", nargs="?", help=asking.REF_HELP)
    parser.add_argument("--all", action="store_true", help="everything of the agent that --agent names")
    parser.add_argument("--dry-run", action="store_true", help="with --all: only say what would go")
    parser.add_argument("--yes", action="store_true", help="with --all: do not ask")


def _forget(call: Call) -> Outcome:
    ref = call.maybe("ref")
    if call.flag("all"):
        if ref is not None:
            raise UsageError("An entry and --all were both given.", fix="Give one of the two.")
        return _forget_agent(call)
    if ref is None:
        raise UsageError("Nothing was named to forget.", fix="Name an entry, or write --agent NAME --all.")
    if call.flag("dry_run") or call.flag("yes"):
        raise UsageError("--dry-run and --yes go with --all.", fix=f"`lukasa get {ref}` shows what would go.")
    with call.handle() as handle:
        return _receipt(handle.forget(ref))


def _remove_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a name or an alias")


def _remove(call: Call) -> Outcome:
    with call.handle() as handle:
        return _receipt(handle.remove(call.text("name")))


def _forget_agent(call: Call) -> Outcome:
    agent = call.maybe("agent")
    if agent is None:
        raise UsageError("--all needs to be told whose.", fix="Name the agent: --agent NAME --all.")
    with call.store() as store:
        plan = store.forget_agent(agent, dry_run=True)
        _check_known(agent, plan, store)
        if call.flag("dry_run"):
            return _receipt(plan)
        if not call.flag("yes") and not _confirmed(plan, store):
            return Outcome(
                document={"erased": False}, pieces=(Line(text="Nothing was erased.", tone="quiet"),), code=1
            )
        with watching("Forgetting", lambda: plan.entries, quiet=call.as_json) as moved:
            return _receipt(store.forget_agent(agent, progress=moved))


def _check_known(agent: str, plan: Receipt, store: Store) -> None:
    """A name that nobody has is an error: whoever mistyped one must not believe that it was erased."""
    known = [summary.agent for summary in store.agents()]
    if agent not in known and not plan.remains:
        raise NotFoundError(wanted=f"agent {agent!r}", near=get_close_matches(agent, known))


def _confirmed(plan: Receipt, store: Store) -> bool:
    """What the person at the terminal says; where there is none, a refusal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            f"This would erase {counted(plan.entries, *_ENTRIES)} for good, and nobody is here to agree.",
            fix="Add --yes to do it, or --dry-run to see what would go.",
        )
    question = f"Erase {counted(plan.entries, *_ENTRIES)} of {plan.subject} in {store.location} for good?"
    print(literal(question), "[y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _receipt(receipt: Receipt) -> Outcome:
    counts = {part: cast("int", getattr(receipt, part)) for part in _PARTS}
    verb = "Would erase" if receipt.dry_run else "Erased"
    said = ", ".join(counted(count, *_PARTS[part]) for part, count in counts.items() if count)
    pieces: list[Piece] = [Line(text=f"{verb} {receipt.subject}: {said or 'nothing'}.", tone="good")]
    pieces += [Line(text=f"  remains: {place}", tone="bad") for place in receipt.remains]
    if not receipt.remains and not receipt.dry_run:
        pieces.append(Line(text="  Nothing of it remains in the store.", tone="quiet"))
    return Outcome(document=receipt_document(receipt), pieces=tuple(pieces))


def _no_arguments(_: ArgumentParser) -> None:
    """A command that only needs a store."""


def _agents(call: Call) -> Outcome:
    with call.store() as store:
        agents = store.agents()
    rows = tuple((a.agent, a.entries, a.spaces, Moment(a.created_at), Moment(a.updated_at)) for a in agents)
    grid = Grid(columns=("agent", "entries", "spaces", "since", "updated"), rows=rows)
    empty = (Line(text="No agent has anything here yet.", tone="quiet"),)
    return Outcome(
        document=agents_document(agents), pieces=(grid,) if rows else (), notes=() if rows else empty
    )


def _stats(call: Call) -> Outcome:
    with call.store() as store:
        agent, shares = call.maybe("agent"), call.texts("share")
        stats = store.stats() if agent is None else store.agent(agent, shares=shares).stats()
    return Outcome(
        document=stats_document(stats),
        pieces=_sizes(stats),
    )


def _sizes(stats: Stats) -> tuple[Piece, ...]:
    pairs = (
        ("store", stats.location),
        ("agents", stats.agents),
        ("spaces", stats.spaces),
        ("entries", stats.entries),
    )
    card = Card(title="Store", pairs=pairs)
    if not stats.kinds:
        return (card,)
    rows = tuple((kind.kind, kind.entries, kind.live) for kind in stats.kinds)
    return card, Grid(columns=("kind", "entries", "live"), rows=rows)


def _check(call: Call) -> Outcome:
    with (
        call.store() as store,
        watching("Checking", lambda: store.stats().entries, quiet=call.as_json) as moved,
    ):
        verdict = store.check(progress=moved)
    pieces = [Line(text=f"problem: {problem}", tone="bad") for problem in verdict.problems]
    looked = f"{counted(verdict.entries, *_ENTRIES)}, {verdict.checks} checks"
    if verdict.ok:
        pieces = [Line(text=f"Sound: {looked}, no problems.", tone="good")]
    found = counted(len(verdict.problems), "problem", "problems")
    notes = () if verdict.ok else (Line(text=f"{looked}, {found}."),)
    return Outcome(
        document=verdict_document(verdict),
        pieces=tuple(pieces),
        notes=notes,
        code=0 if verdict.ok else 1,
    )


COMMANDS = {
    "forget": Command(
        about="For good: text, names, tags, links and history. The receipt says what went, and what may\n"
        "remain elsewhere. A whole agent asks first; in a script it needs --yes.",
        examples=(
            "lukasa forget deploy",
            "lukasa forget --agent ana --all --dry-run",
            "lukasa forget --agent ana --all --yes",
        ),
        arguments=_forget_arguments,
        run=_forget,
    ),
    "remove": Command(
        about="As `forget` does, by a name or alias. The receipt says what went.",
        examples=("lukasa remove deploy",),
        arguments=_remove_arguments,
        run=_remove,
    ),
    "agents": Command(
        about="How many entries and spaces each has, since when, and when it was last written to.",
        examples=("lukasa agents", "lukasa agents --json"),
        arguments=_no_arguments,
        run=_agents,
    ),
    "stats": Command(
        about="Of the whole store; with --agent, of what that agent sees. `live` counts the entries that\n"
        "are answers now: neither expired nor superseded.",
        examples=("lukasa stats", "lukasa stats --agent ana"),
        arguments=_no_arguments,
        run=_stats,
    ),
    "check": Command(
        about="Each problem is one line. The exit code is 1 if there is any.",
        examples=("lukasa check", "lukasa check --store backup.lukasa --json"),
        arguments=_no_arguments,
        run=_check,
    ),
}
