"""Text to values. What can't be read becomes a Fault in its place: the items beside it are not touched by it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

import msgspec

_SHOWN_BYTES = 2_000
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class Fault:
    """An item that can't be read, why, and how it begins."""

    message: str
    given: str = ""


class _Constant(ValueError):
    pass


def value_of(text: bytes, deepest: int) -> Any:
    """One value, or the Fault that it is."""
    try:
        return shallow(decode(text), deepest, text)
    except UNREADABLE:
        pass
    # The quick decoder refuses some that are JSON (half characters as escapes, numbers beyond all bounds): those are
    # for the checks of the fields, which name the field.
    try:
        return shallow(json.loads(text.decode("utf-8"), parse_constant=_no_constant), deepest, text)
    except RecursionError:
        return fault(f"nested deeper than {deepest} levels", text)
    except UnicodeDecodeError as error:
        return fault(f"not UTF-8: byte {error.start} can't be read", text)
    except ValueError as error:
        return fault(f"not JSON: {error}", text)


def shallow(value: Any, deepest: int, text: bytes = b"") -> Any:
    """The value, or a Fault where it is nested too deep."""
    return fault(f"nested deeper than {deepest} levels", text) if is_deep(value, deepest) else value


def is_deep(value: Any, deepest: int) -> bool:
    """Whether the value is nested deeper than that."""
    level: list[Any] = [value]
    for _ in range(deepest + 1):
        inner: list[Any] = []
        for one in level:
            if type(one) is dict:
                inner += [child for child in one.values() if type(child) in (dict, list)]
            elif type(one) is list:
                inner += [child for child in one if type(child) in (dict, list)]
        if not inner:
            return False
        level = inner
    return True


def fault(message: str, text: bytes) -> Fault:
    return Fault(message, text[:_SHOWN_BYTES].decode("utf-8", "replace"))


def _no_constant(name: str) -> NoReturn:
    raise _Constant(f"{name} is no number of JSON")


@dataclass(frozen=True, slots=True)
class Part:
    """Items from one offset of the text on; the first of them has the number `first`."""

    offset: int
    first: int
    items: list[Any]


@dataclass(frozen=True, slots=True)
class Place:
    """The next item, and the last part before it whose place in the text is known."""

    item: int = 0
    part_item: int = 0
    part_offset: int = 0
