"""Every command there is, once, in the order in which the help shows them."""

from __future__ import annotations

from typing import get_args

from lukasa.cli import changing, demo, entries, naming, operator, transfer
from lukasa.cli.command import Command, Group

COMMANDS: tuple[Command, ...] = (
    *demo.COMMANDS,
    *entries.COMMANDS,
    *changing.COMMANDS,
    *naming.COMMANDS,
    *operator.COMMANDS,
    *transfer.COMMANDS,
)
GROUPS: tuple[Group, ...] = get_args(Group)
BY_NAME = {command.name: command for command in COMMANDS}
