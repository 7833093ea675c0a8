"""JSON to values, quickly where that goes, and as tolerant as JSON itself where it does not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

import msgspec

quick_decode = msgspec.json.Decoder().decode
UNDECODED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_STRING_OR_BRACKET = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)


class NotJson(ValueError):
    """A text that is no JSON; says why."""


def decoded(text: bytes) -> Any:
    """One value."""
    try:
        return quick_decode(text)
    except UNDECODED:
        pass
    # The quick decoder refuses some that are JSON (half characters as escapes, numbers beyond all bounds): those are
    # for the checks of the fields, which name the field.
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_no_constant)
    except RecursionError:
        raise NotJson("nested too deep to be read: give an item a line") from None
    except UnicodeDecodeError as error:
        raise NotJson(f"not UTF-8: byte {error.start} can't be read") from None
    except json.JSONDecodeError as error:
        # Of a line by itself it would say "line 1", beside the number of the line in the file.
        place = f"line {error.lineno} column {error.colno}" if b"\n" in text.strip() else f"column {error.colno}"
        raise NotJson(f"not JSON: {error.msg} at {place}") from None
    except ValueError as error:
        raise NotJson(f"not JSON: {error}") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def spans(text: bytes) -> Iterator[tuple[int, int]]:
    """From where to where objects stand that follow one another with nothing or blanks between them, as far as they
    end inside the text. What else stands between two belongs to the second, which then can't be read."""
    start = depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        mark = token.group()
        if mark == b'"':
            return  # a string without its end
        if mark in (b"{", b"["):
            depth += 1
        elif mark in (b"}", b"]"):
            depth -= 1
            if depth <= 0:
                yield start, token.end()
                start, depth = token.end(), 0


def objects_follow(text: bytes) -> bool:
    """Whether the text begins with an object over many lines, or one of several on a line, and another follows it."""
    first = next(spans(text), None) if text[:1] == b"{" else None
    if first is None:
        return False
    rest = text[first[1] :]
    behind = rest.lstrip()
    one_a_line = b"\n" not in text[: first[1]] and b"\n" in rest[: len(rest) - len(behind)]
    if one_a_line or behind[:1] != b"{":
        return False
    try:
        return isinstance(decoded(text[: first[1]]), dict)
    except NotJson:
        return False
