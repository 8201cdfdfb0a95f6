"""What was asked: the options of one command line, read by name and by type, and its store.

The command line wins over `LUKASA_STORE` and `LUKASA_AGENT`, and these over the defaults. Nothing
is opened before it is needed.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lukasa.config import Place, place, settings_from
from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from lukasa.db.database import Json
    from lukasa.handle import Handle
    from lukasa.memory import Store


@dataclass(frozen=True, slots=True)
class Call:
    """One command line."""

    given: Mapping[str, object]

    def text(self, name: str) -> str:
        """A text that the command requires."""
        return cast("str", self.given[name])

    def maybe(self, name: str) -> str | None:
        """A text, where it was given."""
        return cast("str | None", self.given.get(name))

    def texts(self, name: str) -> list[str]:
        """Every text of an option that may be given many times."""
        return cast("list[str] | None", self.given.get(name)) or []

    def number(self, name: str) -> int | None:
        """A whole number, where it was given."""
        return cast("int | None", self.given.get(name))

    def real(self, name: str) -> float | None:
        """A number, where it was given."""
        return cast("float | None", self.given.get(name))

    def flag(self, name: str) -> bool:
        """Whether an option was given."""
        return bool(self.given.get(name))

    @property
    def as_json(self) -> bool:
        """Whether a program reads the answer."""
        return self.flag("json")

    def place(self) -> Place:
        """Which store and which agent are meant."""
        given = {"LUKASA_STORE": self.maybe("store"), "LUKASA_AGENT": self.maybe("agent")}
        for name, value in given.items():
            if value == "":
                option = f"--{name.removeprefix('LUKASA_').lower()}"
                raise UsageError(f"{option} was given as an empty text.", fix="Name one, or leave it out.")
        return place({**os.environ, **{name: value for name, value in given.items() if value is not None}})

    @contextmanager
    def store(self) -> Generator[Store]:
        """The whole store, for as long as the block lasts."""
        from lukasa.memory import open as open_store  # noqa: PLC0415 - `--help` does not wait for an engine

        with open_store(self.place().store, settings=settings_from()) as store:
            yield store

    @contextmanager
    def handle(self) -> Generator[Handle]:
        """The agent's handle. A space that `--scope` names is bound, as `--share` would bind it."""
        scope = self.maybe("scope")
        shares = [*self.texts("share"), *([scope] if scope is not None else [])]
        with self.store() as store:
            yield store.agent(self.place().agent, shares=shares)

    def content(self, name: str) -> str:
        """The words of a text, or standard input where it is `-`."""
        words = self.texts(name)
        if words != ["-"]:
            return " ".join(words)
        try:
            return sys.stdin.read()
        except UnicodeDecodeError as error:
            raise UsageError(
                f"Standard input is not {error.encoding} text.", fix="Convert it first, with iconv for one."
            ) from error

    def metadata(self) -> dict[str, Json] | None:
        """The object that `--metadata` gives, where it was given."""
        text = self.maybe("metadata")
        if text is None:
            return None
        try:
            value = cast("Json", json.loads(text))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"--metadata is not JSON: {error}.", fix=_METADATA_FIX) from error
        if not isinstance(value, dict):
            raise UsageError("--metadata should be a JSON object.", fix=_METADATA_FIX)
        return value


_METADATA_FIX = """Write an object, in single quotes: --metadata '{"ticket": 42}'."""
