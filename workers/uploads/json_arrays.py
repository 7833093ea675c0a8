"""The items of a JSON array, chunk by chunk.

A chunk that ends behind an element is, between brackets, an array by itself: if it parses, its end was an element's
end. So a million items cost a few thousand calls of a quick parser. Where a chunk does not parse, its elements are
found one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graphvine.workers.hn.ingest.json_values import UNDECODED, quick_decode
from graphvine.workers.uploads.decode import Part, bounded_value, fault, is_deep, longest, shallow
from graphvine.workers.uploads.errors import FileFault
from graphvine.workers.uploads.settings import UploadSettings
from graphvine.workers.uploads.streams import Text

_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},]', re.DOTALL)
# Brackets alone, by the hundred million, would be looked at one by one.
_HOPELESS = 10_000
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
                if self._depth > _HOPELESS:
                    raise FileFault(f"an item is nested deeper than {_HOPELESS:,} levels: this is no file of items")
            elif self._depth and mark in (b"}", b"]"):
                self._depth -= 1
            elif not self._depth and mark in (b",", b"]"):
                return mark, text[at:]
        return None


_BLANK = b" \t\r\n"
_CUTS, _COMMAS = 3, 400


def array_parts(text: Text, offset: int, first: int, settings: UploadSettings) -> Iterator[Part]:
    """From an offset on at which item number `first` begins (the array's bracket is behind it)."""
    text.seek(offset)
    return _Array(text, offset, first, settings).parts()


class _Array:
    def __init__(self, text: Text, offset: int, first: int, settings: UploadSettings) -> None:
        self._text, self._offset, self._next, self._settings = text, offset, first, settings
        self._buffer = b""
        self._over = False  # the array's closing bracket was read

    def parts(self) -> Iterator[Part]:
        while not self._over:
            # As much again as waits for the end of its item: what is looked at anew then stays in proportion.
            size = max(self._settings.chunk_bytes, len(self._buffer))
            piece = self._text.read(size)
            self._buffer += piece
            part = self._quick(ended=len(piece) < size) or self._slow()
            if part is not None:
                yield part
            elif not piece:
                raise FileFault(f"the array is cut: the file ends in the middle of item {self._next}, or behind it")
            elif len(self._buffer) > longest(self._settings):
                yield self._skip()
        self._nothing_follows()

    def _quick(self, *, ended: bool) -> Part | None:
        """The whole chunk at once, where it parses, and is too short for an item that is too long."""
        if len(self._buffer) > self._settings.max_item_size:
            return None
        if ended:
            stripped = self._buffer.rstrip(_BLANK)
            if stripped.endswith(b"]") and (items := _parsed(b"[" + stripped)):
                part = self._part(items, len(self._buffer))
                self._over = True
                return part
        for cut in _cuts(self._buffer):
            items = _parsed(b"[" + self._buffer[:cut] + b"]")
            if items:
                return self._part(items, cut + 1)
        return None

    def _slow(self) -> Part | None:
        """Every element by itself."""
        items: list[Any] = []
        end = 0
        for element in elements(self._buffer):
            one = self._buffer[element.start : element.end].strip(_BLANK)
            if not one:
                if element.mark == b"]" and self._next == 0 and not items:
                    return self._closed([], element.end + 1)
                raise FileFault(
                    f"item {self._next + len(items)} of the array is missing: there is nothing at its place"
                )
            items.append(bounded_value(one, self._settings))
            end = element.end + 1
            if element.mark == b"]":
                return self._closed(items, end)
        return self._part(items, end, checked=True) if items else None

    def _closed(self, items: list[Any], end: int) -> Part:
        part = self._part(items, end, checked=True)
        self._over = True
        return part

    def _skip(self) -> Part:
        """An element that is longer than any item may be."""
        skipper, shown = Skipper(), self._buffer
        found = skipper.feed(self._buffer)
        passed = len(self._buffer)
        while found is None:
            piece = self._text.read(self._settings.chunk_bytes)
            if not piece:
                raise FileFault(f"the array is cut: the file ends in the middle of item {self._next}")
            passed += len(piece)
            found = skipper.feed(piece)
        mark, self._buffer = found
        long = fault(f"longer than {longest(self._settings):,} bytes", shown)
        part = Part(self._offset, self._next, [long])
        self._offset += passed - len(self._buffer)
        self._next += 1
        self._over = mark == b"]"
        return part

    def _part(self, items: list[Any], end: int, *, checked: bool = False) -> Part:
        if not checked:
            check_depth(items, self._buffer[:end], self._settings.max_nesting)
        part = Part(self._offset, self._next, items)
        self._offset += end
        self._next += len(items)
        self._buffer = self._buffer[end:]
        return part

    def _nothing_follows(self) -> None:
        rest = self._buffer
        while rest or (rest := self._text.read(self._settings.chunk_bytes)):
            if rest.strip(_BLANK):
                raise FileFault(f"something follows behind the end of the array, which has {self._next} items")
            rest = b""


def _parsed(text: bytes) -> list[Any] | None:
    try:
        found: list[Any] = quick_decode(text)
    except UNDECODED:
        return None
    return found


def _cuts(text: bytes) -> Iterator[int]:
    """Commas near the end that stand behind an object, the last first."""
    at, found = len(text), 0
    for _ in range(_COMMAS):
        at = text.rfind(b",", 0, at)
        if at < 0:
            return
        if text[max(0, at - 16) : at].rstrip(_BLANK).endswith(b"}"):
            yield at
            found += 1
            if found == _CUTS:
                return


def check_depth(items: list[Any], text: bytes, deepest: int) -> None:
    """Put a Fault where an item is nested too deep. A look at the brackets in the text often tells that none is."""
    if b"[" not in text and text.count(b"{") == len(items):
        return
    for place, item in enumerate(items):
        if type(item) is dict:
            for value in item.values():
                if type(value) is dict or (type(value) is list and value and type(value[0]) is not int):
                    items[place] = shallow(item, deepest)
                    break
        elif type(item) is list and is_deep(item, deepest):
            items[place] = shallow(item, deepest)
