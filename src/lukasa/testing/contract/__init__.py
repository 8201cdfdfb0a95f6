"""The contract suite: what a store must do on every engine, as pytest classes to inherit.

    class TestNames(NameContract): ...

The inheritor's fixtures: `store` (a new, empty `lukasa.Store` on the engine under test, whose
clock is `clock`), `clock` (a `FrozenClock`), and `reopened` (opens that same store anew, with
other settings if given). No test reaches into an engine; each holds on all of them.
"""

from __future__ import annotations

from lukasa.testing.contract.changing import HistoryContract, UndoContract, UpdateContract
from lukasa.testing.contract.embedding import MismatchContract, OutboxContract, ReindexContract
from lukasa.testing.contract.fields import FieldContract, SecretContract
from lukasa.testing.contract.forgetting import CapContract, ErasureContract, ForgetContract
from lukasa.testing.contract.formats import FormatContract, IntakeContract
from lukasa.testing.contract.isolation import IsolationContract, ShareContract
from lukasa.testing.contract.kinds import ClassContract, KindContract, LifeSpanContract
from lukasa.testing.contract.linking import LinkContract, SupersedeContract
from lukasa.testing.contract.listing import ListContract, PageContract
from lukasa.testing.contract.naming import FindContract, NameContract
from lukasa.testing.contract.opening import BesidesContract, OpeningContract
from lukasa.testing.contract.recall_sight import (
    ContextContract,
    GraphContract,
    NamedContract,
    RecallEventContract,
    RecallFilterContract,
    RecallIsolationContract,
    TurnContract,
    WhyContract,
)
from lukasa.testing.contract.recalling import AnswerContract, SettingContract, ValidityContract, WordContract
from lukasa.testing.contract.repeating import RepeatContract
from lukasa.testing.contract.talking import TalkContract

__all__ = [
    "AnswerContract",
    "BesidesContract",
    "CapContract",
    "ClassContract",
    "ContextContract",
    "ErasureContract",
    "FieldContract",
    "FindContract",
    "ForgetContract",
    "FormatContract",
    "GraphContract",
    "HistoryContract",
    "IntakeContract",
    "IsolationContract",
    "KindContract",
    "LifeSpanContract",
    "LinkContract",
    "ListContract",
    "MismatchContract",
    "NameContract",
    "NamedContract",
    "OpeningContract",
    "OutboxContract",
    "PageContract",
    "RecallEventContract",
    "RecallFilterContract",
    "RecallIsolationContract",
    "ReindexContract",
    "RepeatContract",
    "SecretContract",
    "SettingContract",
    "ShareContract",
    "SupersedeContract",
    "TalkContract",
    "TurnContract",
    "UndoContract",
    "UpdateContract",
    "ValidityContract",
    "WhyContract",
    "WordContract",
]
