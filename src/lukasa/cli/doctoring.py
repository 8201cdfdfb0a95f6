"""`doctor`: what is installed, whether the store is well, who uses it, and what to do about what is not.

Nothing is changed. What only could be better is a note; what is wrong makes the exit code 1.
"""

from __future__ import annotations

import os
import platform
import re
from difflib import get_close_matches
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from lukasa import __version__
from lukasa.cli.command import Command
from lukasa.cli.literal import counted
from lukasa.cli.pieces import Line, Outcome
from lukasa.cli.progress import watching
from lukasa.config import settings_from
from lukasa.db import is_postgres
from lukasa.errors import LukasaError

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Piece, Tone
    from lukasa.db.database import Json
    from lukasa.hooks.contracts import Assistant
    from lukasa.memory import Store

State = Literal["good", "note", "wrong"]
_TONES: dict[State, Tone] = {"good": "good", "note": "quiet", "wrong": "bad"}
_MARKS: dict[State, str] = {"good": "ok", "note": "note", "wrong": "wrong"}
_GROUPS = {
    "software": "Software",
    "settings": "Settings",
    "store": "Store",
    "assistants": "Coding assistants",
}
_FOR_PROGRAMMERS = {"all", "testing"}
_MEGABYTE = 1 << 20
_OTHERS = 0o077
# A store of up to so many entries is checked whole; a larger one takes longer than a look should.
_SMALL = 5_000
_KNOWN = ("LUKASA_STORE", "LUKASA_AGENT", "LUKASA_EMBEDDING", "LUKASA_LANGUAGE")


class Finding(NamedTuple):
    """One thing that was looked at, how it is, and what to do about it."""

    group: str
    state: State
    text: str
    fix: str = ""

    def plain(self) -> dict[str, Json]:
        """The finding as JSON."""
        return {"group": self.group, "state": self.state, "text": self.text, "fix": self.fix}


def _no_arguments(_: ArgumentParser) -> None:
    """A command that only needs a store."""


def _doctor(call: Call) -> Outcome:
    findings = [*_software(), *_settings(call), *_store(call), *_assistants()]
    wrong = [finding for finding in findings if finding.state == "wrong"]
    pieces: list[Piece] = []
    for group, title in _GROUPS.items():
        found = [piece for finding in findings if finding.group == group for piece in _shown(finding)]
        pieces += [Line(text=title, tone="title"), *found] if found else []
    said = "Nothing is wrong." if not wrong else f"{counted(len(wrong), 'thing is', 'things are')} wrong."
    return Outcome(
        document={"ok": not wrong, "findings": [finding.plain() for finding in findings]},
        pieces=tuple(pieces),
        notes=(Line(text=said),),
        code=1 if wrong else 0,
    )


def _shown(finding: Finding) -> Iterator[Piece]:
    yield Line(text=f"  {_MARKS[finding.state]:<5} {finding.text}", tone=_TONES[finding.state])
    if finding.fix:
        yield Line(text=f"        {finding.fix}", tone="quiet")


def _software() -> Iterator[Finding]:
    import apsw  # noqa: PLC0415 - only the doctor asks for versions

    python = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield Finding("software", "good", f"Lukasa {__version__}, {python}")
    numpy = metadata.version("numpy")
    yield Finding("software", "good", f"SQLite {apsw.sqlite_lib_version()} (in APSW), numpy {numpy}")
    for extra, packages in sorted(_extras().items()):
        lacking = [package for package in packages if not _is_installed(package)]
        if not lacking:
            yield Finding("software", "good", f"lukasa[{extra}] is installed")
        else:
            text = f"lukasa[{extra}] is not installed ({', '.join(lacking)})"
            yield Finding("software", "note", text, f"If you want it: pip install 'lukasa[{extra}]'")


def _extras() -> dict[str, list[str]]:
    """The packages that each optional part asks for; none, where we run without having been installed."""
    try:
        asked = metadata.requires("lukasa") or []
    except metadata.PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {}
    for line in asked:
        name, extra = re.match(r"[\w.-]+", line), re.search(r"""extra\s*==\s*["']([\w-]+)""", line)
        if name and extra and extra[1] not in _FOR_PROGRAMMERS and name[0] != "lukasa":
            found.setdefault(extra[1], []).append(name[0])
    return found


def _is_installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _settings(call: Call) -> Iterator[Finding]:
    place = call.place()
    for name, given, value in (
        ("store", call.maybe("store"), _without_password(place.store)),
        ("agent", call.maybe("agent"), place.agent),
    ):
        yield Finding("settings", "good", f"{name}: {value} ({_source(name, given)})")
    settings = settings_from()
    yield Finding("settings", "good", f"embedding: {settings.embedding} ({_source('embedding', None)})")
    language = settings.language or "the store's own"
    yield Finding("settings", "good", f"language: {language} ({_source('language', None)})")
    for name in sorted(os.environ):
        if name.startswith("LUKASA_") and name not in _KNOWN and not name.startswith("LUKASA_TEST_"):
            near = get_close_matches(name, _KNOWN, n=1)
            fix = f"Did you mean {near[0]}?" if near else f"Known are {', '.join(_KNOWN)}."
            yield Finding("settings", "note", f"{name} is set, and nothing reads it", fix)


