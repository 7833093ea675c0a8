"""Text to values. What can't be read becomes a Fault in its place: the items beside it are not touched by it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from graphvine.workers.hn.ingest.forms import UnknownForm, is_tree, items_of
from graphvine.workers.hn.ingest.json_values import NotJson, decoded
from graphvine.workers.uploads.settings import UploadSettings

_SHOWN_BYTES = 2_000
# Every value that holds several items has one of these names, or a list of objects, or begins with an id.
_SIGNS = tuple(f'"{name}"'.encode() for name in ("children", "comments", "replies", "options", "hits", "items"))
_BY_ID = re.compile(rb'\{\s*"[0-9]|\[\s*\{')


@dataclass(frozen=True, slots=True)
class Fault:
    """An item that can't be read, why, and how it begins."""

    message: str
    given: str = ""


def value_of(text: bytes, deepest: int) -> Any:
    """One value, or the Fault that it is."""
    try:
        return shallow(decoded(text), deepest, text)
    except NotJson as error:
        return fault(str(error), text)


def bounded_value(text: bytes, settings: UploadSettings) -> Any:
    """One value, or the Fault that it is; what holds several items may be longer than one item."""
    value = value_of(text, settings.max_nesting)
    if len(text) > settings.max_item_size and not is_tree(value):
        return fault(f"longer than {settings.max_item_size:,} bytes", text)
    return value


def may_hold_several(text: bytes) -> bool:
    """False where no value in the text holds several items."""
    return any(sign in text for sign in _SIGNS) or _BY_ID.search(text) is not None


def expanded(values: list[Any], deepest: int) -> list[Any]:
    """The items that these values hold. What holds some in a way that is not known is one Fault, whole."""
    found: list[Any] = []
    for value in values:
        if type(value) is not dict or not is_tree(value):
            found.append(value)
            continue
        try:
            found += [shallow(item, deepest) for _, item in items_of(value)]
        except UnknownForm as error:
            found.append(Fault(str(error)))
    return found


def longest(settings: UploadSettings) -> int:
    """The longest text of one value, be it one item or several."""
    return max(settings.max_item_size, settings.max_tree_size)


def shallow(value: Any, deepest: int, text: bytes = b"") -> Any:
    """The value, or a Fault where it is nested too deep. A thread may be: its items are looked at one by one."""
    if is_deep(value, deepest) and not is_tree(value):
        return fault(f"nested deeper than {deepest} levels", text)
    return value


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
