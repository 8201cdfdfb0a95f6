"""The encoder that is distilled: all-MiniLM-L6-v2, from its weights, on one thread.

One thread and batches that are always the same, so that the last bit of a sum does not depend on the moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from safetensors.numpy import load_file
from tokenizers import Tokenizer
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

WIDTH, HEADS, LAYERS = 384, 12, 6
LONGEST = 256
FIRST, LAST = 101, 102
_BATCH, _PIECES_AT_ONCE = 32, 512
_EPSILON = 1e-12


class Encoder:
    """Texts to the states of their pieces."""

    def __init__(self, folder: Path) -> None:
        stored = load_file(folder / "model.safetensors")
        self._weights = {
            name.removeprefix("bert."): torch.from_numpy(values)
            for name, values in stored.items()
            if values.dtype != np.int64
        }
        self.vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)

    @torch.no_grad()
    def states(self, pieces: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The last layer's state of each piece."""
        count, length = pieces.shape
        weights = self._weights
        state = (
            weights["embeddings.word_embeddings.weight"][pieces]
            + weights["embeddings.position_embeddings.weight"][:length]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        state = self._norm("embeddings.LayerNorm", state)
        bias = (1 - mask.float())[:, None, None, :] * -1e9
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}."
            query, key, value = (
                self._linear(f"{at}attention.self.{part}", state)
                .view(count, length, HEADS, WIDTH // HEADS)
                .transpose(1, 2)
                for part in ("query", "key", "value")
            )
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
            seen = seen.transpose(1, 2).reshape(count, length, WIDTH)
            seen = self._linear(f"{at}attention.output.dense", seen)
            state = self._norm(f"{at}attention.output.LayerNorm", state + seen)
            wide = functional.gelu(self._linear(f"{at}intermediate.dense", state))
            state = self._norm(f"{at}output.LayerNorm", state + self._linear(f"{at}output.dense", wide))
        return state

    def alone(self) -> np.ndarray:
        """Each piece of the vocabulary as a text of its own."""
        size = len(self.vocabulary)
        means = np.zeros((size, WIDTH), np.float32)
        for start in range(0, size, _PIECES_AT_ONCE):
            stop = min(start + _PIECES_AT_ONCE, size)
            pieces = torch.tensor([[FIRST, piece, LAST] for piece in range(start, stop)])
            means[start:stop] = self.states(pieces, torch.ones_like(pieces)).numpy().mean(1)
        return means

    def texts(self, texts: Sequence[str]) -> dict[str, np.ndarray]:
        """The mean state of each text; and for each piece that occurs, the sum of its states and how many."""
        encoded = [one.ids for one in self.tokenizer.encode_batch(list(texts))]
        order = np.argsort([len(one) for one in encoded], kind="stable")
        means = np.zeros((len(texts), WIDTH), np.float32)
        pieces, states = [], []
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            padded, mask = _padded([encoded[row] for row in rows])
            state = self.states(padded, mask)
            share = mask[:, :, None].float()
            means[rows] = ((state * share).sum(1) / share.sum(1)).numpy()
            pieces.append(padded[mask.bool()].numpy())
            states.append(state[mask.bool()].numpy())
        return {"means": means, **_summed(np.concatenate(pieces), np.concatenate(states))}

    def _linear(self, name: str, state: torch.Tensor) -> torch.Tensor:
        return functional.linear(state, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _norm(self, name: str, state: torch.Tensor) -> torch.Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return functional.layer_norm(state, (WIDTH,), weight, bias, _EPSILON)


def _padded(encoded: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    length = max(len(one) for one in encoded)
    pieces = torch.zeros((len(encoded), length), dtype=torch.long)
    mask = torch.zeros((len(encoded), length), dtype=torch.long)
    for row, one in enumerate(encoded):
        pieces[row, : len(one)] = torch.tensor(one)
        mask[row, : len(one)] = 1
    return pieces, mask


def _summed(pieces: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
    order = np.argsort(pieces, kind="stable")
    known, starts, counts = np.unique(pieces[order], return_index=True, return_counts=True)
    return {"pieces": known, "counts": counts, "sums": np.add.reduceat(states[order], starts, axis=0)}
