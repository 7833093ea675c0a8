"""Finds the elements of an array byte by byte where they can't be parsed together: a bad one must not hide the others.

It knows strings and brackets and nothing else, so that it finds where an element ends whatever is wrong inside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},]', re.DOTALL)
_STRING_END = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Element:
    """From where to where, and whether a comma (',') or the array's end (']') stands behind it."""

    start: int
    end: int
    mark: bytes
    depth: int


def elements(text: bytes) -> Iterator[Element]:
    """The elements that end inside the text, which begins with one."""
    start = depth = deepest = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark == b'"':
            return  # a string without its end
        if mark in (b"{", b"["):
            depth += 1
            deepest = max(deepest, depth)
        elif depth and mark in (b"}", b"]"):
            depth -= 1
        elif not depth and mark in (b",", b"]"):
            yield Element(start, token.start(), mark, deepest)
            if mark == b"]":
                return
            start, deepest = token.end(), 0


class Skipper:
    """Passes over one element that is too long to be kept, piece by piece."""

    def __init__(self) -> None:
        self._depth, self._in_string, self._rest = 0, False, b""

    def feed(self, piece: bytes) -> tuple[bytes, bytes] | None:
        """The mark behind the element and what follows it, once that is seen."""
        text = self._rest + piece
        self._rest, at = b"", 0
        while at < len(text):
            if self._in_string:
                closed = _STRING_END.match(text, at)
                if closed is None:
                    # A backslash at the very end belongs to what comes next.
                    slashes = len(text) - len(text.rstrip(b"\\"))
                    self._rest = b"\\" if slashes % 2 else b""
                    return None
                at, self._in_string = closed.end(), False
                continue
            token = _TOKEN.search(text, at)
            if token is None:
                return None
            mark, at = token.group(), token.end()
            if mark == b'"':
                self._in_string = True
            elif mark in (b"{", b"["):
                self._depth += 1
            elif self._depth and mark in (b"}", b"]"):
                self._depth -= 1
            elif not self._depth and mark in (b",", b"]"):
                return mark, text[at:]
        return None
