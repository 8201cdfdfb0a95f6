"""Settings: what a store is opened with, and what the environment says of it.

Frozen and small. The surfaces read the environment once, here; nothing below asks for a variable.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from lukasa.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DEFAULT_AGENT = "main"
SecretPolicy = Literal["block", "redact", "warn"]
Mode = Literal["keyword", "vector", "hybrid"]
Fusion = Literal["zscore", "weighted", "rrf"]
MODES: tuple[Mode, ...] = get_args(Mode)
FUSIONS: tuple[Fusion, ...] = get_args(Fusion)


@dataclass(frozen=True, kw_only=True, slots=True)
class Retention:
    """How many days an entry lives that was given no date of its own."""

    episodic_days: int = 90
    bulletin_days: int = 180
    completed_days: int = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """How much each way of finding counts for; together they are one."""

    semantic: float
    keyword: float
    graph: float = 0.0


_USUAL: dict[Fusion, Weights] = {
    "zscore": Weights(semantic=0.60, keyword=0.32, graph=0.08),
    "weighted": Weights(semantic=0.7, keyword=0.3),
    "rrf": Weights(semantic=0.5, keyword=0.5),
}


def check_weights(weights: Weights) -> Weights:
    """The weights themselves, or an error if one is outside 0 to 1 or they do not make up one."""
    parts = (weights.semantic, weights.keyword, weights.graph)
    if all(0 <= part <= 1 for part in parts) and abs(sum(parts) - 1) <= _TOLERANCE:
        return weights
    raise UsageError(
        f"Weights from 0 to 1 that make up 1 were wanted, found {', '.join(map(str, parts))}.",
        fix="For instance semantic 0.55, keyword 0.35, graph 0.1.",
    )


_TOLERANCE = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalling:
    """How recall answers when the call does not say; `weights` None is what was measured best."""

    top_k: int = 8
    mode: Mode = "hybrid"
    fusion: Fusion = "zscore"
    weights: Weights | None = None
    observe: bool = True
    floor: float = 0.5
    """How relevant a memory must be to be put before a model unasked."""
    cache_mb: int = 2_048

    def weights_of(self, fusion: Fusion) -> Weights:
        """The weights to use, for one way of putting the reasons together."""
        return self.weights or _USUAL[fusion]


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What a store is opened with."""

    retention: Retention = field(default_factory=Retention)
    secrets: SecretPolicy = "block"
    max_memories: int | None = None
    embedding: str = "default"
    language: str | None = None
    recall: Recalling = field(default_factory=Recalling)


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


def settings_from(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings that the environment names: `LUKASA_EMBEDDING` and `LUKASA_LANGUAGE`."""
    variables = os.environ if environment is None else environment
    return Settings(
        embedding=variables.get("LUKASA_EMBEDDING") or "default",
        language=variables.get("LUKASA_LANGUAGE") or None,
    )


def default_store() -> Path:
    """The store in the user's data folder."""
    from platformdirs import user_data_path  # noqa: PLC0415 - costs more than the rest of this module

    return user_data_path("lukasa") / "memory.lukasa"


def models_folder() -> Path:
    """Where models that were pulled lie, in the user's data folder."""
    return default_store().parent / "models"
