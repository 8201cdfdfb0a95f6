"""What is installed is whole: the command, the SQL, the mark for type checkers; and the pins cover it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"[A-Za-z0-9_.-]+")
PINS = [
    line
    for line in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def run(*command: str | Path, cwd: Path) -> str:
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "LUKASA_STORE"}}
    done = subprocess.run(
        command, cwd=cwd, env=kept, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.slow
def test_an_install_into_an_empty_environment_works(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    here = tmp_path / "venv" / "bin"
    run(
        here / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "-c",
        ROOT / "requirements-dev.txt",
        ROOT,
        cwd=tmp_path,
    )
    run(here / "lukasa", "remember", "It works.", "--store", "new.lukasa", cwd=tmp_path)
    assert "Sound: 1 " in run(here / "lukasa", "check", "--store", "new.lukasa", cwd=tmp_path)
    where = run(here / "python", "-c", "import lukasa; print(lukasa.__path__[0])", cwd=tmp_path).strip()
    assert Path(where).is_relative_to(tmp_path), "the test must look at the installed package, not at ours"
    source = ROOT / "src" / "lukasa"
    assert shipped_in(Path(where)) == shipped_in(source)


def shipped_in(folder: Path) -> set[Path]:
    """What is no code and must still be there: queries, plugins, the mark for types."""
    wanted = {".sql", ".typed", ".json", ".md", ".sh"}
    return {path.relative_to(folder) for path in folder.rglob("*") if path.suffix in wanted}


def test_the_core_asks_for_the_postgres_extra_by_name(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "import lukasa\n"
        "try: lukasa.open('postgresql://localhost/x')\n"
        "except lukasa.LukasaError as error: print(error)"
    )
    assert "pip install 'lukasa[postgres]'" in run(sys.executable, "-c", code, cwd=tmp_path)


def requirements() -> set[str]:
    """The names of all packages that the project asks for by itself, for use and for development."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras: dict[str, list[str]] = project["project"]["optional-dependencies"]
    asked: list[str] = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    asked += [requirement for extra in extras.values() for requirement in extra]
    names = [match[0].lower() for requirement in asked if (match := NAME.match(requirement))]
    return set(names) - {"lukasa"}


def test_every_requirement_is_pinned() -> None:
    pinned = {match[0].lower() for line in PINS if (match := NAME.match(line))}
    assert requirements() <= pinned, f"run `make pins`: {requirements() - pinned}"


def test_every_pin_is_exact_and_names_no_address() -> None:
    loose = [line for line in PINS if "==" not in line or "://" in line or line.startswith("-")]
    assert not loose, f"run `make pins`: {loose}"
