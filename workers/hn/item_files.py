"""Items from JSON files, plain or gzip: one object, an array, or an object a line."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from graphvine.errors import GraphvineError

# An array is read whole; what is larger than this comes as an object a line.
_MOST_BYTES_AT_ONCE = 256 << 20
_LONGEST_LINE = 4 << 20


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
    start = head.peek(2)[:2] if isinstance(head, io.BufferedReader) else b""
    if start != b"\x1f\x8b":
        yield from _items(head, name)
        return
    try:
        with gzip.GzipFile(fileobj=head) as unpacked:
            yield from _items(io.BufferedReader(unpacked), name)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadFile(f"{name}: the gzip data is cut or broken: {error}") from None


def _items(file: BinaryIO, name: str) -> Iterator[Any]:
    first = file.readline(_LONGEST_LINE + 1)
    while first and not first.strip():
        first = file.readline(_LONGEST_LINE + 1)
    start = first.lstrip(b"\xef\xbb\xbf \t")
    if not start:
        raise BadFile(f"{name}: there is nothing in it")
    if start[:1] == b"{" and _decoded(start) is not None:
        yield from _lines(start, file, name)
        return
    rest = file.read(_MOST_BYTES_AT_ONCE + 1)
    if len(rest) > _MOST_BYTES_AT_ONCE:
        raise BadFile(f"{name}: more than {_MOST_BYTES_AT_ONCE >> 20} MiB as one value: write an object a line instead")
    try:
        found = msgspec.json.decode(start + rest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile(f"{name}: this is neither JSON nor JSON Lines: {error}") from None
    yield from found if isinstance(found, list) else [found]


def _lines(first: bytes, file: BinaryIO, name: str) -> Iterator[Any]:
    line, number = first, 1
    while line:
        if len(line) > _LONGEST_LINE:
            raise BadFile(f"{name}, line {number}: longer than {_LONGEST_LINE} bytes, which is no item")
        if line.strip():
            found = _decoded(line)
            # A line that is no JSON is an item that can't be read: it is told of with the others.
            yield found[0] if found is not None else line[:200].decode("utf-8", "replace")
        line, number = file.readline(_LONGEST_LINE + 1), number + 1


def _decoded(line: bytes) -> tuple[Any] | None:
    try:
        return (msgspec.json.decode(line),)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
