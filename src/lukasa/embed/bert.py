"""A BERT encoder from its safetensors file to an ONNX file, its weights in eight bits.

Each column of a weight, and each row of the table of words, has a step of its own; a weight keeps to 7 of its
bits, because with 8 the sums overflow on processors without a certain instruction, and vectors would differ
from machine to machine. Nothing is drawn by lot: the same weights give the same file, to the byte.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from lukasa.embed.onnx_file import Graph, port
from lukasa.matrices import np

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from lukasa.matrices import Matrix, Vector

_STEPS, _TABLE_STEPS = 63, 127
_EPSILON = 1e-12


def read_tensors(path: Path) -> dict[str, NDArray[np.float32]]:
    """The float32 tensors of a safetensors file, by name."""
    with path.open("rb") as file:
        head = cast(
            "dict[str, dict[str, object]]", json.loads(file.read(int.from_bytes(file.read(8), "little")))
        )
        body = file.read()
    found: dict[str, NDArray[np.float32]] = {}
    for name, about in head.items():
        if about.get("dtype") == "F32":
            first, last = cast("list[int]", about["data_offsets"])
            values = np.frombuffer(body[first:last], dtype="<f4")
            found[name] = values.reshape(cast("list[int]", about["shape"]))
    return found


def is_bert(tensors: Mapping[str, NDArray[np.float32]]) -> bool:
    """Whether these are the weights of a BERT encoder."""
    return {
        "embeddings.word_embeddings.weight",
        "encoder.layer.0.attention.self.query.weight",
    } <= tensors.keys()


def encoder(tensors: Mapping[str, NDArray[np.float32]], *, heads: int) -> bytes:
    """The ONNX file of an encoder: token ids and their mask in, a vector for each token out."""
    return _Encoder(tensors, heads).file()


class _Encoder:
    """The graph of one encoder, layer upon layer."""

    def __init__(self, tensors: Mapping[str, NDArray[np.float32]], heads: int) -> None:
        self._tensors = tensors
        self._graph = Graph()
        self._heads = heads
        self._width = tensors["embeddings.word_embeddings.weight"].shape[1]
        self._layers = sum(name.endswith("attention.self.query.weight") for name in tensors)

    def file(self) -> bytes:
        """All of it."""
        graph = self._graph
        bias = self._mask()
        stream = self._embedded()
        for layer in range(self._layers):
            stream = self._layer(f"encoder.layer.{layer}.", stream, bias)
        graph.named(stream, "last_hidden_state")
        tokens = ("texts", "tokens")
        return graph.file(
            "encoder",
            inputs=[port("input_ids", "int64", tokens), port("attention_mask", "int64", tokens)],
            outputs=[port("last_hidden_state", "float32", (*tokens, self._width))],
        )

    def _constant(self, name: str, values: object, kind: str = "float32") -> str:
        return self._graph.weight(name, np.array(values, dtype=kind))

    def _mask(self) -> str:
        """Nothing for a token, and so little that it counts for nothing for what only fills up."""
        graph = self._graph
        kept = graph.node("Cast", "attention_mask", to=1)
        filled = graph.node("Sub", kept, self._constant("one", 1.0))
        low = graph.node("Mul", filled, self._constant("very_much", 10_000.0))
        return graph.node("Unsqueeze", low, self._constant("heads_and_tokens", [1, 2], "int64"))

    def _embedded(self) -> str:
        graph, tensors = self._graph, self._tensors
        words, steps = _in_eight_bits(tensors["embeddings.word_embeddings.weight"].T, _TABLE_STEPS)
        rows = graph.node("Gather", graph.weight("words", words.T), "input_ids")
        step = graph.node("Gather", graph.weight("word_steps", steps[:, None]), "input_ids")
        meant = graph.node("Mul", graph.node("Cast", rows, to=1), step)
        places = (
            tensors["embeddings.position_embeddings.weight"]
            + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        length = graph.node("Slice", graph.node("Shape", "input_ids"), *self._bounds("last", 1, 2))
        here = graph.node(
            "Slice", graph.weight("places", places), self._constant("first", [0], "int64"), length
        )
        return self._normed("embeddings.LayerNorm.", graph.node("Add", meant, here))

    def _bounds(self, name: str, first: int, last: int) -> tuple[str, str]:
        return self._constant(f"{name}_from", [first], "int64"), self._constant(f"{name}_to", [last], "int64")

    def _normed(self, name: str, stream: str) -> str:
        scale = self._graph.weight(f"{name}weight", self._tensors[f"{name}weight"])
        bias = self._graph.weight(f"{name}bias", self._tensors[f"{name}bias"])
        return self._graph.node("LayerNormalization", stream, scale, bias, axis=-1, epsilon=_EPSILON)

    def _linear(self, name: str, stream: str, parts: tuple[str, ...]) -> str:
        """A product with a weight, in whole numbers; several weights with one input are laid side by side."""
        graph, tensors = self._graph, self._tensors
        whole = np.concatenate([tensors[f"{part}weight"].T for part in parts], axis=1)
        weight, steps = _in_eight_bits(whole, _STEPS)
        bias = np.concatenate([tensors[f"{part}bias"] for part in parts])
        taken = graph.node("DynamicQuantizeLinear", stream, outputs=3)
        product = graph.node("MatMulInteger", taken, graph.weight(f"{name}weight", weight), f"{taken}.2")
        scale = graph.node("Mul", f"{taken}.1", graph.weight(f"{name}steps", steps))
        real = graph.node("Mul", graph.node("Cast", product, to=1), scale)
        return graph.node("Add", real, graph.weight(f"{name}bias", bias))

    def _layer(self, name: str, stream: str, bias: str) -> str:
        attended = self._attended(f"{name}attention.", stream, bias)
        stream = self._normed(f"{name}attention.output.LayerNorm.", self._graph.node("Add", attended, stream))
        inner = self._linear(f"{name}inner.", stream, (f"{name}intermediate.dense.",))
        outer = self._linear(f"{name}outer.", self._gelu(inner), (f"{name}output.dense.",))
        return self._normed(f"{name}output.LayerNorm.", self._graph.node("Add", outer, stream))

    def _attended(self, name: str, stream: str, bias: str) -> str:
        graph = self._graph
        parts = tuple(f"{name}self.{part}." for part in ("query", "key", "value"))
        three = graph.node("Split", self._linear(f"{name}self.", stream, parts), outputs=3, axis=-1)
        query = self._by_head(three, (0, 2, 1, 3))
        key = self._by_head(f"{three}.1", (0, 2, 3, 1))
        value = self._by_head(f"{three}.2", (0, 2, 1, 3))
        product = graph.node("MatMul", query, key)
        scaled = graph.node("Div", product, self._constant(f"{name}root", (self._width / self._heads) ** 0.5))
        shares = graph.node("Softmax", graph.node("Add", scaled, bias), axis=-1)
        mixed = graph.node("Transpose", graph.node("MatMul", shares, value), perm=(0, 2, 1, 3))
        shape = self._constant(f"{name}joined", [0, 0, self._width], "int64")
        return self._linear(f"{name}out.", graph.node("Reshape", mixed, shape), (f"{name}output.dense.",))

    def _by_head(self, stream: str, order: tuple[int, ...]) -> str:
        shape = self._constant(f"{stream}.by_head", [0, 0, self._heads, self._width // self._heads], "int64")
        return self._graph.node("Transpose", self._graph.node("Reshape", stream, shape), perm=order)

    def _gelu(self, stream: str) -> str:
        graph = self._graph
        bent = graph.node("Erf", graph.node("Div", stream, self._constant(f"{stream}.root", 2**0.5)))
        lifted = graph.node("Add", bent, self._constant(f"{stream}.one", 1.0))
        return graph.node("Mul", graph.node("Mul", stream, lifted), self._constant(f"{stream}.half", 0.5))


def _in_eight_bits(weight: Matrix, most: int) -> tuple[NDArray[np.int8], Vector]:
    """Whole numbers up to `most` either way, and the step of each column."""
    steps = np.maximum(np.abs(weight).max(axis=0), 1e-12).astype(np.float32) / np.float32(most)
    return np.rint(weight / steps).astype(np.int8), steps
