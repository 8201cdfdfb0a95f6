"""What can be known of a text without a model: its terms, its pieces, its concept tags, its stop words."""

from __future__ import annotations

from lukasa.text.concepts import concept_tags
from lukasa.text.stopwords import STOP_WORDS

__all__ = ["STOP_WORDS", "concept_tags"]
