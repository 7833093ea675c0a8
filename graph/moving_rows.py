"""Rows on their way between engines: their types in Arrow's words, and a checksum that no order changes."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from graphvine.errors import StoreError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NULL = b"\xff"
_WHOLE = ("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "SERIAL")


def arrow_type(kind: str) -> Any:
    """The Arrow type of a column that is declared so."""
    import pyarrow

    if kind.endswith("]"):
        return pyarrow.list_(arrow_type(kind[: kind.rindex("[")]))
    known = {
        "STRING": pyarrow.string(), "UUID": pyarrow.string(), "BOOL": pyarrow.bool_(), "FLOAT": pyarrow.float32(),
        "DOUBLE": pyarrow.float64(), "TIMESTAMP": pyarrow.timestamp("us", tz="UTC"), "DATE": pyarrow.date32(),
        "BLOB": pyarrow.binary(), **dict.fromkeys(_WHOLE, pyarrow.int64()),
    }  # fmt: skip
    if kind not in known:
        raise StoreError(f"a column of type {kind} can't be moved")
    return known[kind]


class Checksum:
    """The sum of the hashes of rows: the same in any order, another when a row or a value differs."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self._as_bytes = [_bytes_of(kind) for kind in kinds]
        self._sum = 0
        self.rows = 0

    def add(self, row: Sequence[Any]) -> None:
        parts = []
        for value, as_bytes in zip(row, self._as_bytes, strict=True):
            parts.append(_with_length(_NULL if value is None else as_bytes(value)))
        digest = hashlib.blake2b(b"".join(parts), digest_size=16).digest()
        self._sum = (self._sum + int.from_bytes(digest, "little")) % (1 << 128)
        self.rows += 1

    @property
    def hex(self) -> str:
        return f"{self._sum:032x}"


def _bytes_of(kind: str) -> Callable[[Any], bytes]:
    if kind == "FLOAT[]":
        return lambda values: struct.pack(f"<{len(values)}f", *values)
    if kind.endswith("]"):
        one = _bytes_of(kind[: kind.rindex("[")])
        return lambda values: b"".join(_with_length(_NULL if value is None else one(value)) for value in values)
    if kind == "FLOAT":
        return lambda value: struct.pack("<f", value)
    if kind == "DOUBLE":
        return lambda value: struct.pack("<d", value)
    if kind == "TIMESTAMP":
        return _moment
    if kind == "BOOL":
        return lambda value: b"\1" if value else b"\0"
    if kind == "BLOB":
        return bytes
    if kind in _WHOLE:
        return lambda value: int(value).to_bytes(8, "little", signed=True)
    return lambda value: value.isoformat().encode() if isinstance(value, date) else str(value).encode()


def _with_length(said: bytes) -> bytes:
    return len(said).to_bytes(4, "little") + said


def _moment(value: datetime) -> bytes:
    aware = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    return ((aware - _EPOCH) // _MICROSECOND).to_bytes(8, "little", signed=True)
