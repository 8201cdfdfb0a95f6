"""The wire cuts what comes in at line ends, wherever the pieces of it end."""

from __future__ import annotations

import os
from threading import Thread

import pytest

from lukasa.mcp.wire import Wire

NOWHERE = -1


def through(pieces: list[bytes]) -> list[bytes]:
    """The lines that a client's pieces make."""
    source, theirs = os.pipe()

    def send() -> None:
        for piece in pieces:
            os.write(theirs, piece)
        os.close(theirs)

    sender = Thread(target=send)
    sender.start()
    lines = list(Wire(source, NOWHERE).lines())
    sender.join()
    os.close(source)
    return lines


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        ([], []),
        ([b"one\ntwo\n"], [b"one", b"two"]),
        ([b"on", b"e\ntw", b"o\n"], [b"one", b"two"]),
        ([b"one\n\ntwo"], [b"one", b"", b"two"]),
        ([b"one", b"\n"], [b"one"]),
        ([b"\xc3", b"\xa9\n"], ["é".encode()]),
    ],
)
def test_lines_are_whole_however_they_come(pieces: list[bytes], lines: list[bytes]) -> None:
    assert through(pieces) == lines


def test_a_line_of_many_pieces_is_one_line() -> None:
    long = b"x" * 1_000_000
    assert through([long, b"\n", b"short\n"]) == [long, b"short"]


def test_a_long_line_is_sent_whole() -> None:
    ours, target = os.pipe()
    line = b"y" * 500_000 + b"\n"
    sender = Thread(target=Wire(NOWHERE, target).write, args=(line,))
    sender.start()
    got = b""
    while len(got) < len(line):
        got += os.read(ours, 1_000_000)
    sender.join()
    for end in (ours, target):
        os.close(end)
    assert got == line
