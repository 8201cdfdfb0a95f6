"""What a text is indexed and searched by: its terms.

NFKC, casefolded, stop words dropped, stemmed; identifiers stand whole and in their parts (`src/main.rs`,
`getUserName`, `user_id`), words with a hyphen also as one (`e-mail`: email, mail), `C#`, `C++` and emoji as
they are, scripts without spaces as pairs of characters. Always true: a text and a question go through the
same steps; a text of nothing but stop words keeps them, so that "The Who" can be found.
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from struct import pack
from typing import TYPE_CHECKING

from lukasa.errors import UsageError
from lukasa.text.concepts import CJK, MARKS
from lukasa.text.irregular import IRREGULAR
from lukasa.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ENGLISH = "english"
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'"})
# What stands in a word beside letters and digits; the signs at its end make C# and C++ words of their own.
_EMOJI = "\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff"
_TOKEN = re.compile(
    rf"\w[\w{MARKS}]*(?:(?:[-./:@']|::|://)\w[\w{MARKS}]*)*(?:\+\+(?!\w)|#(?!\w))?|[{_EMOJI}]"
)
_PART = re.compile(rf"[^\W_](?:[^\W_]|[{MARKS}])*")
_HUMPS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_ENDING = re.compile(r"'(?:s|t|re|ve|ll|d|m)\Z")
# Thai, Lao, Burmese and Khmer put no spaces between words either.
_SPACELESS = f"{CJK[:-1]}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
_HYPHENED = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
_CACHED = 1 << 17
_MOST_COUNTED = 255
# One long identifier is not worth a posting of its own; its parts are.
_LONGEST = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """The distinct terms of a text as the index keeps them: keys in order, and how often each stands."""

    length: int
    keys: bytes
    counts: bytes


class _Stemmers(threading.local):
    """A stemmer keeps a cache of its own while it works, so each thread has one."""

    def __init__(self) -> None:
        self.made: dict[str, Callable[[str], str]] = {}

    def get(self, language: str) -> Callable[[str], str]:
        if language not in self.made:
            import Stemmer  # noqa: PLC0415 - not before a text is indexed

            self.made[language] = Stemmer.Stemmer(language).stemWord
        return self.made[language]


_stemmers = _Stemmers()


def check_language(language: str) -> str:
    """The language itself, or an error that names those that have a stemmer."""
    import Stemmer  # noqa: PLC0415 - see above

    known = Stemmer.algorithms()
    if language in known:
        return language
    raise UsageError(
        f"A language with a stemmer was wanted, found {language!r}.", fix=f"Choose one of {', '.join(known)}."
    )


def terms_of(text: str, *, language: str = ENGLISH) -> list[str]:
    """Every term of a text, in order; those of stop words only if there is nothing else."""
    spelled = text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)
    tokens = _TOKEN.findall(spelled)
    found = [term for token in tokens for term in _terms_in(token, language, stop=True)]
    return found or [term for token in tokens for term in _terms_in(token, language, stop=False)]


def encode(terms: Iterable[str]) -> Terms:
    """Terms as the index keeps them."""
    counted = sorted((key_of(term), count) for term, count in Counter(terms).items())
    return Terms(
        length=sum(count for _, count in counted),
        keys=pack(f"<{len(counted)}q", *(key for key, _ in counted)),
        counts=bytes(min(count, _MOST_COUNTED) for _, count in counted),
    )


def key_of(term: str) -> int:
    """The number that stands for a term: 64 bits of its hash, the same on every machine."""
    return _known_key(term) if len(term) <= _LONGEST else _key(term)


def _key(term: str) -> int:
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "little", signed=True)


def _terms_in(token: str, language: str, *, stop: bool) -> tuple[str, ...]:
    return (_known_terms if len(token) <= _LONGEST else _terms)(token, language, stop=stop)


def _terms(token: str, language: str, *, stop: bool) -> tuple[str, ...]:
    word = _ENDING.sub("", token.casefold())
    if stop and word in STOP_WORDS:
        return ()
    if not word[0].isalnum() and re.match(f"[{_EMOJI}]", word):
        return (word,)
    if re.search(_SPACELESS, word):
        return tuple(_pairs(word))
    parts = [part for part in _parts(token) if not (stop and part in STOP_WORDS)]
    stems = [_stem(part, language) for part in parts]
    if _HYPHENED.fullmatch(word):
        return (_stem(word.replace("-", ""), language), *stems)
    is_whole = len(parts) == 1 and parts[0] == word
    if is_whole or len(word) > _LONGEST or not any(map(str.isalnum, word)):
        return tuple(stems)
    return (word, *stems) if len(word) > len("c++") or word.isalnum() else (word,)


# What is remembered is short: a text without a space would stay in memory whole, and so would many of them.
_known_key = lru_cache(maxsize=_CACHED)(_key)
_known_terms = lru_cache(maxsize=_CACHED)(_terms)


def _parts(token: str) -> Iterator[str]:
    """The words that a token is made of: between signs, underscores and humps."""
    for piece in _PART.findall(_ENDING.sub("", token)):
        humps = _HUMPS.findall(piece) if piece.isascii() and not piece.islower() else []
        yield from (hump.casefold() for hump in humps) if len(humps) > 1 else (piece.casefold(),)


def _stem(word: str, language: str) -> str:
    if not word.isalpha():
        return word
    return _stemmers.get(language)(IRREGULAR.get(word, word) if language == ENGLISH else word)


def _pairs(word: str) -> Iterator[str]:
    """Overlapping pairs of characters where there are no spaces; other runs as they are."""
    for run in re.findall(rf"{_SPACELESS}+|[^\W_]+?(?={_SPACELESS}|[\W_]|\Z)", word):
        if len(run) > 1 and re.match(_SPACELESS, run):
            yield from (run[at : at + 2] for at in range(len(run) - 1))
        else:
            yield run
