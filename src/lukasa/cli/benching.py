"""Measuring: `bench`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from lukasa.cli.command import Command
from lukasa.cli.pieces import Grid, Line, Outcome
from lukasa.cli.progress import watching
from lukasa.config import Settings
from lukasa.errors import UsageError

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Cell, Piece
    from lukasa.db.database import Json

_SHOWN = (
    "questions",
    "turn R@5",
    "turn R@10",
    "turn R@20",
    "MRR",
    "session R@5",
    "session R@10",
    "any@5",
    "all@10",
)


_SPEED = ("what", "value", "unit", "against", "other", "ratio", "bar", "met")
_PARTS_OF_SPEED = 5


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="WHAT",
        choices=("recall", "speed"),
        help="recall: how good it is, on files of questions; speed: how fast, beside what the machine can do",
    )
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files in the form of LoCoMo or LongMemEval")
    parser.add_argument(
        "--embedder", metavar="MODEL", default="default", help="none, default, onnx:PATH, … [default]"
    )
    parser.add_argument(
        "--limit", metavar="N", type=int, help="ask only the first so many questions of a file"
    )
    parser.add_argument(
        "--haystack", metavar="N", type=int, help="sessions in a LongMemEval-style haystack [48]"
    )
    parser.add_argument(
        "--tenants", metavar="N", type=int, help="with speed: so many agents of 1,000 entries [100]"
    )


def _run(call: Call) -> Outcome:
    return _speed(call) if call.text("what") == "speed" else _recall(call)


def _speed(call: Call) -> Outcome:
    from lukasa.bench.speed import Sizes, measure  # noqa: PLC0415 - measuring is rare

    if call.texts("paths"):
        raise UsageError("`bench speed` takes no files.", fix="It makes what it measures on by itself.")
    tenants = call.number("tenants")
    sizes = Sizes() if tenants is None else Sizes(tenants=tenants)
    with watching("Measuring", lambda: _PARTS_OF_SPEED, quiet=call.as_json) as seen:
        report = measure(sizes, progress=lambda done, _: seen(done))
    lines = cast("list[dict[str, Cell]]", report["lines"])
    rows = tuple(tuple(line[column] for column in _SPEED) for line in lines)
    machine = ", ".join(
        f"{name} {value}" for name, value in cast("dict[str, Json]", report["machine"]).items()
    )
    return Outcome(
        document=report, pieces=(Grid(columns=_SPEED, rows=rows), Line(text=machine, tone="quiet"))
    )


def _recall(call: Call) -> Outcome:
    from lukasa.bench.recall import measure  # noqa: PLC0415 - measuring is rare
    from lukasa.bench.talks import HAYSTACK  # noqa: PLC0415 - see above

    paths = call.texts("paths")
    if not paths:
        raise UsageError("No file was named to measure on.", fix="lukasa bench recall locomo.json")
    reports: list[Json] = []
    pieces: list[Piece] = []
    for path in paths:
        with watching(Path(path).name, lambda: None, quiet=call.as_json) as seen:
            report = measure(
                Path(path),
                settings=Settings(embedding=call.text("embedder")),
                limit=call.number("limit"),
                haystack=call.number("haystack") or HAYSTACK,
                progress=lambda done, _, seen=seen: seen(done),
            )
        reports.append(report)
        pieces += _table(report)
    return Outcome(document={"embedder": call.text("embedder"), "files": reports}, pieces=tuple(pieces))


def _table(report: dict[str, Json]) -> tuple[Piece, ...]:
    """The figures of a file: of all its questions, then of each type."""
    types = cast("dict[str, dict[str, Json]]", report["by type"])
    figures = {"all": report, **types}
    rows = tuple(
        (name, *(cast("Cell", row.get(column)) for column in _SHOWN)) for name, row in figures.items()
    )
    times = ", ".join(
        f"{name.removeprefix('ms ')} {report[name]} ms" for name in ("ms p50", "ms p95", "ms CPU")
    )
    return (
        Line(text=f"{report['file']} ({report['style']}, {report['talks']} talks)", tone="title"),
        Grid(columns=("type", *_SHOWN), rows=rows),
        Line(text=f"A question takes {times}.", tone="quiet"),
    )


COMMANDS = {
    "bench": Command(
        about="`bench recall` remembers the turns of each conversation in a store of its own, asks its\n"
        "questions, and says how many of the turns and sessions that hold the answer are among the first\n"
        "hits. The two forms of file are told apart by what they hold. `bench speed` takes some minutes.\n"
        "Nothing of your store is read.",
        examples=(
            "lukasa bench recall locomo.json",
            "lukasa bench recall locomo.json longmemeval.json --embedder none --json",
            "lukasa bench speed --tenants 1000",
        ),
        arguments=_arguments,
        run=_run,
    ),
}
