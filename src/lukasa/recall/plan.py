"""What a recall is asked for, decided before anything is read: where, by which way, narrowed by what.

Always true: a mode that cannot be had is an error, or is named in the notes; never another answer in silence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lukasa.config import FUSIONS, MODES, Weights, check_weights
from lukasa.entries.indexing import index_of
from lukasa.entries.kinds import one_of
from lukasa.entries.reading import Narrowing, moment_of
from lukasa.errors import UsageError
from lukasa.secrets import redact

if TYPE_CHECKING:
    from datetime import datetime

    from lukasa.config import Fusion, Mode
    from lukasa.entries.indexing import Index
    from lukasa.entries.reach import Reach

MOST = 100
_WITHOUT_MODEL = "No model of meaning"


class Asking(Narrowing, total=False):
    """How a recall is to be answered; what is left out is as the settings say; `besides` is not asked."""

    mode: Mode | None
    fusion: Fusion | None
    weights: Weights | None
    as_of: int | str | datetime | None
    floor: float
    observe: bool
    besides: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A recall that can be carried out."""

    query: str
    limit: int
    mode: Mode
    asked: Mode
    fusion: Fusion
    weights: Weights
    spaces: tuple[str, ...]
    narrowing: Narrowing
    index: Index
    now: int
    as_of: int | None
    floor: float
    observe: bool
    notes: tuple[str, ...]

    @property
    def moment(self) -> int:
        """The moment at which an answer must be valid."""
        return self.now if self.as_of is None else self.as_of

    @property
    def is_filtered(self) -> bool:
        """Whether more is asked of an entry than to lie in a space."""
        return any(name != "scope" for name in self.narrowing)


def plan_of(reach: Reach, query: str, limit: int | None, asking: Asking) -> Plan:
    """What to do for a question; a transaction must be open."""
    index = index_of(reach)
    now = reach.clock.now()
    asked: Mode = one_of("mode", asking.get("mode") or reach.settings.recall.mode, MODES)
    mode, notes = _mode(asked, index)
    wanted = reach.settings.recall.top_k if limit is None else limit
    if wanted < 0:
        raise UsageError(
            f"A limit of 0 to {MOST} was wanted, found {limit}.", fix="Leave it out for the usual."
        )
    if wanted > MOST:
        notes = (*notes, f"At most {MOST} are given, not {wanted}.")
    fusion: Fusion = one_of("fusion", asking.get("fusion") or reach.settings.recall.fusion, FUSIONS)
    return Plan(
        query=_cleaned(reach, query),
        limit=min(wanted, MOST),
        mode=mode,
        asked=asked,
        fusion=fusion,
        weights=check_weights(asking.get("weights") or reach.settings.recall.weights_of(fusion)),
        spaces=tuple(s for s in reach.narrowed(asking.get("scope")) if s != asking.get("besides")),
        narrowing=_narrowing(asking),
        index=index,
        now=now,
        as_of=moment_of(asking.get("as_of"), now),
        floor=_floor(asking.get("floor", 0.0)),
        observe=asking.get("observe", reach.settings.recall.observe),
        notes=notes,
    )


def _cleaned(reach: Reach, query: str) -> str:
    """The question as it may be looked for and kept: a secret in it leaves neither trace nor vector."""
    text = query.replace("\0", " ").encode("utf-8", "replace").decode().strip()
    return text if reach.settings.secrets == "warn" else redact(text)


def _floor(floor: float) -> float:
    if 0 <= floor <= 1:
        return floor
    raise UsageError(f"A floor of 0 to 1 was wanted, found {floor}.", fix="Leave it out for the usual.")


def _narrowing(asking: Asking) -> Narrowing:
    """The filters that were given, without those that let everything through."""
    return {key: value for key, value in asking.items() if key in Narrowing.__annotations__ and value}  # type: ignore[return-value]


def by_words_alone(plan: Plan, reason: str) -> Plan:
    """The plan without meaning, which says why."""
    return replace(plan, mode="keyword", notes=(*plan.notes, _by_words(reason)))


def _by_words(reason: str) -> str:
    return f"{reason}: found by words alone."


def _mode(wanted: Mode, index: Index) -> tuple[Mode, tuple[str, ...]]:
    # A store that holds nothing takes its model with the first write.
    if wanted == "keyword" or (index.embedder is not None and (index.model is not None or index.is_new)):
        return wanted, ()
    if wanted == "hybrid":
        return "keyword", (_by_words(_WITHOUT_MODEL),)
    raise UsageError(
        "To recall by meaning alone, a model is needed, and this store has no vectors.",
        fix="Open it with embedding='default' and run `lukasa reindex --model default`, or use mode keyword.",
    )
