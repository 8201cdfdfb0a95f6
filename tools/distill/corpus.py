"""The texts that the model is fitted to: the same ones, in the same order, from the same sources.

Definitions and examples of WordNet 3.0, sentences of Jane Austen's novels, the talk of chatterbot-corpus, and
sentences made from `templates.txt` with the words of WordNet. Nothing that recall is measured with.
"""

from __future__ import annotations

import random
import re
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

SIZE = 48_000
_SEED = 7
_WORDNET = "wordnet-base/usr/share/wordnet"
_NOVELS = "r-cran-janeaustenr/usr/lib/R/site-library/janeaustenr/data/Rdata.rdb"
_TALK = "chatterbot_corpus/data/english"
_NOUNS = {
    "04": "act", "05": "animal", "06": "thing", "09": "idea", "10": "words", "11": "event", "12": "feeling",
    "13": "food", "14": "group", "15": "place", "18": "person", "20": "plant", "26": "state",
}  # fmt: skip
_KIN = (
    "mother father mom dad sister brother wife husband son daughter aunt uncle cousin grandmother grandfather"
    " friend roommate boss neighbor girlfriend boyfriend partner kids coworker teacher therapist"
)
_WHEN = (
    "yesterday;today;last week;last month;last year;tomorrow;next weekend;this summer;on Friday;"
    "on Monday morning;two days ago;in March;in 2021;in July;tonight;recently;a few years ago;last night;"
    "this morning;for my birthday;over the holidays"
)
_LIKED = (
    "great good amazing hard nice new old beautiful expensive cheap favorite difficult fun scary relaxing"
    " interesting strange awesome peaceful stressful delicious tiny huge local"
)


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """One set of synonyms of WordNet."""

    words: tuple[str, ...]
    definition: str
    examples: tuple[str, ...]


def corpus(sources: Path, vocabulary: set[str]) -> list[str]:
    """The texts, shuffled once and for all."""
    chance = random.Random(_SEED)
    made = _made(_slots(sources, vocabulary), chance)
    meanings = _meanings(sources / _WORDNET)
    examples = [text[0].upper() + text[1:] for one in meanings for text in one.examples if text]
    definitions = [
        f"{', '.join(one.words)}: {one.definition}"
        for one in meanings
        if one.definition and len(one.definition) < 140
    ]
    chance.shuffle(definitions)
    novels = [text for text in _sentences(sources / _NOVELS) if 20 < len(text) < 220]
    chance.shuffle(novels)
    chance.shuffle(examples)
    texts = [*examples, *definitions[:40_000], *novels[:12_000], *_talk(sources / _TALK), *made]
    pool = list(texts)
    chance.shuffle(pool)
    # Texts of several sentences, so that long ones are known too.
    texts += [" ".join(chance.sample(pool, chance.randint(2, 4))) for _ in range(8_000)]
    chance.shuffle(texts)
    return texts[:SIZE]


def _meanings(folder: Path) -> list[Meaning]:
    found: list[Meaning] = []
    for kind in ("noun", "verb", "adj", "adv"):
        for line in _lines(folder / f"data.{kind}"):
            left, gloss = line.split("|", 1)
            fields = left.split()
            words = [fields[4 + 2 * place] for place in range(int(fields[3], 16))]
            parts = [part.strip() for part in re.split(r'; (?=")|; (?!")', gloss.strip()) if part.strip()]
            found.append(
                Meaning(
                    words=tuple(re.sub(r"\(.*\)", "", word).replace("_", " ") for word in words),
                    definition="; ".join(part for part in parts if not part.startswith('"')),
                    examples=tuple(part.strip('" ') for part in parts if part.startswith('"')),
                )
            )
    return found


def _slots(sources: Path, vocabulary: set[str]) -> dict[str, list[str]]:
    """The words that may stand in each place of a template: common ones, by their first meaning."""
    folder = sources / _WORDNET
    slots: dict[str, list[str]] = {}
    for kind in ("noun", "verb"):
        classes = {line[:8]: line.split()[1] for line in _lines(folder / f"data.{kind}")}
        for line in _lines(folder / f"index.{kind}"):
            fields = line.split()
            word, pointers = fields[0], int(fields[3])
            is_used, first = int(fields[5 + pointers]), classes[fields[6 + pointers]]
            if word in vocabulary and len(word) > 2 and is_used:
                slot = "verb" if kind == "verb" else _NOUNS.get(first, "other")
                slots.setdefault(slot, []).append(word)
            elif word.count("_") == 1 and kind == "noun" and is_used:
                slots.setdefault(_NOUNS.get(first, "other"), []).append(word.replace("_", " "))
    return {**slots, "kin": _KIN.split(), "when": _WHEN.split(";"), "adj": _LIKED.split()}


def _made(slots: dict[str, list[str]], chance: random.Random) -> list[str]:
    templates = (Path(__file__).parent / "templates.txt").read_text(encoding="utf-8").splitlines()
    return [
        re.sub(r"\{(\w+)\}", lambda slot: chance.choice(slots[slot[1]]), templates[number % len(templates)])
        for number in range(20_000)
    ]


def _lines(path: Path) -> list[str]:
    """Without the licence, which stands first, indented."""
    return [line for line in path.open(encoding="latin-1") if not line.startswith("  ")]


def _sentences(path: Path) -> list[str]:
    """The novels lie in an R database: zlib streams, in which each string has a mark and its length."""
    stored, at, lines = path.read_bytes(), 0, list[str]()
    while at < len(stored):
        stream = zlib.decompressobj()
        body = stream.decompress(stored[at + 4 :])
        at = len(stored) - len(stream.unused_data)
        for mark in re.finditer(rb"\x00\x04\x00\x09(....)", body, re.DOTALL):
            length = struct.unpack(">i", mark[1])[0]
            if 0 < length < 200:
                lines.append(body[mark.end() : mark.end() + length].decode("utf-8", "replace"))
    return [text.strip() for text in re.split(r'(?<=[.!?])["_]?\s+', " ".join(lines))]


def _talk(folder: Path) -> list[str]:
    found: list[str] = []
    for path in sorted(folder.glob("*.yml")):
        for line in path.open(encoding="utf-8"):
            said = re.match(r"\s*-\s*(?:-\s*)?(.+)", line)
            if said and len(said[1]) > 8:
                found.append(said[1].strip("'\" ")[:300])
    return found
