"""An ONNX file, written byte by byte: the same graph gives the same file, on any machine.

Of the format only what an encoder needs: nodes, weights, inputs and outputs. Fields are numbered as the ONNX
standard numbers them; nothing is imported for it, so that no release of another package changes a byte.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lukasa.matrices import np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_IR, _OPSET = 8, 17
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_INTEGER, _FLOAT, _INTEGERS = 2, 1, 7
_SEVEN = 0x7F


@dataclass(kw_only=True, slots=True)
class Graph:
    """A graph in the making; every method that adds a node gives the name of what comes out of it."""

    nodes: list[bytes] = field(default_factory=list[bytes])
    weights: list[bytes] = field(default_factory=list[bytes])

    def weight(self, name: str, values: NDArray[np.generic]) -> str:
        """A constant."""
        dims = b"".join(_number(1, size) for size in values.shape)
        kind = _number(2, _TYPES[values.dtype.name])
        little = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"))
        self.weights.append(dims + kind + _text(8, name) + _bytes(9, little.tobytes()))
        return name

    def node(self, kind: str, *inputs: str, outputs: int = 1, **attributes: float | Sequence[int]) -> str:
        """What an operation gives; of several the first; the others are NAME.1 and so on."""
        name = f"{kind}_{len(self.nodes)}"
        body = b"".join(_text(1, one) for one in inputs)
        body += b"".join(_text(2, f"{name}.{place}" if place else name) for place in range(outputs))
        body += _text(3, name) + _text(4, kind)
        body += b"".join(_bytes(5, _attribute(key, value)) for key, value in attributes.items())
        self.nodes.append(body)
        return name

    def named(self, result: str, name: str) -> None:
        """Gives a result the name by which it is asked for."""
        self.nodes.append(_text(1, result) + _text(2, name) + _text(3, name) + _text(4, "Identity"))

    def file(self, name: str, *, inputs: Sequence[bytes], outputs: Sequence[bytes]) -> bytes:
        """The whole file."""
        graph = b"".join(_bytes(1, node) for node in self.nodes) + _text(2, name)
        graph += b"".join(_bytes(5, weight) for weight in self.weights)
        graph += b"".join(_bytes(11, one) for one in inputs) + b"".join(_bytes(12, one) for one in outputs)
        return _number(1, _IR) + _text(2, "lukasa") + _bytes(7, graph) + _bytes(8, _number(2, _OPSET))


def port(name: str, kind: str, sizes: Sequence[str | int]) -> bytes:
    """An input or output: its type, and its sizes, of which those with a name may be any."""
    dims = b"".join(
        _bytes(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in sizes
    )
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, _TYPES[kind]) + _bytes(2, dims)))


def _attribute(name: str, value: float | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _INTEGER)
    if isinstance(value, float):
        return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, _FLOAT)
    return _text(1, name) + b"".join(_number(8, one) for one in value) + _number(20, _INTEGERS)


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while number > _SEVEN:
        out.append(number & _SEVEN | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(field_number: int, value: int) -> bytes:
    return _varint(field_number << 3) + _varint(value)


def _bytes(field_number: int, value: bytes) -> bytes:
    return _varint(field_number << 3 | 2) + _varint(len(value)) + value


def _text(field_number: int, value: str) -> bytes:
    return _bytes(field_number, value.encode())
