"""From the encoder's states to a row for each piece: a start, then a fit.

The start of a piece is its mean state over the corpus, drawn towards its state when it stands alone, in the
space of the texts' main directions. The fit moves the rows until the sum of a text's rows points where the
encoder puts the text. Of what comes out the direction counts; how long a row is, its frequency says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

WIDTH = 256
EPOCHS, RATE, PULL, BATCH = 6, 2e-3, 1e-2, 512
# So many occurrences weigh as much as the piece alone.
_ALONE = 5.0
# A piece that makes up this share of all counts half.
COMMON = 1e-3
# What all rows have in common: how much a text says at all, beside what it says.
SHARED = 0.5


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What the encoder made of the corpus."""

    pieces: list[list[int]]
    targets: np.ndarray
    states: np.ndarray
    counts: np.ndarray
    alone: np.ndarray


def rows_of(seen: Seen, is_kept: np.ndarray) -> np.ndarray:
    """A row for each piece of the whole vocabulary: fitted direction and what is shared, by frequency."""
    frequency = np.zeros(len(seen.alone))
    for text in seen.pieces:
        np.add.at(frequency, text, 1)
    weight = (COMMON / (COMMON + frequency / frequency.sum()))[:, None]
    middle, axes = _axes(seen.targets)
    around = (seen.states + _ALONE * seen.alone) / (seen.counts + _ALONE)[:, None]
    start = _unit((around - around[is_kept].mean(0)) @ axes) * weight
    fitted = _fitted(seen.pieces, start, (seen.targets - middle) @ axes)
    return np.hstack([_unit(fitted[:, : WIDTH - 1]) * weight, SHARED * weight])


def _axes(texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    middle = texts.mean(0)
    _, axes = np.linalg.eigh((texts - middle).T @ (texts - middle))
    return middle, axes[:, ::-1][:, :WIDTH]


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def _fitted(pieces: list[list[int]], start: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Adam on one less the cosine; after each step, the rows are drawn a little to where they began."""
    torch.manual_seed(0)
    first = torch.tensor(start, dtype=torch.float32)
    rows = first.clone().requires_grad_()
    wanted = torch.tensor(_unit(targets), dtype=torch.float32)
    adam = torch.optim.Adam([rows], lr=RATE)
    chance = torch.Generator().manual_seed(0)
    steps, step = EPOCHS * (len(pieces) // BATCH), 0
    for epoch in range(EPOCHS):
        order, losses = torch.randperm(len(pieces), generator=chance).numpy(), 0.0
        for at in range(0, len(order) - BATCH + 1, BATCH):
            chosen = order[at : at + BATCH]
            adam.param_groups[0]["lr"] = RATE * (1 - step / steps)
            loss = (1 - functional.cosine_similarity(_sums(rows, pieces, chosen), wanted[chosen])).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
            with torch.no_grad():
                rows.add_(first - rows, alpha=PULL * (1 - step / steps))
            step, losses = step + 1, losses + loss.item()
        print(f"fit {epoch + 1} of {EPOCHS}: {losses / (len(pieces) // BATCH):.5f}", flush=True)
    return rows.detach().numpy()


def _sums(rows: torch.Tensor, pieces: list[list[int]], chosen: np.ndarray) -> torch.Tensor:
    flat = torch.tensor(np.concatenate([pieces[text] for text in chosen]))
    starts = torch.tensor(np.cumsum([0] + [len(pieces[text]) for text in chosen])[:-1])
    return functional.embedding_bag(flat, rows, starts, mode="sum")
