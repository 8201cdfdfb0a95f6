"""What a caller may say of an entry, and how each part is made clean at the door.

Whatever comes in (library, command, import, tool) goes through `clean`: trimmed, normalised,
within its limits, free of secrets. What comes out can be stored as it is.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict

from lukasa.clock import check_instant, parse_time, to_millis
from lukasa.entries.kinds import check_class, check_kind, check_status
from lukasa.errors import UsageError
from lukasa.secrets import admit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lukasa.config import SecretPolicy
    from lukasa.db.database import Json

MAX_CONTENT = 100_000
MAX_NAME = 200
MAX_TAGS = 16
MAX_TAG = 64
MAX_DEPTH = 64
_NOT_CATEGORY = re.compile(r"[^a-z0-9]+")


class Fields(TypedDict, total=False):
    """The parts of an entry that a caller may give. None clears one, where it can be empty."""

    kind: str | None
    entry_class: str | None
    category: str | None
    tags: Sequence[str]
    summary: str | None
    name: str | None
    importance: float
    confidence: float
    pinned: bool
    status: str
    source_type: str | None
    source_id: str | None
    session_id: str | None
    metadata: Mapping[str, Json] | None
    context: str | None
    expires_at: int | str | datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Door:
    """What stands at the door: the secrets policy, and the time that spans count from."""

    secrets: SecretPolicy
    now: int


def clean(fields: Fields, door: Door) -> Fields:
    """The same fields, each in the form in which it is stored."""
    kept: Fields = {}
    if kind := fields.get("kind"):
        kept["kind"] = check_kind(kind)
    if given := fields.get("entry_class"):
        kept["entry_class"] = check_class(given)
    if "status" in fields:
        kept["status"] = check_status(fields["status"])
    if "category" in fields:
        kept["category"] = clean_category(clean_text(fields["category"], "category", door) or "")
    if "tags" in fields:
        given = list_of_tags(fields["tags"])
        kept["tags"] = clean_tags([clean_text(tag, "tag", door) or "" for tag in given])
    if "name" in fields:
        name = fields["name"]
        kept["name"] = None if name is None else clean_name(name, door)
    if "pinned" in fields:
        kept["pinned"] = bool(fields["pinned"])
    if "metadata" in fields:
        kept["metadata"] = _clean_metadata(fields["metadata"] or {}, door)
    if "expires_at" in fields:
        kept["expires_at"] = _clean_expiry(fields["expires_at"], door.now)
    return kept | _clean_scores(fields) | _clean_texts(fields, door)


def _clean_scores(fields: Fields) -> Fields:
    kept: Fields = {}
    if "importance" in fields:
        kept["importance"] = clean_score(fields["importance"], "importance")
    if "confidence" in fields:
        kept["confidence"] = clean_score(fields["confidence"], "confidence")
    return kept


def _clean_texts(fields: Fields, door: Door) -> Fields:
    kept: Fields = {}
    if "summary" in fields:
        kept["summary"] = clean_text(fields["summary"], "summary", door)
    if "context" in fields:
        kept["context"] = clean_text(fields["context"], "context", door)
    if "source_type" in fields:
        kept["source_type"] = clean_text(fields["source_type"], "source type", door)
    if "source_id" in fields:
        kept["source_id"] = clean_text(fields["source_id"], "source id", door)
    if "session_id" in fields:
        kept["session_id"] = clean_text(fields["session_id"], "session id", door)
    return kept


def clean_content(content: str, door: Door) -> str:
    """The text itself: trimmed, not blank, not over the limit, free of secrets."""
    text = admit(storable(content, "content").strip(), policy=door.secrets, where="content")
    if not text:
        raise UsageError("A content was wanted, found only white space.", fix="Say what is to be remembered.")
    if len(text) > MAX_CONTENT:
        raise UsageError(
            f"The content has {len(text):,} characters; at most {MAX_CONTENT:,} are kept.",
            fix="Split it in parts.",
        )
    return text


def clean_name(name: str, door: Door) -> str:
    """A name or alias: NFC, 1 to 200 characters, free of secrets."""
    spelled = unicodedata.normalize("NFC", storable(name, "name")).strip()
    # First this: what stands for a secret that was taken out can be longer than the secret.
    text = admit(spelled, policy=door.secrets, where="name")
    if not 1 <= len(text) <= MAX_NAME:
        raise UsageError(
            f"A name of 1 to {MAX_NAME} characters was wanted, found {len(text)}.", fix="Shorten it."
        )
    return text


def clean_category(text: str) -> str:
    """Lower case a-z 0-9 and single underscores; `general` where nothing is left."""
    return _NOT_CATEGORY.sub("_", text.lower()).strip("_") or "general"


def clean_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Spelled as tags are, and no more of them than an entry may have."""
    return spell_tags(tags)[:MAX_TAGS]


def spell_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Trimmed, lower-cased, cut, each once, in order."""
    cut = (storable(tag, "tag").strip().lower()[:MAX_TAG].strip() for tag in list_of_tags(tags))
    return tuple(dict.fromkeys(tag for tag in cut if tag))


def list_of_tags(tags: Sequence[str] | None) -> Sequence[str]:
    """The tags themselves; one text is refused, since it would be taken for a list of its letters."""
    if isinstance(tags, str):
        raise UsageError(f"A list of tags was wanted, found {tags!r}.", fix=f"Write [{tags!r}].")
    return tags or ()


def clean_score(value: float, what: str) -> float:
    """A number brought into 0..1; what is not a number is refused."""
    if isinstance(value, float) and math.isnan(value):
        raise UsageError(
            f"The {what} should be a number from 0 to 1, found NaN.", fix="Leave it out for the default."
        )
    return float(min(1, max(0, value)))


def _clean_expiry(value: int | str | datetime | None, now: int) -> int | str | None:
    if isinstance(value, datetime):
        return to_millis(value)
    if isinstance(value, str) and value != "never":
        return parse_time(value, now=now)
    return check_instant(value) if isinstance(value, int) else value


def _clean_metadata(metadata: Mapping[str, Json], door: Door, depth: int = 0) -> dict[str, Json]:
    return {_admitted(key, door): clean_json(value, door, depth + 1) for key, value in metadata.items()}


def clean_json(value: Json, door: Door, depth: int = 0) -> Json:
    """The same value, each text in it free of secrets; what JSON cannot say is refused."""
    if depth > MAX_DEPTH:
        raise UsageError(f"The metadata is nested deeper than {MAX_DEPTH} levels.", fix="Flatten it.")
    if isinstance(value, str):
        return _admitted(value, door)
    if isinstance(value, list):
        return [clean_json(item, door, depth + 1) for item in value]
    if isinstance(value, dict):
        return _clean_metadata(value, door, depth)
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(
            f"The metadata holds {value}, which JSON cannot say.", fix="Use a finite number or null."
        )
    return value


def _admitted(text: str, door: Door) -> str:
    return admit(storable(text, "metadata"), policy=door.secrets, where="metadata")


def clean_text(text: str | None, where: str, door: Door) -> str | None:
    """A short text: trimmed, free of secrets; a blank one is none."""
    if text is None:
        return None
    return admit(storable(text, where).strip(), policy=door.secrets, where=where) or None


def storable(text: str, where: str) -> str:
    """Text that both engines can keep: no NUL, no half of a surrogate pair."""
    if "\0" in text:
        raise UsageError(f"The {where} holds a NUL character.", fix="Take it out.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"The {where} holds half of a surrogate pair.", fix="Decode it as UTF-8 first."
        ) from None
    return text
