"""A question as the search takes it: its words, whom it names, and of which time it speaks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lukasa.recall.times import spans_of
from lukasa.text.terms import key_of, terms_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lukasa.recall.times import Span

# A question as long as a book is answered by its beginning.
_LOOKED_AT = 20_000
_MOST_TERMS = 400
_WORD = re.compile(r"[^\W_][\w'.-]*[^\W_]|[^\W_]")
_TELLING = 3
# In a talk between a user and an assistant, "my" is the user's, and what "you" said was the assistant's.
_OF_ASSISTANT = re.compile(
    r"\bremind me\b|\byou (?:\w+ ){0,2}?(?:said|told|gave|wrote|made|mentioned|recommended|suggested|provided"
    r"|listed|explained|described|advised|proposed|shared)\b|\b(?:our|your) (?:previous|last|earlier|past)\b"
)
_OF_USER = re.compile(r"\b(?:i|i'[a-z]+|me|my|mine|myself)\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked, in the forms in which each way of finding needs it."""

    text: str
    terms: tuple[str, ...]
    keys: tuple[int, ...]
    speakers: tuple[str, ...]
    """Those whose words are asked for: whom the question names, or the role that it speaks of."""
    meant: str
    """The text without the names of those who spoke: what it means apart from whom it is about."""
    spans: tuple[Span, ...]


def question_of(
    text: str, *, language: str, speakers: Iterable[str], now: int, latest: int | None = None
) -> Question:
    """The question that a text asks of those who spoke, the last of them at `latest`."""
    text = text[:_LOOKED_AT].replace("\u2019", "'")
    known = tuple(speakers)
    words = {word.casefold().removesuffix("'s") for word in _WORD.findall(text)}
    named = tuple(sorted(name for name in known if words & set(_telling(name))))
    terms = tuple(dict.fromkeys(terms_of(text, language=language)))[:_MOST_TERMS]
    of_names = {term for name in named for term in terms_of(name, language=language)}
    about = tuple(term for term in terms if term not in of_names) or terms
    return Question(
        text=text,
        terms=about,
        keys=tuple(key_of(term) for term in about),
        speakers=named or _roles(text, known),
        meant=_without(text, named),
        spans=spans_of(text, now=now, latest=latest),
    )


def _roles(text: str, speakers: Iterable[str]) -> tuple[str, ...]:
    """The role that a question speaks of without a name, if anybody spoke in it."""
    lowered = text.lower()
    role = "assistant" if _OF_ASSISTANT.search(lowered) else "user" if _OF_USER.search(lowered) else ""
    return tuple(name for name in speakers if name == role)


def _telling(name: str) -> list[str]:
    """The words of a name by which somebody is called."""
    return [word for word in name.split() if len(word) >= _TELLING]


def _without(text: str, names: Iterable[str]) -> str:
    words = [re.escape(word) for name in names for word in _telling(name)]
    if not words:
        return text
    rest = re.sub(rf"\b(?:{'|'.join(words)})\b(?:'s)?", " ", text, flags=re.IGNORECASE).strip()
    return rest if _WORD.search(rest) else text
