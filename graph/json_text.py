"""Values as JSON that every reader understands: no half characters, no numbers that JavaScript would round."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from graphvine.errors import QueryError

# Beyond this a number of JavaScript is no longer exact: such a number is sent as a text.
_EXACT = 1 << 53
_LONG_NUMBER = re.compile(rb"[0-9]{16}")


def encode(content: Any) -> bytes:
    """JSON by msgspec: quick, dataclasses as they are, numbers that JSON has no word for as null."""
    try:
        body = msgspec.json.encode(content, enc_hook=str)
    except (UnicodeEncodeError, OverflowError, TypeError):
        return msgspec.json.encode(_sound(content), enc_hook=str)
    if _LONG_NUMBER.search(body):
        return msgspec.json.encode(_sound(msgspec.to_builtins(content, enc_hook=str)), enc_hook=str)
    return body


def decode_parameters(given: bytes) -> dict[str, Any]:
    """The parameters of a query, from a JSON object."""
    try:
        return msgspec.json.decode(given, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError) as error:
        raise QueryError(f"the parameters can't be read: {str(error).replace('`', '')}") from None


def _sound(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if -_EXACT <= value <= _EXACT else str(value)
    if isinstance(value, dict):
        return {str(_sound(str(name))): _sound(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_sound(inner) for inner in value]
    return value
