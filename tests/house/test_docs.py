"""The documents are true: examples run and give what they show, links lead somewhere, nothing is missing.

A ```python block is run, and the ```text block right under it is what it prints. A ```console block is run
too: `$` begins a command, the lines under it are what it says; `...` stands for whatever changes, and any
white space for any other. Blocks of one document follow on from each other, in a folder of their own. ```sh
blocks are only to be read.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import lukasa
from lukasa.cli.overview import HELP
from lukasa.cli.parser import find_command, parse

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
POSTGRES_IN_DOCS = "postgresql://ana@localhost/memory"
MARK = "---- next block ----"
ROUGHLY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n(?:\n^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
# The folders of the machine that this is written on; the alternatives keep this line from finding itself.
MACHINE_PATH = re.compile(r"(?<![\w.~:/-])/(?:root|work|tmp/w)(?:/|\b)")
INDEX_HOST = re.compile(r"(?:pypi|pythonhosted|npmjs)\.(?:org|com)\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """One step of a document: what is run, and what it prints."""

    code: str
    shown: str


def examples_of(document: str, language: str) -> list[Example]:
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = [match.groups(default="") for match in BLOCK.finditer(text)]
    found = [(code, shown) for kind, code, shown in blocks if kind == language]
    if language == "console":
        found = [step for code, _ in found for step in commands_of(code)]
    return [Example(code=code, shown=shown) for code, shown in found]


def commands_of(console: str) -> list[tuple[str, str]]:
    """The commands of a ```console block, each with the lines under it."""
    steps = re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]
    return [(command, shown) for command, _, shown in (step.partition("\n") for step in steps)]


def environment(folder: Path) -> dict[str, str]:
    """The reader's: our command on the path, a home of its own, no store named yet."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LUKASA_")}
    here = str(Path(sys.executable).parent)
    return kept | {
        "PATH": f"{here}{os.pathsep}{kept['PATH']}",
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }


def run(command: list[str], folder: Path) -> list[str]:
    """What each step printed, on either stream."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout.split(f"{MARK}\n")


def compare(examples: list[Example], printed: list[str]) -> None:
    for example, output in zip(examples, printed, strict=False):
        same = doctest.OutputChecker().check_output(example.shown, output, ROUGHLY)
        assert same, f"{example.code}\nshows\n{example.shown}\nand prints\n{output}"


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if examples_of(name, "python")])
def test_python_examples_run_and_print_what_they_show(
    document: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    examples = examples_of(document, "python")
    code = f"print({MARK!r})\n".join(example.code for example in examples)
    if POSTGRES_IN_DOCS in code:
        code = code.replace(POSTGRES_IN_DOCS, request.getfixturevalue("postgres_url"))
    compare(examples, run([sys.executable, "-c", code], tmp_path))


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if examples_of(name, "console")])
def test_commands_run_and_say_what_is_shown(
    document: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    examples = examples_of(document, "console")
    script = f"echo '{MARK}'\n".join(f"{example.code}\n" for example in examples)
    if POSTGRES_IN_DOCS in script:
        script = script.replace(POSTGRES_IN_DOCS, request.getfixturevalue("postgres_url"))
    compare(examples, run(["bash", "-euc", script], tmp_path))


def test_there_are_examples_in_the_first_pages() -> None:
    for document in ("README.md", "docs/quickstart.md", "docs/how-to.md"):
        assert examples_of(document, "python"), f"show the library in {document}"
        assert examples_of(document, "console"), f"show the command in {document}"


def test_every_command_is_documented_as_it_is() -> None:
    made = subprocess.run(
        [sys.executable, "tools/commands.py"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert (ROOT / "docs/commands.md").read_text(encoding="utf-8") == made, "run `make docs`"


@pytest.mark.parametrize("name", HELP)
def test_the_examples_of_a_command_are_understood(name: str) -> None:
    for example in find_command(name).examples:
        ours = [part for part in re.split(r"[|<>]", example) if part.strip().startswith("lukasa")]
        assert ours, f"an example of {name} without lukasa: {example}"
        for command in ours:
            _, other, *arguments = shlex.split(command)
            parse(other, arguments)


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings."""
    headings = HEADING.findall(path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    here = ROOT / document
    for link in LINK.findall(here.read_text(encoding="utf-8")):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = here.parent / name if name else here
        assert target.exists(), f"{document} links to {link}, which is not there"
        assert not anchor or anchor in anchors(target), f"{document}: {link} names no heading"


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if name.startswith("docs/")])
def test_every_document_can_be_found(document: str) -> None:
    others = [ROOT / name for name in DOCUMENTS if name != document]
    linked = {
        (other.parent / link.partition("#")[0]).resolve()
        for other in others
        for link in LINK.findall(other.read_text(encoding="utf-8"))
        if "://" not in link
    }
    assert (ROOT / document).resolve() in linked, f"link {document} from a page that readers come by"


def test_the_readme_has_no_badge() -> None:
    assert "![" not in (ROOT / "README.md").read_text(encoding="utf-8"), "say it in words"


def test_the_changelog_speaks_of_this_version() -> None:
    headings = HEADING.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert any(heading.split()[0] == lukasa.__version__ for heading in headings), "write what is new in it"


def test_no_file_names_a_place_on_somebodys_machine(tracked: list[Path]) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()[:80]}"
        for path in tracked
        for line in path.read_text(encoding="utf-8").splitlines()
        if MACHINE_PATH.search(line) or INDEX_HOST.search(line)
    ]
    assert not found, f"name it without the machine, or the package without its host: {found}"
