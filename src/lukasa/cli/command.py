"""One command as a value: its name, its words, its arguments, and what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

    from lukasa.cli.call import Call
    from lukasa.cli.pieces import Outcome

Group = Literal["Start", "Remember and read", "Change", "Names and links", "Run the store"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A command. `help` is its line in the overview, `about` its paragraph, `examples` are to be copied."""

    name: str
    group: Group
    help: str
    about: str
    examples: tuple[str, ...]
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Call], Outcome]
