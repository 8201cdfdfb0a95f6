"""`uvx lukasa mcp` and `pipx run lukasa mcp` bring the core alone: the runner is asked again, with the extra.

Always true: only an environment that a runner made for this one call asks again, and it asks once; in any
other, what is missing stays an error that says how to install it.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_ASKED = "LUKASA_ASKED_RUNNER"


def ask_again(extra: str) -> None:
    """Becomes the same call with the extra, where a runner started this one; else returns."""
    command = _command(extra)
    if command is None or os.environ.get(_ASKED):
        return
    sys.stdout.flush()
    os.execve(command[0], [*command, *sys.argv[1:]], {**os.environ, _ASKED: "1"})  # noqa: S606 - the runner itself


def _command(extra: str) -> list[str] | None:
    from lukasa import __version__  # noqa: PLC0415 - read where it is needed

    wanted = f"lukasa[{extra}]=={__version__}"
    made_for_this = set(Path(sys.prefix).parts)
    uv, pipx = os.environ.get("UV"), shutil.which("pipx")
    if uv and {"uv"} & made_for_this and not {"tools"} & made_for_this:
        return [uv, "tool", "run", "--from", wanted, "lukasa"]
    if pipx and {"pipx"} & made_for_this and not {"venvs"} & made_for_this:
        return [pipx, "run", "--spec", wanted, "lukasa"]
    return None
