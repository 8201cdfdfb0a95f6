"""`completion`, by really running the shells: what Tab offers is what the parsers take."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from lukasa.cli import overview, parser
from lukasa.cli.completing import SHELLS, choices_of
from lukasa.entries.kinds import KINDS, RELATIONS
from lukasa.hooks.contracts import ASSISTANTS, EVENTS

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

COMMON = ["--store", "--share", "--json", "-h", "--help"]


def bash(cli: Cli, *words: str) -> list[str]:
    """What bash offers for the last of some words."""
    script = cli.ok("completion", "bash").out
    typed = " ".join(f"'{word}'" for word in words)
    ask = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _lukasa; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(
        ["bash", "--norc", "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line]


def test_bash_completes_every_command(cli: Cli) -> None:
    assert bash(cli, "lukasa", "") == [*overview.HELP, "help"]
    assert bash(cli, "lukasa", "reme") == ["remember"]
    assert bash(cli, "lukasa", "--agent", "ana", "rena") == ["rename"]
    assert bash(cli, "lukasa", "help", "unl") == ["unlink"]


@pytest.mark.parametrize("name", overview.HELP)
def test_bash_completes_every_option_of_every_command(cli: Cli, name: str) -> None:
    wanted = [word for option in parser.build(name).listed() for word in option.spellings]
    offered = bash(cli, "lukasa", name, "-")
    assert offered == wanted
    assert set(COMMON) <= set(offered)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["remember", "x", "--kind", ""], list(KINDS)),
        (["list", "--kind", "pre"], ["preference"]),
        (["recall", "--mode", "h"], ["hybrid"]),
        (["link", "a", ""], list(RELATIONS)),
        (["install", "c"], ["claude", "codex", "cursor"]),
        (["hook", "s"], ["session-start", "stop", "session-end"]),
        (["hook", "stop", "--agent", ""], list(ASSISTANTS)),
        (["model", ""], ["pull", "list", "use"]),
        (["completion", ""], list(SHELLS)),
        (["remember", "--summary", ""], []),
        (["--agent", ""], []),
    ],
)
def test_bash_completes_what_an_option_may_be(cli: Cli, words: list[str], offered: list[str]) -> None:
    assert bash(cli, "lukasa", *words) == offered


def test_bash_completes_files_where_a_file_is_meant(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").touch()
    assert bash(cli, "lukasa", "import", "not") == ["notes.jsonl"]
    assert bash(cli, "lukasa", "list", "--store", "not") == ["notes.jsonl"]


def test_every_choice_is_one_that_the_command_takes() -> None:
    hook = {argument.name: argument for argument in parser.build("hook").listed()}
    assert choices_of(hook["EVENT"]) == EVENTS
    assert choices_of(hook["ASSISTANT"]) == ASSISTANTS
    for name in overview.HELP:
        for argument in parser.build(name).listed():
            for choice in choices_of(argument):
                assert choice.replace("-", "").replace("_", "").isalpha()


def test_a_key_press_completes_at_a_real_prompt(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "rc"
    script.write_text(
        cli.ok("completion", "bash").out + "PS1='ready> '\nbind 'set enable-bracketed-paste off'\n"
    )
    ours, theirs = pty.openpty()
    shell = ["bash", "--noprofile", "--rcfile", str(script), "-i"]
    environment = {**os.environ, "TERM": "dumb", "HISTFILE": "/dev/null"}
    with subprocess.Popen(shell, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = read_until(ours, b"ready> ")
        os.write(ours, b"echo got; lukasa supers\t --js\t\x01echo [\x05]\n")
        shown = read_until(ours, b"[echo got; lukasa supersede  --json")
        os.write(ours, b"exit\n")
        process.wait(timeout=20)
    os.close(ours)
    assert b"supersede" in shown


def read_until(terminal: int, mark: bytes) -> bytes:
    """What the terminal shows until a mark stands there."""
    shown = b""
    while mark not in shown:
        shown += os.read(terminal, 65_536)
    return shown


def test_zsh_completes_commands_options_and_choices(cli: Cli, tmp_path: Path) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    script = tmp_path / "script"
    script.write_text(cli.ok("completion", "zsh").out)
    for line, offered in (
        ("lukasa reme", "remember"),
        ("lukasa link a ", "depends_on"),
        ("lukasa list --ki", "--kind"),
        ("lukasa recall x --mode hy", "hybrid"),
    ):
        assert offered in zsh(script, line)


def zsh(script: Path, line: str) -> list[str]:
    """What zsh offers for a line: what is handed to `compadd` when Tab is pressed."""
    words = [f"'{word}'" for word in line.split(" ")]
    ask = (
        "compdef() { : }; compadd() { shift; print -l -- $@ }; _files() { : }\n"
        f"source {script}\nwords=({' '.join(words)}); CURRENT={len(words)}; _lukasa"
    )
    done = subprocess.run(["zsh", "-f", "-c", ask], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return [word for word in done.stdout.split() if word.startswith(line.rsplit(" ", maxsplit=1)[-1])]


def test_fish_completes_commands_options_and_choices(cli: Cli, tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    script = tmp_path / "script.fish"
    script.write_text(cli.ok("completion", "fish").out)
    for line, offered in (
        ("lukasa reme", "remember"),
        ("lukasa link a ", "depends_on"),
        ("lukasa list --ki", "--kind"),
        ("lukasa recall x --mode hy", "hybrid"),
        ("lukasa install cu", "cursor"),
    ):
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "HOME": str(tmp_path)},
        )
        assert done.stderr == ""
        assert offered in [shown.split("\t")[0] for shown in done.stdout.splitlines()]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_is_the_same_each_time_and_says_where_it_belongs(cli: Cli, shell: str) -> None:
    made = cli.ok("completion", shell)
    assert cli.json("completion", shell)["script"] == made.out
    assert f"lukasa completion {shell} > " in made.out
    assert sys.executable not in made.out


def test_another_shell_is_refused(cli: Cli) -> None:
    assert cli("completion", "tcsh").code == 2
