"""The items of JSON Lines, chunk by chunk. Each line that is not blank is an item, whatever is on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from graphvine.workers.uploads.decode import UNREADABLE, Part, decode, fault, value_of
from graphvine.workers.uploads.json_arrays import check_depth
from graphvine.workers.uploads.settings import UploadSettings
from graphvine.workers.uploads.streams import Text


def line_parts(text: Text, offset: int, first: int, settings: UploadSettings) -> Iterator[Part]:
    """From an offset on at which the line of item number `first` begins."""
    text.seek(offset)
    rest = b""
    ended = False
    while not ended:
        size = max(settings.chunk_bytes, len(rest))
        piece = text.read(size)
        ended = len(piece) < size
        rest += piece
        end = len(rest) if ended else rest.rfind(b"\n") + 1
        if end:
            items = _values(rest[:end], settings)
            if items:
                yield Part(offset, first, items)
            offset, first, rest = offset + end, first + len(items), rest[end:]
        elif not rest.strip():
            offset, rest = offset + len(rest), b""  # blanks in front of whatever the line will hold
        elif len(rest) > settings.max_item_size:
            passed, left, ended = _skip_line(text, rest, settings)
            yield Part(offset, first, [fault(f"longer than {settings.max_item_size:,} bytes", rest)])
            offset, first, rest = offset + passed, first + 1, left


def line_counts(text: Text, offset: int, settings: UploadSettings) -> Iterator[int]:
    """The numbers of items that the parts have, without a look at what stands on the lines."""
    text.seek(offset)
    begun = b""  # of a line whose end is yet to come
    while piece := text.read(settings.chunk_bytes):
        *lines, rest = (begun + piece).split(b"\n")
        yield sum(1 for line in lines if line and not line.isspace())
        begun = rest.strip()[:1]
    if begun:
        yield 1


def _values(chunk: bytes, settings: UploadSettings) -> list[Any]:
    lines = [line for line in chunk.split(b"\n") if line and not line.isspace()]
    if len(chunk) <= settings.max_item_size:
        # Each by itself: taken together, one line with two values and two lines with one would pass for items.
        with suppress(*UNREADABLE):
            items = [decode(line) for line in lines]
            check_depth(items, chunk, settings.max_nesting)
            return items
    return [_value(line, settings) for line in lines]


def _value(line: bytes, settings: UploadSettings) -> Any:
    if len(line) > settings.max_item_size:
        return fault(f"longer than {settings.max_item_size:,} bytes", line)
    return value_of(line, settings.max_nesting)


def _skip_line(text: Text, rest: bytes, settings: UploadSettings) -> tuple[int, bytes, bool]:
    """How much was passed over with this line, what was read beyond it, and whether the file ended."""
    passed = len(rest)
    while piece := text.read(settings.chunk_bytes):
        end = piece.find(b"\n") + 1
        if end:
            # What is left is less than a chunk: whoever reads on sees by itself whether the file has ended.
            return passed + end, piece[end:], False
        passed += len(piece)
    return passed, b"", True
