"""What a person sees: colour and tables, stored text as it is, a bar for long work."""

from __future__ import annotations

import json
import re
import sys
from io import StringIO
from typing import TYPE_CHECKING

import pytest

from lukasa.cli.literal import counted, cut, flat, json_literal, literal
from lukasa.cli.moments import local, relative
from lukasa.cli.progress import watching
from lukasa.clock import DAY, SystemClock

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

HOSTILE = "[bold]x[/bold] \x1b[31mred \x9b2J \u202eturned\x07 :smile: [link=x]y"
SHOWN = r"[bold]x[/bold] \x1b[31mred \x9b2J \u202eturned\x07 :smile: [link=x]y"
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def words(text: str) -> str:
    """What a terminal shows, without colour, frames and line breaks."""
    return " ".join(STYLE.sub("", text).replace("│", " ").split())


def test_a_person_gets_colour_and_headings(cli: Cli) -> None:
    cli.ok("remember", "The user prefers short answers.", "--name", "style", "--tag", "tone")
    table = cli.terminal("list")
    assert table.code == 0
    assert STYLE.search(table.out)
    assert words(table.out).startswith(
        "# kind state when name tags text 1 preference live just now style tone"
    )
    card = cli.terminal("get", "style")
    assert "╭─ #1 style ─" in STYLE.sub("", card.out)
    assert "The user prefers short answers." in card.out
    assert "created just now" in words(card.out)


def test_a_column_in_which_nothing_stands_is_not_drawn(cli: Cli) -> None:
    cli.ok("remember", "one")
    assert words(cli.terminal("list").out).startswith("# kind state when text 1 fact")


@pytest.mark.parametrize(
    "command", ["list", "get 1", "history 1", "alias 1 new", "write 1 again", "links 2", "forget 1"]
)
def test_stored_text_is_never_markup_and_never_obeyed(cli: Cli, command: str) -> None:
    cli.ok("remember", HOSTILE, "--name", "n\x1b[1m[red]n", "--tag", "[i]t\x1b", "--summary", HOSTILE)
    cli.ok("remember", "another")
    cli.ok("link", "2", "about", "1", "--provenance", HOSTILE)
    for said in (cli.terminal(*command.split()), cli(*command.split())):
        seen = STYLE.sub("", said.out)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", seen)
        assert "\x1b[31m" not in said.out
        if command in {"list", "get 1"}:
            assert r"\x1b[31mred" in seen
            assert "[bold]x[/bold]" in seen
            assert r"n\x1b[1m[red]n" in seen
            assert ":smile:" in seen


def test_a_plain_row_shows_hostile_text_on_one_line(cli: Cli) -> None:
    cli.ok("remember", HOSTILE)
    [line] = cli.ok("list").lines
    assert line.endswith(f"\t{SHOWN}")


def test_a_hostile_argument_is_not_obeyed_in_an_error(cli: Cli) -> None:
    for command in (["get", HOSTILE], ["import", f"/nowhere/{HOSTILE}"], [HOSTILE], ["list", f"--{HOSTILE}"]):
        refused = cli(*command)
        assert refused.code in {1, 2}
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", refused.err)
        assert "\x1b" not in STYLE.sub("", cli.terminal(*command).out)


def test_an_error_is_coloured_for_a_person_who_wants_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[1;31merror:\x1b[0m There is no entry" in cli.terminal("get", "nobody").out
    monkeypatch.setenv("NO_COLOR", "1")
    cli.ok("remember", "one")
    plain = cli.terminal("get", "nobody").out + cli.terminal("list").out
    assert "error: There is no entry" in plain
    assert not re.search(r"\x1b\[[0-9;]*3\dm", plain)


def test_json_on_a_terminal_is_the_same_as_in_a_pipe(cli: Cli) -> None:
    cli.ok("remember", HOSTILE)
    shown = cli.terminal("list", "--json").out
    assert shown == cli.ok("list", "--json").out
    assert "\x1b" not in shown
    assert json.loads(shown)["entries"][0]["content"] == HOSTILE


def test_a_long_text_is_cut_in_a_table_and_whole_in_a_pipe(cli: Cli) -> None:
    cli.ok("remember", "word " * 200)
    assert "…" in cli.terminal("list").out
    assert cli.ok("list").lines[0].count("word") == 200


def test_literal_text_is_on_one_line_and_reads_as_it_was_written() -> None:
    assert literal("a\nb\tc\r") == r"a\nb\tc\r"
    assert literal("\x00\x1b\x7f\x85\u2028\u2066\ud83d") == r"\x00\x1b\x7f\x85\u2028\u2066\ud83d"
    family = "👨\u200d👩\u200d👧 é ñ 東京"
    assert literal(family) == family
    assert flat(" a\n\n b\x1b ") == r"a b\x1b"
    assert json.loads(json_literal('"\u202e\x9b"')) == "\u202e\x9b"
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"
    assert [counted(count, "entry", "entries") for count in (0, 1, 2)] == [
        "0 entries",
        "1 entry",
        "2 entries",
    ]


@pytest.mark.parametrize(
    ("distance", "shown"),
    [
        (0, "just now"),
        (-59_000, "just now"),
        (30_000, "in a moment"),
        (-60_000, "1 minute ago"),
        (-3 * 3_600_000, "3 hours ago"),
        (-DAY, "1 day ago"),
        (-29 * DAY, "29 days ago"),
        (2 * DAY, "in 2 days"),
        (90 * 60_000, "in 1 hour"),
    ],
)
def test_a_person_reads_how_far_away_a_moment_is(distance: int, shown: str) -> None:
    now = SystemClock().now()
    assert relative(now + distance, now=now) == shown


def test_a_far_moment_is_a_date() -> None:
    now = SystemClock().now()
    assert relative(now - 40 * DAY, now=now) == local(now - 40 * DAY)[:10]
    assert local(253_402_214_400_000).startswith("9999-12-3")


class Terminal(StringIO):
    """A stream at which a person sits."""

    def isatty(self) -> bool:
        return True


def test_long_work_is_drawn_as_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with watching("Importing", lambda: 1234, patience=0) as moved:
        moved(1)
        moved(1234)
    drawn = STYLE.sub("", str(sys.stderr.getvalue()))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]
    assert "Importing" in drawn
    assert "1234/1234" in drawn


def test_short_work_a_pipe_and_a_program_see_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream, quiet, patience in ((Terminal(), False, 60), (Terminal(), True, 0), (StringIO(), False, 0)):
        monkeypatch.setattr(sys, "stderr", stream)
        with watching("Importing", lambda: 2, quiet=quiet, patience=patience) as moved:
            moved(1)
            moved(2)
        assert stream.getvalue() == ""


def test_nobody_asks_for_a_total_that_nobody_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", StringIO())
    asked: list[int] = []
    with watching("Checking", lambda: asked.append(1)) as moved:
        moved(1)
    assert asked == []


def test_a_long_import_shows_how_far_it_is(cli: Cli, tmp_path: Path) -> None:
    lines = [json.dumps({"content": f"thing {number}"}) for number in range(12_000)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    said = cli.terminal("import", "many.jsonl", "--agent", "main")
    assert said.code == 0
    assert "Importing" in said.out
    assert "12000/12000" in STYLE.sub("", said.out)
    assert "Imported 12000 entries" in said.out
