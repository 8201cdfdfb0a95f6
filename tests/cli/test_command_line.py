"""What holds for every command: global options, environment, errors, exit codes, start."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from lukasa.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

import lukasa


def test_global_options_stand_before_or_after_the_command(cli: Cli, tmp_path: Path) -> None:
    other = str(tmp_path / "other.lukasa")
    cli.ok("--store", other, "--agent", "ana", "remember", "one", "--json")
    cli.ok("remember", "two", "--store", other, "--agent=ana")
    cli.ok(f"--store={other}", "--json", "remember", "three", "--agent", "ana")
    assert len(cli.entries("--store", other, "--agent", "ana")) == 3
    assert not cli.exists()
    with lukasa.open(other) as store:
        assert store.check().problems == ()


def test_the_environment_names_store_and_agent_and_options_win(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUKASA_AGENT", "ana")
    assert cli.json("remember", "one")["agent_id"] == "ana"
    assert cli.json("remember", "one", "--agent", "ben")["agent_id"] == "ben"
    elsewhere = tmp_path / "elsewhere.lukasa"
    monkeypatch.setenv("LUKASA_STORE", str(elsewhere))
    assert cli.entries() == []
    cli.ok("remember", "two")
    assert elsewhere.exists()


def test_without_any_word_the_store_is_in_the_users_data_folder(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LUKASA_STORE")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home" / "data"))
    said = cli.process("remember", "one", "--json")
    assert said.document["agent_id"] == "main"
    [made] = (tmp_path / "home").rglob("memory.lukasa")
    assert made.parent.name == "lukasa"
    assert not cli.exists()


@pytest.mark.parametrize("option", ["--store", "--agent"])
def test_an_option_that_was_given_as_nothing_is_no_default(cli: Cli, option: str) -> None:
    refused = cli("remember", "one", option, "")
    assert refused.code == 2
    assert f"{option} was given as an empty text" in refused.err
    assert not cli.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["forgt", "x"], "Did you mean `lukasa forget`?"),
        (["--agent", "ana", "remeber", "x"], "Did you mean `lukasa remember`?"),
        (["zzz"], "`lukasa --help` shows them all"),
        (["--json"], "A command was wanted"),
        (["help", "lst"], "Did you mean `lukasa list`?"),
        (["list", "--tagg", "x"], "Did you mean --tag?"),
        (["list", "--tags=x"], "Did you mean --tag?"),
        (["list", "-5"], "A text that begins with - goes after --"),
        (["remember", "--sto", "x", "y"], "--sto"),
        (["get", "a", "b"], "Put a text of several words in quotes"),
        (["get"], "the following arguments are required: REF"),
        (["list", "--limit", "many"], "invalid int value: 'many'"),
        (["list", "--limit"], "expected one argument"),
        (["--store"], "A command was wanted"),
    ],
)
def test_a_call_that_is_wrong_ends_with_two_and_says_what_to_do(
    cli: Cli, arguments: list[str], says: str
) -> None:
    refused = cli(*arguments)
    assert refused.code == 2
    assert says.lower() in _in_words(refused.err).lower()
    assert "Traceback" not in refused.err
    as_json = cli("--json", *arguments)
    assert as_json.code == 2
    assert as_json.out == ""
    assert set(as_json.error) == {"type", "message", "fix"}
    assert says.lower() in f"{as_json.error['message']} {as_json.error['fix']}".lower()
    assert not cli.exists()


def _in_words(error: str) -> str:
    if error.startswith("{"):
        document = json.loads(error)["error"]
        return f"{document['message']} {document['fix']}"
    return error


@pytest.mark.parametrize("content", [b"", b"not a store\n" * 100, b"SQLite format 3\x00" + b"\x01" * 4096])
def test_a_file_that_is_not_a_store_is_left_as_it_is(cli: Cli, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    for command in (["list"], ["check"], ["remember", "one"], ["forget", "--agent", "a", "--all", "--yes"]):
        refused = cli(*command, "--store", str(path), "--json")
        assert refused.code == 1
        assert refused.error["type"] in {"StoreForeignError", "StoreDamagedError"}
        assert refused.error["fix"]
    assert path.read_bytes() == content


def test_a_store_at_an_address_that_nobody_serves_is_refused(cli: Cli, tmp_path: Path) -> None:
    refused = cli("remember", "one", "--store", "mysql://localhost/memory")
    assert refused.code == 2
    assert refused.err.startswith("error: A store cannot be opened by mysql://.")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_not_a_store(cli: Cli, tmp_path: Path) -> None:
    refused = cli("list", "--store", str(tmp_path))
    assert refused.code == 2
    assert "found a folder" in refused.err


def test_the_version_is_said_in_words_and_in_json(cli: Cli) -> None:
    assert cli.ok("--version").out == f"lukasa {lukasa.__version__}\n"
    assert cli.ok("list", "--version").out == f"lukasa {lukasa.__version__}\n"
    assert cli.ok("--version", "--json").document == {"version": lukasa.__version__}


def test_the_command_is_installed_under_its_name(cli: Cli) -> None:
    from importlib.metadata import entry_points  # noqa: PLC0415 - only this test reads them

    [script] = entry_points(group="console_scripts", name="lukasa")
    assert script.value == "lukasa.cli:main"
    assert script.load() is main
    assert cli.process("--version").out == f"lukasa {lukasa.__version__}\n"


def test_a_process_ends_with_the_same_codes(cli: Cli) -> None:
    assert cli.process("remember", "one").code == 0
    assert cli.process("get", "nobody").code == 1
    refused = cli.process("remember", " ")
    assert refused.code == 2
    assert refused.out == ""
    assert refused.err.startswith("error: ")


def test_ctrl_c_ends_with_130_and_writes_nothing(cli: Cli) -> None:
    command = [sys.executable, "-m", "lukasa", "remember", "-"]
    # A shell that runs the tests in the background has them ignore the signal, and a child inherits that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert said == "\nStopped.\n"
    assert not cli.exists()


def test_a_reader_that_leaves_early_is_no_error(cli: Cli) -> None:
    lines = [json.dumps({"content": f"thing {number} " + "x" * 300}) for number in range(900)]
    cli.store.parent.mkdir()
    source = cli.store.parent / "many.jsonl"
    source.write_text("\n".join(lines))
    cli.ok("import", str(source), "--agent", "main")
    command = f"{sys.executable} -m lukasa list --limit 1000 | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    first, code = done.stdout.splitlines()
    assert first.startswith("900\t")
    assert code == "141"
    assert done.stderr == ""


def test_a_stream_that_cannot_say_a_character_gets_its_escape(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.ok("remember", "東京 is a city.")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    said = cli.process("list")
    assert said.code == 0
    assert r"\u6771\u4eac is a city." in said.out
    assert cli.process("get", "1", "--json").document["content"] == "東京 is a city."


LOADED = "import sys\nfrom lukasa.cli import main\nmain(sys.argv[1:])\nprint(*sys.modules, file=sys.stderr)"


def _modules(*arguments: str) -> set[str]:
    """What is loaded when a command has run in a pipe."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.usefixtures("cli")
def test_a_command_loads_only_what_it_needs() -> None:
    overview = _modules("--help")
    heavy = {"rich", "apsw", "argparse", "psycopg", "platformdirs", "dataclasses", "lukasa.memory"}
    assert not heavy & overview
    assert not {"rich", "apsw", "psycopg"} & _modules("list", "--help")
    for command in (["remember", "one"], ["list"], ["get", "1", "--json"], ["check"], ["export", "x.jsonl"]):
        assert not {"rich", "psycopg", "platformdirs"} & _modules(*command)
