"""Kinds, classes and life spans: what an entry is, and how long it stays.

Pure rules, no I/O. A kind is inferred from whole words in a fixed order; a class follows from the
kind; a life span follows from the class. An explicit kind, class or date always wins.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from lukasa.errors import UsageError

if TYPE_CHECKING:
    from lukasa.config import Retention

Kind = Literal[
    "identity", "goal", "decision", "todo", "preference", "fact", "event", "observation", "note", "archive"
]
EntryClass = Literal["semantic", "procedural", "episodic", "bulletin"]
Status = Literal["open", "completed", "cancelled"]
Relation = Literal["supports", "contradicts", "derived_from", "supersedes", "depends_on", "about"]
KINDS: tuple[Kind, ...] = get_args(Kind)
CLASSES: tuple[EntryClass, ...] = get_args(EntryClass)
STATUSES: tuple[Status, ...] = get_args(Status)
RELATIONS: tuple[Relation, ...] = get_args(Relation)

# Days after which what was said, or recalled, counts for half.
HALF_LIVES: dict[EntryClass, int] = {"semantic": 10_000, "procedural": 365, "episodic": 90, "bulletin": 90}

T = TypeVar("T", bound=str)

_CLASS_OF: dict[Kind, EntryClass] = {
    "identity": "semantic",
    "preference": "semantic",
    "fact": "semantic",
    "note": "semantic",
    "archive": "semantic",
    "goal": "procedural",
    "decision": "procedural",
    "todo": "procedural",
    "event": "episodic",
    "observation": "episodic",
}
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DATED = (
    rf"\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?"
    rf"|yesterday|today|tonight|this (?:morning|afternoon|evening)|last (?:night|week|month|year|{_WEEKDAY})"
    rf"|on {_WEEKDAY}|\d+ (?:days|weeks|months|years) ago"
)
_HAPPENED = (
    # What ends like a past and is none.
    r"(?!(?:need|indeed|speed|feed|seed|exceed|proceed|succeed|hundred|embed)(?!\w))\w{2,}ed"
    r"|met|went|came|saw|took|gave|made|bought|sold|left|began|broke|fell|won|lost|held|had|spoke|flew"
    r"|ran|wrote|sent|got|became|built|paid|ate|drove|found|happens?|meeting|appointment"
)
_PREFERENCE = (
    r"prefers?|preferred|preferences?|favou?rites?|dislikes?|hates|loves|enjoys|would rather"
    r"|likes? (?:\w+ ){0,4}(?:better|best|more)|(?:user|she|he|they|i) (?:really )?likes?"
)
_SOMEBODY = (
    r"(?:my|his|her|their|\w+['\u2019]s) (?:\w+ )?name is"
    r"|(?:i am|i['\u2019]m|she is|he is|the user is|user is) an? \w+"
    r"|works as an?|pronouns are|(?:i am|i['\u2019]m|(?:she|he|user) is) called \w+|my name['\u2019]s"
)


@cache
def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)")


def infer_kind(content: str) -> tuple[Kind, EntryClass]:
    """The kind and class that a text shows by its own words; the first rule that fits decides."""
    head = content[:8].lower()
    if head.startswith(("[todo]", "todo:")):
        return "todo", "procedural"
    if content[:10].lower() == "[bulletin]":
        return "event", "bulletin"
    kind = _kind_by_words(content[:2_000].lower())
    return kind, _CLASS_OF[kind]


def _kind_by_words(text: str) -> Kind:
    rules: tuple[tuple[Kind, str], ...] = (
        ("preference", _PREFERENCE),
        ("decision", "decided|decisions?"),
        ("goal", r"goals?|aims? to"),
        ("identity", _SOMEBODY),
    )
    for kind, pattern in rules:
        if _words(pattern).search(text):
            return kind
    if _words(_DATED).search(text) and _words(_HAPPENED).search(text):
        return "event"
    if _words(r"noticed|observed|observation|seems to|appears to|spotted").search(text):
        return "observation"
    return "fact"


def class_of(kind: Kind) -> EntryClass:
    """The class that a kind has when none was given."""
    return _CLASS_OF[kind]


def expiry(
    *, kind: Kind, entry_class: EntryClass, status: Status, now: int, retention: Retention
) -> int | None:
    """When an entry that is as it is from `now` on stops being an answer; None is never."""
    from lukasa.clock import DAY  # noqa: PLC0415 - tables of tools name kinds, and need no calendar

    if kind == "todo" and status != "open":
        return now + retention.completed_days * DAY
    if entry_class == "episodic":
        return now + retention.episodic_days * DAY
    if entry_class == "bulletin":
        return now + retention.bulletin_days * DAY
    return None


def check_kind(text: str) -> Kind:
    """The kind of that name, or an error that lists them."""
    return one_of("kind", text, KINDS)


def check_class(text: str) -> EntryClass:
    """The class of that name, or an error that lists them."""
    return one_of("class", text, CLASSES)


def check_status(text: str) -> Status:
    """The status of that name; `done` is said for completed."""
    return one_of("status", "completed" if text == "done" else text, STATUSES)


def check_relation(text: str) -> Relation:
    """The relation of that name, or an error that lists them."""
    return one_of("relation", text, RELATIONS)


def one_of(what: str, text: str, allowed: tuple[T, ...]) -> T:
    """The one of a fixed set that a text spells, or an error that lists the set."""
    for value in allowed:
        if text == value:
            return value
    article = "An" if what[0] in "aeiou" else "A"
    raise UsageError(
        f"{article} {what} was wanted, found {text!r}.", fix=f"Use one of: {', '.join(allowed)}."
    )
