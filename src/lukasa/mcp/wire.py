"""Standard input and output as the protocol's own: one message a line, and nothing else ever between them.

Always true: once claimed, what anybody prints goes to standard error, and nobody else can read what the
client sends. Reading goes by descriptors, not by Python's buffers, so that a thread which waits for a silent
client never holds a lock that the end of the process needs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_AT_ONCE = 65_536
_STDIN, _STDOUT, _STDERR = 0, 1, 2


class Wire:
    """The two pipes to one client."""

    def __init__(self, source: int, target: int) -> None:
        self._source = source
        self._target = target

    @classmethod
    def claim(cls) -> Wire:
        """Takes standard input and output away from everybody else, until the process ends."""
        wire = cls(os.dup(_STDIN), os.dup(_STDOUT))
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, _STDIN)
        try:
            os.dup2(_STDERR, _STDOUT)
        except OSError:  # there is no standard error
            os.dup2(nothing, _STDOUT)
        os.close(nothing)
        return wire

    def lines(self) -> Iterator[bytes]:
        """What the client sends, line by line, until it closes its end."""
        begun: list[bytes] = []
        while chunk := os.read(self._source, _AT_ONCE):
            end, *lines = chunk.split(b"\n")
            begun.append(end)
            for line in lines:
                yield b"".join(begun)
                begun = [line]
        if rest := b"".join(begun):
            yield rest

    def write(self, line: bytes) -> None:
        """Sends one line, all of it."""
        left = memoryview(line)
        while left:
            left = left[os.write(self._target, left) :]
