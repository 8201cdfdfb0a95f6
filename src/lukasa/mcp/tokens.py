"""The bearer tokens of the HTTP server: a file that says whose memory each of them opens.

    [[token]]
    name = "laptop"
    sha256 = "9f86d081884c7d65…"
    agent = "ana"
    shares = ["project/apollo"]

Always true: a token itself is shown once, when it is made, and stored nowhere; the file is private, is read
anew when it has changed, and a file that cannot be understood opens nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import tomllib
from dataclasses import dataclass
from hmac import compare_digest
from typing import TYPE_CHECKING, cast

from lukasa.errors import DuplicateError, NotFoundError, UsageError
from lukasa.scope import check_agent, check_space

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_HEAD = "# Who may use the memory over HTTP. Each token is shown once, when it is made; here is its hash.\n"
_BLOCK = re.compile(r"^(?=\[\[token\]\])", re.MULTILINE)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_KEYS = {"name", "sha256", "agent", "shares"}
_NAME = re.compile(r"[\w.@:-]{1,60}")
_LENGTH = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class Grant:
    """One token's hash, and the memory that it opens."""

    name: str
    sha256: str
    agent: str
    shares: tuple[str, ...] = ()


def tokens_file() -> Path:
    """The file of tokens in the user's folder of settings."""
    from platformdirs import user_config_path  # noqa: PLC0415 - only where no file is named

    return user_config_path("lukasa") / "tokens.toml"


class Tokens:
    """The tokens of a file, read again whenever it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._grants: tuple[Grant, ...] = ()

    def grants(self) -> tuple[Grant, ...]:
        """Every grant of the file as it is now."""
        try:
            state = self._path.stat()
        except FileNotFoundError as error:
            raise UsageError(
                f"There is no file of tokens at {self._path}.",
                fix=f"Make one: lukasa token add --tokens {self._path}",
            ) from error
        seen = (state.st_mtime_ns, state.st_size)
        if seen != self._seen:
            self._grants = read_grants(self._path.read_text(encoding="utf-8"), self._path)
            self._seen = seen
        return self._grants

    def find(self, token: str) -> Grant | None:
        """The grant of a token. Every hash is compared, so that the time taken tells nothing."""
        digest = _digest(token)
        found = None
        for grant in self.grants():
            if compare_digest(digest, grant.sha256):
                found = grant
        return found


def read_grants(text: str, path: Path) -> tuple[Grant, ...]:
    """The grants that a file's text holds."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, str(error)) from error
    if unknown := document.keys() - {"token"}:
        raise _unreadable(path, f"it has {min(unknown)!r} at the top")
    blocks = document.get("token", [])
    if not isinstance(blocks, list):
        raise _unreadable(path, "a token stands under [[token]]")
    return tuple(_grant(block, path) for block in cast("list[object]", blocks))


def _grant(block: object, path: Path) -> Grant:
    found = cast("dict[str, object]", block) if isinstance(block, dict) else {}
    if unknown := found.keys() - _KEYS:
        raise _unreadable(path, f"a token has the unknown key {min(unknown)!r}")
    shares = found.get("shares", [])
    match found:
        case {"name": str(name), "sha256": str(digest), "agent": str(agent)} if _DIGEST.fullmatch(digest):
            return Grant(name=name, sha256=digest, agent=agent, shares=_texts(shares, path))
        case _:
            raise _unreadable(path, "a token needs a name, its sha256 (64 hex digits) and an agent")


def _texts(value: object, path: Path) -> tuple[str, ...]:
    texts = cast("list[object]", value) if isinstance(value, list) else []
    if isinstance(value, list) and all(isinstance(text, str) for text in texts):
        return tuple(str(text) for text in texts)
    raise _unreadable(path, "shares is a list of texts")


def _unreadable(path: Path, why: str) -> UsageError:
    return UsageError(
        f"The file of tokens {path} cannot be understood: {why}.",
        fix="Mend it, or make a new one with `lukasa token add`; until then it opens nothing.",
    )


def add_token(path: Path, *, name: str | None, agent: str, shares: Sequence[str]) -> tuple[Grant, str]:
    """A new token for an agent's memory: its grant, and the token itself, which is not seen again."""
    known = Tokens(path).grants() if path.exists() else ()
    chosen = _free_name(agent, {grant.name for grant in known}) if name is None else _checked(name)
    if any(grant.name == chosen for grant in known):
        raise DuplicateError(f"There is a token {chosen!r} already.", fix="Give this one another name.")
    token = f"lk_{secrets.token_urlsafe(_LENGTH)}"
    bound = tuple(check_space(share) for share in shares)
    grant = Grant(name=chosen, sha256=_digest(token), agent=check_agent(agent), shares=bound)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(path, ("\n" if known else _HEAD) + _written(grant), os.O_APPEND)
    return grant, token


def remove_token(path: Path, name: str) -> Grant:
    """Takes a token back; it opens nothing from the next request on. The rest of the file stays as it is."""
    grants = Tokens(path).grants()
    gone = next((grant for grant in grants if grant.name == name), None)
    if gone is None:
        raise NotFoundError(wanted=f"token {name!r}", near=[grant.name for grant in grants])
    pieces = _BLOCK.split(path.read_text(encoding="utf-8"))
    kept = "".join(piece for piece in pieces if gone not in read_grants(piece, path))
    if read_grants(kept, path) != tuple(grant for grant in grants if grant != gone):
        raise UsageError(
            f"{path} has {name!r} and others in one piece; it was not touched.",
            fix="Take it out by hand, or write each token under a line [[token]] of its own.",
        )
    beside = path.with_suffix(".new")
    _write(beside, kept, os.O_TRUNC)
    beside.replace(path)
    return gone


def _write(path: Path, text: str, how: int) -> None:
    """For the owner's eyes alone, from the first moment."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | how, 0o600), "a", encoding="utf-8") as file:
        file.write(text)


def _checked(name: str) -> str:
    if _NAME.fullmatch(name):
        return name
    raise UsageError(
        f"A name for the token was wanted, found {name!r}.",
        fix="Use 1 to 60 letters, digits, and the characters _ . @ : -",
    )


def _free_name(agent: str, taken: set[str]) -> str:
    names = (agent if number == 1 else f"{agent}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _written(grant: Grant) -> str:
    """A grant as TOML; a JSON text or list of texts is TOML too."""
    lines = {"name": grant.name, "sha256": grant.sha256, "agent": grant.agent, "shares": list(grant.shares)}
    return "[[token]]\n" + "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in lines.items()
    )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
