"""`demo`: the main job, told in real commands on a store of its own.

Each step is a command line that goes the way of any other; what is shown is what it answered.
"""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lukasa.cli.command import Command
from lukasa.cli.literal import counted
from lukasa.cli.parser import perform
from lukasa.cli.pieces import Inset, Line, Outcome
from lukasa.cli.show import error_document
from lukasa.errors import LukasaError, NotFoundError, UsageError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Generator

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Piece
    from lukasa.db.database import Json

_FILE = "demo.lukasa"
_SECRET_PHRASE = "the rehearsal dinner is at Marlow's"  # noqa: S105 - a phrase to look for, not a password


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """What is done next and why; `refused` where the point is that it fails."""

    say: str
    commands: tuple[str, ...]
    refused: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Chapter:
    """Steps under one heading."""

    title: str
    steps: tuple[Step, ...]


_CHAPTERS = (
    Chapter(
        title="Two agents remember",
        steps=(
            Step(
                say="Ana remembers three things. Kind and life span are seen from the words.",
                commands=(
                    'remember "The user prefers short answers." --name style --agent ana',
                    'remember "Deploy with make release; watch errors." --name deploy --tag ops --agent ana',
                    'remember "todo: renew the TLS certificate" --name certificate --tag ops --agent ana',
                ),
            ),
            Step(
                say="Ben has a memory of his own, and shares a project with Ana.",
                commands=(
                    'remember "We decided to write billing in Go." --agent ben',
                    'remember "The API is frozen until June." --scope project/apollo --agent ben',
                ),
            ),
            Step(
                say="The same thing again is not kept twice; it is seen once more.",
                commands=('remember "The user prefers short answers." --name style --agent ana',),
            ),
            Step(
                say="What is Ana's alone cannot be had by Ben.",
                commands=("get deploy --agent ben",),
                refused=True,
            ),
            Step(
                say="What they share, she reads as her own.",
                commands=("list --share project/apollo --agent ana",),
            ),
        ),
    ),
    Chapter(
        title="The best answer, explained",
        steps=(
            Step(
                say="A question in other words finds what was meant: a model of meaning is inside.",
                commands=('recall "how long may a reply be" --limit 1 --agent ana',),
            ),
            Step(
                say="Every answer can be explained, reason by reason.",
                commands=('recall "when does the certificate expire" --limit 1 --explain --agent ana',),
            ),
            Step(
                say="So can every answer that did not come.",
                commands=('why style "when does the certificate expire" --limit 1 --agent ana',),
            ),
        ),
    ),
    Chapter(
        title="Names and links",
        steps=(
            Step(
                say="An alias is one more name; a rename keeps it, and everything else.",
                commands=("alias deploy ship --agent ana", "rename deploy release --agent ana"),
            ),
            Step(
                say="Links say how things hang together.",
                commands=("link release depends_on certificate --agent ana", "links ship --agent ana"),
            ),
        ),
    ),
    Chapter(
        title="Nothing changes without a trace",
        steps=(
            Step(
                say="Ana rewrites the text, looks at its history, and takes the change back.",
                commands=(
                    'write ship "Deploy on Fridays." --agent ana',
                    "history ship --agent ana",
                    "undo ship --agent ana",
                ),
            ),
            Step(
                say="A todo is done.", commands=("complete certificate --agent ana", "get ship --agent ana")
            ),
        ),
    ),
    Chapter(
        title="Forgetting is erasing",
        steps=(
            Step(
                say="Something private is remembered. It stands in the file.",
                commands=(f'remember "Between us: {_SECRET_PHRASE}." --name private --agent ana',),
            ),
            Step(
                say="It is forgotten, with a receipt.",
                commands=("forget private --agent ana",),
            ),
        ),
    ),
    Chapter(
        title="The store proves itself",
        steps=(Step(say="Everything that can be verified is.", commands=("agents", "check")),),
    ),
)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--keep", metavar="DIR", help="keep the demo's store in this folder, to try on")


def _run(call: Call) -> Outcome:
    with _folder(call.maybe("keep")) as folder:
        store = folder / _FILE
        pieces: list[Piece] = [
            Line(text="Lukasa: durable memory for AI agents", tone="title"),
            Line(text="Every line under a $ is a real command on a fresh store, and its real answer."),
        ]
        steps: list[Json] = []
        for chapter in _CHAPTERS:
            pieces += [Line(text=""), Line(text=chapter.title, tone="title")]
            for step in chapter.steps:
                _take(step, store, pieces, steps)
                _look_for_phrase(step, store, pieces, steps)
    kept = call.maybe("keep")
    return Outcome(
        document={"steps": steps, "store": None if kept is None else str(store)},
        pieces=(*pieces, *_next(None if kept is None else store)),
    )


@contextmanager
def _folder(keep: str | None) -> Generator[Path]:
    if keep is None:
        with TemporaryDirectory(prefix="lukasa-demo-") as folder:
            yield Path(folder)
        return
    folder = Path(keep).expanduser()
    if (folder / _FILE).exists():
        raise UsageError(f"There is a demo in {folder} already.", fix="Name another folder, or delete it.")
    yield folder


def _take(step: Step, store: Path, pieces: list[Piece], steps: list[Json]) -> None:
    """Runs the commands of a step and puts down what they said."""
    pieces += [Line(text=""), Line(text=step.say)]
    for command in step.commands:
        pieces.append(Line(text=f"lukasa {command}", tone="command"))
        try:
            name, *arguments = shlex.split(command)
            _, outcome = perform(name, [*arguments, "--store", str(store)])
        except NotFoundError as error:
            if not step.refused:
                raise
            pieces.append(Inset((Line(text=f"error: {error.message}", tone="bad"),)))
            steps.append({"say": step.say, "command": f"lukasa {command}", **_failure(error)})
            continue
        pieces.append(Inset(outcome.pieces))
        steps.append({"say": step.say, "command": f"lukasa {command}", "result": outcome.document})


def _failure(error: LukasaError) -> dict[str, Json]:
    document = error_document(error)
    return document if isinstance(document, dict) else {}


def _look_for_phrase(step: Step, store: Path, pieces: list[Piece], steps: list[Json]) -> None:
    """Around the forgetting: whether the bytes of the file hold the phrase."""
    if not any("private" in command.split() for command in step.commands):
        return
    files = [path for path in store.parent.iterdir() if path.is_file()]
    count = sum(path.read_bytes().count(_SECRET_PHRASE.encode()) for path in files)
    said = f"The phrase stands {counted(count, 'time', 'times')} in the bytes of the store."
    pieces.append(Inset((Line(text=said, tone="quiet"),)))
    steps.append({"say": said, "occurrences": count})


def _next(store: Path | None) -> tuple[Piece, ...]:
    place = f"--store {shlex.quote(str(store))} " if store else ""
    tries = (
        f'lukasa {place}remember "The user lives in Madrid." --name home',
        f'lukasa {place}recall "in which city is she at home" --explain',
        f"lukasa {place}list",
        f"lukasa {place}get home --json",
        f"lukasa {place}export memory.jsonl",
        "lukasa --help",
    )
    kept = f"This store is kept: {store}" if store else "This store is gone; with --keep DIR it stays."
    return (
        Line(text=""),
        Line(text="What to try next", tone="title"),
        Line(text=kept),
        *(Line(text=line, tone="command") for line in tries),
    )


COMMANDS = {
    "demo": Command(
        about="Takes a second, needs nothing, and leaves nothing behind unless you say --keep.",
        examples=("lukasa demo", "lukasa demo --keep ./try-lukasa"),
        arguments=_arguments,
        run=_run,
    ),
}
