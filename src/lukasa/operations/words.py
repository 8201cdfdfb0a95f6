"""What many operations take: the parts of an entry, what narrows a list, how a recall is asked for.

Each group is a TypedDict whose keys carry their help; a signature unpacks it, and a schema spells it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

from lukasa.config import Fusion, Mode
from lukasa.entries.kinds import EntryClass, Kind, Status

if TYPE_CHECKING:
    from lukasa.db.database import Json

    Object = Mapping[str, Json]
else:
    Object = Mapping  # what JSON is refers to itself, which a schema need not follow
Ref = int | str


class Unnamed(TypedDict, total=False):
    """All that can be said of an entry beside its text and its name."""

    kind: Annotated[Kind, "What it is. Left out, it is seen from the text."]
    entry_class: Annotated[EntryClass, "How long it stays of interest. Left out, it follows from the kind."]
    category: Annotated[str, "A word of your own to sort by; general if left out."]
    tags: Annotated[Sequence[str], "Words to find it by, at most 16."]
    summary: Annotated[str, "A short form of the text."]
    importance: Annotated[float, "From 0 to 1; 0.5 if left out."]
    confidence: Annotated[float, "How sure it is, from 0 to 1; 0.7 if left out."]
    pinned: Annotated[bool, "Whether it is kept whatever upkeep does."]
    status: Annotated[Status, "Whether a todo is open, completed or cancelled."]
    expires_at: Annotated[str, "When it stops being an answer: 30d, 2026-05-01T10:00:00Z, or never."]
    source_type: Annotated[str, "What it came from, such as mail."]
    source_id: Annotated[str, "Which one of these, such as a message id."]
    session_id: Annotated[str, "The conversation in which it was said."]
    metadata: Annotated[Object, "An object of your own, kept as it is."]
    context: Annotated[str, "How it came to be known; kept, not searched."]


class Parts(Unnamed, total=False):
    """All that can be said of an entry beside its text."""

    name: Annotated[str, "A name to get it by, unique in its space."]


class Changes(TypedDict, total=False):
    """What can be changed of an entry beside its text; null empties a part."""

    name: Annotated[str | None, "Another name; null takes it away."]
    kind: Annotated[Kind | None, "What it is; null has it seen from the text again."]
    entry_class: Annotated[EntryClass | None, "How long it stays of interest; null has it follow the kind."]
    category: Annotated[str | None, "Another category; null is general."]
    tags: Annotated[Sequence[str], "The whole new list of tags."]
    summary: Annotated[str | None, "A short form of the text."]
    importance: Annotated[float, "From 0 to 1."]
    confidence: Annotated[float, "How sure it is, from 0 to 1."]
    pinned: Annotated[bool, "Whether it is kept whatever upkeep does."]
    status: Annotated[Status, "Whether a todo is open, completed or cancelled."]
    expires_at: Annotated[str | None, "30d, 2026-05-01T10:00:00Z, or never; null is as its class has it."]
    source_type: Annotated[str | None, "What it came from."]
    source_id: Annotated[str | None, "Which one of these."]
    session_id: Annotated[str | None, "The conversation in which it was said."]
    metadata: Annotated[Object | None, "An object of your own, kept as it is."]
    context: Annotated[str | None, "How it came to be known."]


class Making(TypedDict, total=False):
    """What a binding says of every new memory."""

    session_id: str


class Narrow(TypedDict, total=False):
    """What a list or a recall may be narrowed by; each is a must."""

    scope: Annotated[str, "One space only, such as project/apollo."]
    kinds: Annotated[Sequence[Kind], "Only entries of one of these kinds."]
    classes: Annotated[Sequence[EntryClass], "Only entries of one of these classes."]
    category: Annotated[str, "Only entries of this category."]
    status: Annotated[Status, "Only open, completed or cancelled ones."]
    tags: Annotated[Sequence[str], "Only entries that have all of these tags."]
    text: Annotated[str, "A piece of the text, summary or name; letter case does not matter."]
    source_type: Annotated[str, "Only what came from there."]
    source_id: Annotated[str, "Only what came from that one."]
    session_id: Annotated[str, "Only what was said in that conversation."]
    since: Annotated[str, "From this moment: 7d (ago), or 2026-05-01."]
    until: Annotated[str, "Before this moment."]


class Weighing(TypedDict):
    """What each way of finding counts for; together they make up one."""

    semantic: Annotated[float, "Meaning, 0 to 1."]
    keyword: Annotated[float, "Words, 0 to 1."]
    graph: Annotated[float, "Links, 0 to 1."]


class Ways(Narrow, total=False):
    """How a recall is to be answered; what is left out is as the settings of the store say."""

    mode: Annotated[Mode, "By words, by meaning, or both."]
    fusion: Annotated[Fusion, "How the reasons are put together."]
    weights: Annotated[Weighing, "What each way of finding counts for; together 1."]
    as_of: Annotated[str, "What was known then: 2d (ago), or 2026-05-01."]
    floor: Annotated[float, "Leave out what is less relevant than this, from 0 to 1."]
