"""TOML that somebody else wrote: a block at its end, and out again."""

from __future__ import annotations

import tomllib

import pytest

from lukasa.errors import UsageError
from lukasa.install import toml_text

LINES = ["[mcp_servers.lukasa]", 'command = "lukasa"']
BLOCK = '# >>> lukasa >>>\n[mcp_servers.lukasa]\ncommand = "lukasa"\n# <<< lukasa <<<\n'


@pytest.mark.parametrize(
    "text", ["", "a = 1\n", "# only a word\n", "[x]\ny = [\n 1, # one\n]\n\n\n", "a = 1\r\n"]
)
def test_a_block_goes_in_and_out_without_a_trace(text: str) -> None:
    done = toml_text.with_block(text, LINES, "the file")
    assert done.startswith(text)
    assert tomllib.loads(done)["mcp_servers"]["lukasa"]["command"] == "lukasa"
    assert toml_text.with_block(done, LINES, "the file") == done
    assert toml_text.without_block(done) == text


def test_another_block_takes_the_place_of_the_first() -> None:
    old = toml_text.with_block("a = 1\n", [LINES[0], 'command = "old"'], "the file")
    later = f"{old}\n[z]\nb = 2\n"
    done = toml_text.with_block(later, LINES, "the file")
    assert tomllib.loads(done) == {"a": 1, "z": {"b": 2}, "mcp_servers": {"lukasa": {"command": "lukasa"}}}
    assert done.endswith(BLOCK)


@pytest.mark.parametrize("text", ["a = \n", "[mcp_servers.lukasa]\ncommand = 'x'\n", "mcp_servers = {}\n"])
def test_what_would_not_be_toml_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="it was not touched"):
        toml_text.with_block(text, LINES, "the file")


@pytest.mark.parametrize("text", ['a "b" \\ c', "tab\tnew\nline", "\x7f é 東京 \U0001f600"])
def test_a_string_reads_back_the_same(text: str) -> None:
    assert tomllib.loads(f"a = {toml_text.string(text)}")["a"] == text