def _source(name: str, given: str | None) -> str:
    variable = f"LUKASA_{name.upper()}"
    return f"--{name}" if given else variable if os.environ.get(variable) else "by default"


def _without_password(store: str) -> str:
    return re.sub(r"(://[^:/@]*):[^@/]*@", r"\1:***@", store)


def _store(call: Call) -> Iterator[Finding]:
    place = call.place().store
    if not is_postgres(place):
        path = Path(place)
        if not path.exists():
            text = "there is no store yet; the first `lukasa remember` makes it"
            yield Finding("store", "note", text, 'lukasa remember "The user prefers short answers."')
            return
        yield from _file(path)
    try:
        with call.store() as store:
            yield from _contents(store, quiet=call.as_json)
    except LukasaError as error:
        yield Finding("store", "wrong", error.message, error.fix)


def _file(path: Path) -> Iterator[Finding]:
    seen = path.stat()
    size = f"{seen.st_size / _MEGABYTE:,.1f} MB"
    if not os.access(path, os.W_OK):
        yield Finding("store", "wrong", f"the file cannot be written ({size})", f"chmod u+w {path}")
    elif seen.st_mode & _OTHERS:
        text = f"others on this machine can read the file ({size})"
        yield Finding("store", "wrong", text, f"chmod 600 {path}")
    else:
        yield Finding("store", "good", f"the file is private ({size})")


def _contents(store: Store, *, quiet: bool) -> Iterator[Finding]:
    stats, index = store.stats(), store.index_state()
    entries = counted(stats.entries, "entry", "entries")
    agents = counted(stats.agents, "agent", "agents")
    yield Finding("store", "good", f"{entries} of {agents} in {counted(stats.spaces, 'space', 'spaces')}")
    yield Finding("store", "good", f"schema {store.schema}, which is this release's")
    model = index.model or "no model: found by words alone"
    yield Finding(
        "store", "good", f"index: {index.language}, {model}, {counted(index.pieces, 'piece', 'pieces')}"
    )
    yield from _model(store)
    if index.pending or index.coming:
        text = f"{counted(index.pending, 'entry waits', 'entries wait')} for vectors"
        yield Finding("store", "note", text, "lukasa reindex")
    if index.dead or (index.without_vector and not index.pending and not index.coming):
        lacking = counted(index.dead or index.without_vector, "text has", "texts have")
        text = f"{lacking} no vector, and none comes"
        yield Finding("store", "wrong", text, "lukasa reindex")
    if stats.entries > _SMALL:
        yield Finding("store", "note", "too large to be checked in passing", "lukasa check")
        return
    with watching("Checking", lambda: stats.entries, quiet=quiet) as moved:
        verdict = store.check(progress=moved)
    if verdict.ok:
        yield Finding("store", "good", f"sound: {verdict.checks} checks, no problems")
    for problem in verdict.problems:
        yield Finding("store", "wrong", problem, "Keep a copy of the store, then: lukasa check")


def _model(store: Store) -> Iterator[Finding]:
    """Whether the store's model of meaning can be had."""
    try:
        model = store.model()
    except LukasaError as error:
        yield Finding("store", "wrong", error.message, error.fix)
        return
    if model is not None:
        yield Finding("store", "good", f"the model {model} can be used")


def _assistants() -> Iterator[Finding]:
    from lukasa.hooks.contracts import ASSISTANTS  # noqa: PLC0415 - the doctor alone looks at all of them
    from lukasa.hooks.record import record_file  # noqa: PLC0415 - see above

    for assistant in ASSISTANTS:
        yield from _assistant(assistant)
    path = record_file()
    if path.is_file() and (lines := path.read_text(encoding="utf-8", errors="replace").splitlines()):
        yield Finding("assistants", "note", f"hooks noted, last: {lines[-1]}", f"See {path}")


def _assistant(assistant: Assistant) -> Iterator[Finding]:
    from lukasa.install.assistants import targets  # noqa: PLC0415 - see above
    from lukasa.install.present import is_missing, programs  # noqa: PLC0415 - see above

    files = targets(assistant, None)
    if not any(target.path.parent.exists() and target.path.parent != Path.home() for target in files):
        return
    try:
        absent = [str(target.path) for target in files if is_missing(assistant, target)]
        gone = sorted({name for target in files for name in programs(target) if not _runs(name)})
    except LukasaError as error:
        yield Finding("assistants", "note", error.message, error.fix)
        return
    fix = f"lukasa install {assistant}"
    if len(absent) == len(files):
        yield Finding("assistants", "note", f"{assistant} is here and has no memory", fix)
    elif absent:
        yield Finding("assistants", "wrong", f"{assistant}: {', '.join(absent)} lacks its part", fix)
    elif gone:
        yield Finding("assistants", "wrong", f"{assistant} calls {', '.join(gone)}, which is not there", fix)
    else:
        yield Finding("assistants", "good", f"{assistant} has its server and its hooks")


def _runs(program: str) -> bool:
    from shutil import which  # noqa: PLC0415 - see above

    return which(program) is not None


COMMANDS = {
    "doctor": Command(
        about="What is installed, which settings hold and from where, how the store is, which coding\n"
        "assistants use it. Each thing that is wrong comes with what to do; then the exit code is 1.",
        examples=("lukasa doctor", "lukasa doctor --store backup.lukasa --json"),
        arguments=_no_arguments,
        run=_doctor,
    ),
}
