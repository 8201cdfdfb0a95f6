"""Out and in: `export`, `import`.

An export never replaces the store itself, and another file only with `--force`. To and from `-`
the bytes go through a private temporary file, so that nothing half made is ever passed on.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lukasa.cli.command import Command
from lukasa.cli.literal import counted, json_literal
from lukasa.cli.pieces import Line, Outcome
from lukasa.cli.progress import watching
from lukasa.errors import UsageError
from lukasa.operations.answers import Exported, exported_document, intaken_document
from lukasa.operations.keeping import check_apart

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Generator

    from lukasa.cli.call import Call
    from lukasa.entries.records import Intaken
    from lukasa.memory import Store

STANDARD = "-"
_ENTRIES = ("entry", "entries")
_LINKS = ("link", "links")


def _export_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="where to; a folder for markdown; - is standard output")
    parser.add_argument(
        "--format",
        choices=("jsonl", "json", "markdown"),
        default="jsonl",
        help="jsonl keeps everything; json is a plain array; markdown is one file an entry [jsonl]",
    )
    parser.add_argument("--force", action="store_true", help="replace what is there")


def _export(call: Call) -> Outcome:
    target = call.text("file")
    if target == STANDARD:
        return _export_to_stdout(call)
    with call.store() as store:
        _check_target(Path(target), store, force=call.flag("force"))
        count = _write_out(call, store, Path(target))
    return Outcome(
        document=exported_document(Exported(count, target, call.text("format"))),
        pieces=(Line(text=f"Exported {counted(count, *_ENTRIES)} to {target}", tone="good"),),
    )


def _check_target(target: Path, store: Store, *, force: bool) -> None:
    """Refuses to write over the store, and, unless it is forced, over anything."""
    check_apart(store, str(target))
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder {target.parent}.", fix="Make it first.")
    taken = any(target.iterdir()) if target.is_dir() else target.exists()
    if taken and not force:
        raise UsageError(f"{target} is there already.", fix="Choose another, or replace it with --force.")


def _export_to_stdout(call: Call) -> Outcome:
    if call.as_json or call.text("format") == "markdown":
        what = "--json says how an export went" if call.as_json else "A markdown export is a folder"
        raise UsageError(f"{what}; standard output takes the export itself.", fix="Give a file name.")
    with TemporaryDirectory(prefix="lukasa-") as folder, call.store() as store:
        written = Path(folder) / "export"
        count = _write_out(call, store, written)
        with written.open(encoding="utf-8") as lines:
            for line in lines:
                sys.stdout.write(json_literal(line.removesuffix("\n")) + "\n")
    return Outcome(
        document=None, pieces=(), notes=(Line(text=f"Exported {counted(count, *_ENTRIES)}", tone="quiet"),)
    )


def _write_out(call: Call, store: Store, target: Path) -> int:
    agent = call.maybe("agent")

    def entries() -> int:
        return store.stats().entries if agent is None else store.agent(agent).stats().entries

    with watching("Exporting", entries, quiet=call.as_json) as moved:
        done = 0

        def seen(_: object) -> None:
            nonlocal done
            done += 1
            moved(done)

        return store.export(target, form=call.text("format"), agent=agent, progress=seen)


def _import_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="an export in any of its formats; - is standard input")
    parser.add_argument("--dry-run", action="store_true", help="only say what would come in")


def _import(call: Call) -> Outcome:
    rehearsal = call.flag("dry_run")
    with (
        _source(call.text("file")) as source,
        call.store() as store,
        watching("Importing", lambda: _records_in(source), quiet=call.as_json) as moved,
    ):
        came = store.import_(source, agent=call.maybe("agent"), dry_run=rehearsal, progress=moved)
    return Outcome(
        document={"file": call.text("file"), **intaken_document(came), "dry_run": rehearsal},
        pieces=(Line(text=_said(came, rehearsal=rehearsal), tone="good"),),
    )


def _said(came: Intaken, *, rehearsal: bool) -> str:
    verb = "Would import" if rehearsal else "Imported"
    entries, links = counted(came.added, *_ENTRIES), counted(came.links, *_LINKS)
    said = f"{verb} {entries} and {links}; {came.known} were known already"
    if came.links_without_end:
        said += f"; left out {counted(came.links_without_end, *_LINKS)} to what is not here"
    return f"{said}."


@contextmanager
def _source(name: str) -> Generator[Path]:
    if name != STANDARD:
        yield Path(name)
        return
    with TemporaryDirectory(prefix="lukasa-") as folder:
        spooled = Path(folder) / "standard-input"
        with spooled.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield spooled


def _records_in(source: Path) -> int | None:
    """How many records there are, where that can be known without reading them."""
    if source.is_dir():
        return sum(1 for _ in source.rglob("*.md"))
    if not os.access(source, os.R_OK):
        return None
    with source.open("rb") as file:
        if file.read(1) == b"[":
            return None
        file.seek(0)
        return sum(1 for line in file if line.strip())


COMMANDS = {
    "export": Command(
        about="JSON lines keep everything: ids, names, links, history. With --agent, that agent's own only.",
        examples=(
            "lukasa export memory.jsonl",
            "lukasa export notes --format markdown --agent ana",
            "lukasa export - | gzip > memory.jsonl.gz",
        ),
        arguments=_export_arguments,
        run=_export,
    ),
    "import": Command(
        about="What is there already is left alone, so the same import twice changes nothing. With --agent\n"
        "all of it becomes that agent's own; without, it goes where it was recorded.",
        examples=(
            "lukasa import memory.jsonl --dry-run",
            "lukasa import memory.jsonl",
            "lukasa import notes --agent ana",
            "lukasa export - | lukasa import - --store copy.lukasa",
        ),
        arguments=_import_arguments,
        run=_import,
    ),
}
