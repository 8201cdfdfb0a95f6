"""Settings: what a store is opened with, and what the environment says of it.

Frozen and small. The surfaces read the environment once, here; nothing below asks for a variable.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DEFAULT_AGENT = "main"
SecretPolicy = Literal["block", "redact", "warn"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Retention:
    """How many days an entry lives that was given no date of its own."""

    episodic_days: int = 90
    bulletin_days: int = 180
    completed_days: int = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What a store is opened with."""

    retention: Retention = field(default_factory=Retention)
    secrets: SecretPolicy = "block"
    max_memories: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Which store and which agent a command means, when it does not say."""

    store: str
    agent: str


def place(environment: Mapping[str, str] | None = None) -> Place:
    """`LUKASA_STORE` and `LUKASA_AGENT`, or the user's own data folder and the agent `main`."""
    variables = os.environ if environment is None else environment
    return Place(
        store=variables.get("LUKASA_STORE") or str(default_store()),
        agent=variables.get("LUKASA_AGENT") or DEFAULT_AGENT,
    )


def default_store() -> Path:
    """The store in the user's data folder."""
    from platformdirs import user_data_path  # noqa: PLC0415 - costs more than the rest of this module

    return user_data_path("lukasa") / "memory.lukasa"
