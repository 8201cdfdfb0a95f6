"""Asking: `recall`, `why`, `context`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukasa.cli import asking, views
from lukasa.cli.command import Command
from lukasa.cli.literal import cut
from lukasa.cli.pieces import Grid, Inset, Line, Outcome
from lukasa.config import FUSIONS, MODES, Recalling, Weights
from lukasa.errors import UsageError
from lukasa.operations.answers import answer_document, context_document, why_document

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Cell, Piece
    from lukasa.recall.answer import Hit, Signal
    from lukasa.recall.plan import Asking
    from lukasa.recall.why import Why

_SIGNALS = ("reason", "measured", "place", "weight", "points")
_WORDS = ("word", "times here", "pieces with it", "weight")
_DIGITS = 4
_PARTS = 3
_PREVIEW = 96


def _question(parser: ArgumentParser, what: str) -> None:
    parser.add_argument("query", metavar="QUESTION", nargs="+", help=what)


def _ways(parser: ArgumentParser, *, floor: str = "0") -> None:
    parser.add_argument("--limit", metavar="N", type=int, help="how many at most, to 100 [8]")
    parser.add_argument("--mode", help=f"one of: {', '.join(MODES)} [hybrid]")
    parser.add_argument("--fusion", help=f"how reasons are put together: {', '.join(FUSIONS)} [zscore]")
    parser.add_argument("--weights", metavar="MEANING,WORDS,LINKS", help="what each counts for; together 1")
    parser.add_argument("--as-of", metavar="TIME", help="what was known then: 2d (ago), or 2026-05-01")
    parser.add_argument(
        "--floor", metavar="0..1", type=float, help=f"leave out what is less relevant [{floor}]"
    )
    asking.add_filters(parser)


def _asking(call: Call) -> Asking:
    given: Asking = {**asking.narrowing_of(call)}
    if (mode := call.maybe("mode")) is not None:
        given["mode"] = mode  # type: ignore[typeddict-item]
    if (fusion := call.maybe("fusion")) is not None:
        given["fusion"] = fusion  # type: ignore[typeddict-item]
    if (weights := call.maybe("weights")) is not None:
        given["weights"] = _weights(weights)
    if (as_of := call.maybe("as_of")) is not None:
        given["as_of"] = as_of
    if (floor := call.real("floor")) is not None:
        given["floor"] = floor
    return given


def _weights(text: str) -> Weights:
    parts = text.split(",")
    try:
        semantic, keyword, graph = (
            float(part) for part in (parts if len(parts) == _PARTS else [*parts, "0"])
        )
    except ValueError as error:
        raise UsageError(f"Three weights were wanted, found {text!r}.", fix="Write 0.6,0.3,0.1.") from error
    return Weights(semantic=semantic, keyword=keyword, graph=graph)


def _recall_arguments(parser: ArgumentParser) -> None:
    _question(parser, "what you want to know, in words of your own")
    _ways(parser)
    parser.add_argument("--explain", action="store_true", help="each hit with its reasons and their points")
    parser.add_argument("--no-observe", action="store_true", help="do not note what was recalled")


def _recall(call: Call) -> Outcome:
    given = _asking(call)
    if call.flag("no_observe"):
        given["observe"] = False
    with call.handle() as handle:
        answer = handle.recall(" ".join(call.texts("query")), limit=call.number("limit"), **given)
        # To count a large store takes longer than to ask it.
        empty = (
            () if answer.hits else (f"Nothing found for agent {handle.agent} in {handle.stats().location}.",)
        )
    return Outcome(
        document=answer_document(answer),
        pieces=tuple(_explained(answer.hits)) if call.flag("explain") else _listed(answer.hits),
        notes=tuple(Line(text=note, tone="quiet") for note in (*answer.notes, *empty)),
    )


def _listed(hits: tuple[Hit, ...]) -> tuple[Piece, ...]:
    rows = tuple(
        (hit.entry.number, round(hit.relevance, 2), hit.entry.kind, hit.entry.name, hit.text) for hit in hits
    )
    return (Grid(columns=("#", "relevant", "kind", "name", "text"), rows=rows),) if rows else ()


def _explained(hits: tuple[Hit, ...]) -> list[Piece]:
    pieces: list[Piece] = []
    for place, hit in enumerate(hits, 1):
        text = f"{place}. #{hit.entry.number} {cut(' '.join(hit.text.split()), _PREVIEW)}"
        said = f"score {hit.score:.{_DIGITS}f}, relevance {hit.relevance:.2f}, in {hit.entry.space}"
        beside = [
            Line(text=f"{near.relation}: {views.label(near.entry)}", tone="quiet") for near in hit.beside
        ]
        below = (Line(text=said, tone="quiet"), _signals(hit.signals), *beside)
        pieces += [Line(text=text, tone="title"), Inset(below)]
    return pieces


def _signals(signals: tuple[Signal, ...]) -> Grid:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (s.name, round(s.raw, _DIGITS), s.rank, round(s.weight, _DIGITS), round(s.points, _DIGITS))
        for s in signals
    )
    return Grid(columns=_SIGNALS, rows=rows)


def _why_arguments(parser: ArgumentParser) -> None:
    asking.add_ref(parser)
    _question(parser, "the question that should find it, or should not")
    _ways(parser)


def _why(call: Call) -> Outcome:
    with call.handle() as handle:
        told = handle.why(
            call.text("ref"), " ".join(call.texts("query")), limit=call.number("limit"), **_asking(call)
        )
    return Outcome(
        document=why_document(told),
        pieces=_told(told),
    )


def _told(told: Why) -> tuple[Piece, ...]:
    verdict = (
        Line(text=f"Found at place {told.place} of {told.among}: {views.label(told.entry)}", tone="good")
        if told.found
        else Line(text=f"Not found: {views.label(told.entry)}", tone="bad")
    )
    rows = tuple((word.term, word.times, word.pieces, round(word.weight, _DIGITS)) for word in told.words)
    numbers = f"score {told.score:.{_DIGITS}f}, relevance {told.relevance:.2f}, mode {told.mode}"
    return (
        verdict,
        *(Line(text=f"  {reason}") for reason in told.reasons),
        Line(text=f"  {numbers}", tone="quiet"),
        *((_signals(told.signals),) if told.signals else ()),
        *((Grid(columns=_WORDS, rows=rows),) if rows else ()),
    )


def _context_arguments(parser: ArgumentParser) -> None:
    _question(parser, "the message that is about to be answered")
    _ways(parser, floor=f"{Recalling().floor:g}")


def _context(call: Call) -> Outcome:
    with call.handle() as handle:
        block = handle.context(" ".join(call.texts("query")), limit=call.number("limit"), **_asking(call))
    return Outcome(
        document=context_document(block),
        pieces=tuple(Line(text=line) for line in block.text.splitlines()),
    )


COMMANDS = {
    "recall": Command(
        about="By words and by meaning together; a name or alias finds its entry first. What was recalled\n"
        "is noted, for what is often recalled is worth more later. In a pipe each hit is a line:\n"
        "number, relevance, kind, name, text.",
        examples=(
            'lukasa recall "where does she live"',
            'lukasa recall "release plan" --kind decision --tag ops --limit 3',
            'lukasa recall "who is on call" --explain',
            'lukasa recall "deploy steps" --as-of 30d --json',
        ),
        arguments=_recall_arguments,
        run=_recall,
    ),
    "why": Command(
        about="The place of an entry among the answers to a question, with every reason and every word;\n"
        "or what keeps it out: expired, superseded, filtered, out of the spaces asked, or too far.",
        examples=('lukasa why home "where does she live"', 'lukasa why 12 "release plan" --kind decision'),
        arguments=_why_arguments,
        run=_why,
    ),
    "context": Command(
        about="The memories that may help with a message, as a block to put into a prompt: at most 8,\n"
        "framed as data. Nothing relevant, nothing printed.",
        examples=('lukasa context "Can you prepare the release?"',),
        arguments=_context_arguments,
        run=_context,
    ),
}
