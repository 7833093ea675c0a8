"""The items of JSON Lines, chunk by chunk. Each line that is not blank is an item, whatever is on it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Any

from graphvine.workers.hn.ingest.json_values import UNDECODED, quick_decode
from graphvine.workers.uploads.decode import Part, bounded_value, fault, longest, may_hold_several
from graphvine.workers.uploads.json_arrays import check_depth
from graphvine.workers.uploads.settings import UploadSettings
from graphvine.workers.uploads.streams import Text

# What tells that a value holds several items is shorter than this, blanks included.
_SIGN_BYTES = 1 << 10


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
        elif len(rest) > longest(settings):
            passed, left, ended = _skip_line(text, rest, settings)
            yield Part(offset, first, [fault(f"longer than {longest(settings):,} bytes", rest)])
            offset, first, rest = offset + passed, first + 1, left


def line_counts(text: Text, offset: int, settings: UploadSettings) -> Generator[tuple[int, int], None, int | None]:
    """From which line on how many lines are items, without a look at what stands on them. Where a line may hold
    several, it ends with the offset of that line: from there on they have to be read."""
    text.seek(offset)
    begun = b""  # of a line whose end is yet to come
    before, line = b"", offset
    while piece := text.read(settings.chunk_bytes):
        if may_hold_several(before + piece):
            return line
        before = (before + piece)[-_SIGN_BYTES:]
        *lines, rest = (begun + piece).split(b"\n")
        yield line, sum(1 for one in lines if one and not one.isspace())
        begun = rest.strip()[:1]
        offset += len(piece)
        line = offset - len(rest) if lines else line
    if begun:
        yield line, 1
    return None


def _values(chunk: bytes, settings: UploadSettings) -> list[Any]:
    lines = [line for line in chunk.split(b"\n") if line and not line.isspace()]
    if len(chunk) <= settings.max_item_size:
        # Each by itself: taken together, one line with two values and two lines with one would pass for items.
        with suppress(*UNDECODED):
            items = [quick_decode(line) for line in lines]
            check_depth(items, chunk, settings.max_nesting)
            return items
    return [bounded_value(line, settings) for line in lines]


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
