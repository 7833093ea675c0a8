"""Items from JSON files, plain, gzip or zstd: one object, an array, an object a line, or objects over many lines."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from graphvine.errors import GraphvineError
from graphvine.workers.common.unpack import MARK_BYTES, BadPacking, UnpackedFile, detect_compression
from graphvine.workers.hn.ingest.item import UNREADABLE
from graphvine.workers.hn.ingest.json_values import NotJson, decoded, objects_follow, spans

# An array is read whole; what is larger than this comes as an object a line.
_MOST_BYTES_AT_ONCE = 256 << 20
# A line may hold a whole thread.
_LONGEST_LINE = 32 << 20
# Before a file is taken for no JSON Lines.
_LINES_LOOKED_AT = 1_000
_PIECE_BYTES = 1 << 20


class BadFile(GraphvineError):
    """A file that holds no items."""


def read_items(paths: Sequence[Path]) -> Iterator[Any]:
    """The items of these files, one after another."""
    for path in paths:
        name = "standard input" if str(path) == "-" else str(path)
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as file:
            yield from items_in(file, name)


def items_in(file: BinaryIO, name: str) -> Iterator[Any]:
    """The items of one file or body."""
    head = io.BufferedReader(file) if isinstance(file, io.RawIOBase) else file
    start = head.peek(MARK_BYTES)[:MARK_BYTES] if isinstance(head, io.BufferedReader) else b""
    compression = detect_compression(start)
    if not compression:
        yield from _items(head, name)
        return
    try:
        yield from _items(io.BufferedReader(UnpackedFile(head, compression)), name)
    except BadPacking as error:
        raise BadFile(f"{name}: {error}") from None


def _items(file: BinaryIO, name: str) -> Iterator[Any]:
    start = _next_line(file)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadFile(f"{name}: it is UTF-16: items come as UTF-8")
    start = start.lstrip(b"\xef\xbb\xbf \t")
    if not start:
        raise BadFile(f"{name}: there is nothing in it")
    if start[:1] == b"{" and isinstance(_value(start), dict):
        yield from _lines(start, file, name)
        return
    head = start + file.read(_MOST_BYTES_AT_ONCE + 1)
    whole = len(head) <= _MOST_BYTES_AT_ONCE + len(start)
    found: Any = NotJson(f"more than {_MOST_BYTES_AT_ONCE >> 20} MiB as one value: write an object a line instead")
    if whole:
        found = _value(head)
    if not isinstance(found, NotJson):
        yield from found if isinstance(found, list) else [found]
    elif objects_follow(head):
        yield from _objects(head, file, name)
    elif any(isinstance(_value(line), dict) for line in head.split(b"\n", _LINES_LOOKED_AT)[:_LINES_LOOKED_AT]):
        # Lines of which the first can't be read.
        before, _, rest = head.rpartition(b"\n")
        yield from _lines(b"", io.BytesIO(before + b"\n"), name)
        yield from _lines(rest + file.readline(_LONGEST_LINE + 1), file, name, before.count(b"\n") + 2)
    else:
        raise BadFile(f"{name}: {found}" if not whole else f"{name}: this is neither JSON nor JSON Lines: {found}")


def _next_line(file: BinaryIO) -> bytes:
    """The next line that is not blank; the mark of UTF-8 may stand alone on its line."""
    line = file.readline(_LONGEST_LINE + 1)
    while line and not line.strip(b"\xef\xbb\xbf \t\r\n"):
        line = file.readline(_LONGEST_LINE + 1)
    return line


def _lines(first: bytes, file: BinaryIO, name: str, number: int = 1) -> Iterator[Any]:
    line = first or file.readline(_LONGEST_LINE + 1)
    while line:
        if len(line) > _LONGEST_LINE:
            raise BadFile(f"{name}, line {number}: longer than {_LONGEST_LINE} bytes, which is no item and no thread")
        if not line.isspace():
            found = _value(line)
            # A line that is no JSON is an item that can't be read: it is told of with the others.
            yield found if not isinstance(found, NotJson) else {UNREADABLE: f"line {number}: {found}"}
        line, number = file.readline(_LONGEST_LINE + 1), number + 1


def _objects(text: bytes, file: BinaryIO, name: str) -> Iterator[Any]:
    """Objects one after another, as a program prints them for people."""
    number, more = 1, True
    while more:
        end = 0
        for start, end in spans(text):
            yield _object(text[start:end], number)
            number += 1
        text = text[end:]
        if len(text) > _LONGEST_LINE:
            raise BadFile(f"{name}, object {number}: longer than {_LONGEST_LINE} bytes, which is no item and no thread")
        piece = file.read(max(_PIECE_BYTES, len(text)))
        text, more = text + piece, bool(piece)
    if text.strip():
        yield _object(text, number)


def _object(text: bytes, number: int) -> Any:
    found = _value(text)
    return found if not isinstance(found, NotJson) else {UNREADABLE: f"object {number}: {found}"}


def _value(text: bytes) -> Any:
    """What the text says, or why it says nothing."""
    try:
        return decoded(text)
    except NotJson as error:
        return error
