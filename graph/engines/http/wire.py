"""The wire format between a process and the daemon that serves its graph: msgpack, with no value changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from graphvine.errors import (
    EngineMissing,
    GraphvineError,
    QueryError,
    QueryTimeout,
    QueryTooComplex,
    StoreClosed,
    StoreError,
    StoreFull,
    StoreReopened,
    StoreStuck,
    UnitFailed,
    UnknownPipeline,
    WriteRefused,
)

MEDIA_TYPE = "application/msgpack"
# What both sides speak; raised when a request or an answer changes its meaning.
WIRE_VERSION = 4

_PLAIN = frozenset({int, float, bool, str, bytes, type(None)})
_NAIVE, _DATE, _SPAN, _UUID, _DECIMAL, _LARGE = range(1, 7)


class DaemonError(GraphvineError):
    """An error that the serving process reported, of a kind that has no class here."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def pack(value: Any) -> bytes:
    plain = _tagged(value)
    try:
        return _encoder.encode(plain)
    except OverflowError:
        return _encoder.encode(_tagged(value, large=True))


def unpack(data: bytes) -> Any:
    return _decoder.decode(data)


def pack_error(error: GraphvineError) -> bytes:
    payload: dict[str, Any] = {"kind": type(error).__name__, "message": str(error)}
    if isinstance(error, UnitFailed):
        payload |= {"block": error.block, "reason": error.reason}
    if isinstance(error, UnknownPipeline):
        payload |= {"name": error.name}
    return pack({"error": payload})


def raise_error(payload: Mapping[str, Any]) -> None:
    """Raise here what was raised there."""
    kind, message = str(payload.get("kind")), str(payload.get("message"))
    if kind in _FAILED:
        raise _FAILED[kind](str(payload["block"]), str(payload["reason"]))
    if kind == "StoreClosed":
        raise StoreClosed
    if kind in _WITH_MESSAGE:
        raise _WITH_MESSAGE[kind](message)
    raise DaemonError(kind, message)


_FAILED: dict[str, type[UnitFailed]] = {"UnitFailed": UnitFailed, "StoreReopened": StoreReopened}
_WITH_MESSAGE: dict[str, type[GraphvineError]] = {
    kind.__name__: kind
    for kind in (
        GraphvineError, StoreError, StoreStuck, StoreFull, EngineMissing, QueryError, QueryTimeout, QueryTooComplex,
        WriteRefused,
    )
}  # fmt: skip


def _tagged(value: Any, *, large: bool = False) -> Any:
    """The value with what msgpack has no type for marked, so that it comes out as what it was."""
    kind = type(value)
    if kind in _PLAIN:
        big = large and kind is int and not -(1 << 63) <= value < 1 << 64
        return msgspec.msgpack.Ext(_LARGE, str(value).encode()) if big else value
    if kind is dict:
        if not large and _PLAIN.issuperset(map(type, value.values())):
            return value
        return {name: _tagged(inner, large=large) for name, inner in value.items()}
    if kind is list or kind is tuple:
        if not large and _PLAIN.issuperset(map(type, value)):
            return value
        return [_tagged(inner, large=large) for inner in value]
    if isinstance(value, datetime):
        return value if value.tzinfo is not None else msgspec.msgpack.Ext(_NAIVE, value.isoformat().encode())
    for known, code, text in _WRITTEN:
        if isinstance(value, known):
            return msgspec.msgpack.Ext(code, text(value).encode())
    for base in (str, int, float):
        if isinstance(value, base):
            return _tagged(base(value), large=large)
    if isinstance(value, Mapping):
        return {name: _tagged(inner, large=large) for name, inner in value.items()}
    if isinstance(value, set | frozenset):
        return [_tagged(inner, large=large) for inner in value]
    raise GraphvineError(f"a value of the type {kind.__name__} can't be sent to the process that serves the graph")


_WRITTEN: tuple[tuple[Any, int, Any], ...] = (
    (date, _DATE, lambda value: value.isoformat()),
    (timedelta, _SPAN, lambda value: f"{value.days}/{value.seconds}/{value.microseconds}"),
    (UUID, _UUID, str),
    (Decimal, _DECIMAL, str),
)


def _untagged(code: int, data: memoryview) -> Any:
    text = bytes(data).decode()
    if code == _NAIVE:
        return datetime.fromisoformat(text)
    if code == _DATE:
        return date.fromisoformat(text)
    if code == _SPAN:
        return timedelta(*map(int, text.split("/")))
    if code == _UUID:
        return UUID(text)
    return Decimal(text) if code == _DECIMAL else int(text)


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(ext_hook=_untagged)
