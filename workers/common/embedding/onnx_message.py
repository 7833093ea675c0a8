"""ONNX models as bytes: the few messages that a graph of ours is made of, in the encoding of protobuf.

The package `onnx` would do it, at 36 MB. Numbers of fields and types are those of onnx.proto, which are never reused.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

FLOAT, INT32, INT64 = 1, 6, 7
_TYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.int32): INT32, np.dtype(np.int64): INT64}
_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_FLOAT_ATTRIBUTE, _INT_ATTRIBUTE = 1, 2


def tensor(name: str, values: np.ndarray[Any, Any]) -> bytes:
    """TensorProto: an array under a name."""
    dims = b"".join(_number(1, length) for length in values.shape)
    raw = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
    return dims + _number(2, _TYPES[values.dtype]) + _text(8, name) + _part(9, raw)


def node(operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: float) -> bytes:
    """NodeProto: an operator with its attributes, which are whole numbers or floats."""
    made = b"".join(_text(1, name) for name in inputs) + _text(2, output) + _text(4, operator)
    for name, value in sorted(attributes.items()):
        is_float = isinstance(value, float)
        kept = _tag(2, _FIXED32) + struct.pack("<f", value) if is_float else _number(3, int(value))
        made += _part(5, _text(1, name) + kept + _number(20, _FLOAT_ATTRIBUTE if is_float else _INT_ATTRIBUTE))
    return made + (_text(7, domain) if domain else b"")


def value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    """ValueInfoProto: an input or output; a length that is not known has a name."""
    dims = b"".join(_part(1, _text(2, one) if isinstance(one, str) else _number(1, one)) for one in shape)
    return _text(1, name) + _part(2, _part(1, _number(1, kind) + _part(2, dims)))


def model(
    nodes: Iterable[bytes], name: str, inputs: Iterable[bytes], outputs: Iterable[bytes], tensors: Iterable[bytes],
    domains: Sequence[tuple[str, int]], ir_version: int,
) -> bytes:  # fmt: skip
    """ModelProto: the graph, and the versions of the operators it uses."""
    parts = [(1, nodes), (5, tensors), (11, inputs), (12, outputs)]
    named = {1: _text(2, name)}  # in the order of the fields
    graph = b"".join(b"".join(_part(field, one) for one in found) + named.get(field, b"") for field, found in parts)
    versions = b"".join(_part(8, _text(1, domain) + _number(2, version)) for domain, version in domains)
    return _number(1, ir_version) + _part(7, graph) + versions


def _tag(field: int, kind: int) -> bytes:
    return _varint(field << 3 | kind)


def _number(field: int, given: int) -> bytes:
    return _tag(field, _VARINT) + _varint(given & (1 << 64) - 1)


def _part(field: int, data: bytes) -> bytes:
    return _tag(field, _BYTES) + _varint(len(data)) + data


def _text(field: int, text: str) -> bytes:
    return _part(field, text.encode())


def _varint(given: int) -> bytes:
    made = bytearray()
    while given > 0x7F:
        made.append(given & 0x7F | 0x80)
        given >>= 7
    made.append(given)
    return bytes(made)
