"""What a file is, told by its content: a JSON array, one object, or JSON Lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from graphvine.workers.uploads.decoding import Fault, value_of
from graphvine.workers.uploads.errors import FileFault
from graphvine.workers.uploads.scanning import elements
from graphvine.workers.uploads.settings import UploadSettings
from graphvine.workers.uploads.streams import Text

Format = Literal["array", "object", "lines"]
_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x00\x00\xfe\xff": "UTF-32"}
_HEAD = 64 << 10
# So many lines are looked at before a file is taken for something else.
_LINES = 1_000


@dataclass(frozen=True, slots=True)
class Form:
    """The format, and the offset at which the first item begins."""

    format: Format
    start: int


def told_form(text: Text, settings: UploadSettings) -> Form:
    """Look at the beginning of a text; a FileFault says what is wrong with it."""
    text.seek(0)
    head = text.read(_HEAD)
    for mark, name in _OTHER_BOMS.items():
        if head.startswith(mark):
            raise FileFault(f"the file is {name}: items come as UTF-8")
    start = len(_BOM) if head.startswith(_BOM) else 0
    while not head[start:].strip(_BLANK):
        start = len(head)
        more = text.read(_HEAD)
        if not more:
            raise FileFault("there is nothing in the file")
        head += more
        if len(head) > settings.max_item_size:
            raise FileFault(f"the file begins with more than {settings.max_item_size:,} blanks")
    start += len(head[start:]) - len(head[start:].lstrip(_BLANK))
    if b"\0" in head[start : start + 4]:
        raise FileFault("the file is neither JSON nor JSON Lines as UTF-8: it begins with zeros")
    if head[start : start + 1] == b"[" and not _array_on_a_line(head[start:], settings):
        return Form("array", start + 1)
    return _lines_or_object(text, head, start, settings)


def _array_on_a_line(head: bytes, settings: UploadSettings) -> bool:
    """Whether the array is over with its line, and items follow: then it is a bad line of JSON Lines."""
    first, *following = head.split(b"\n")[:_LINES]
    closed = any(element.mark == b"]" for element in elements(first[1:]))
    return closed and _has_item(following, settings)


def _behind_the_line(text: Text) -> list[bytes]:
    """What follows behind a first line that is longer than any item may be."""
    while piece := text.read(_HEAD):
        _, ended, rest = piece.partition(b"\n")
        if ended:
            return (rest + text.read(_HEAD)).split(b"\n")[:_LINES]
    return []


def _has_item(lines: list[bytes], settings: UploadSettings) -> bool:
    begun = (line for line in lines if line.lstrip()[:1] == b"{")
    return any(isinstance(value_of(line, settings.max_nesting), dict) for line in begun)


def _lines_or_object(text: Text, head: bytes, start: int, settings: UploadSettings) -> Form:
    end = head.find(b"\n", start)
    if end >= 0 and isinstance(value_of(head[start:end], settings.max_nesting), dict):
        return Form("lines", start)
    while len(head) <= settings.max_item_size + start and (more := text.read(_HEAD)):
        head += more
    whole = len(head) <= settings.max_item_size + start
    alone: Any = value_of(head[start:].strip(_BLANK), settings.max_nesting) if whole else None
    if isinstance(alone, dict):
        return Form("object", start)
    lines = head[start:].split(b"\n")[: _LINES if whole else -1][:_LINES]
    if not whole and not lines:
        lines = _behind_the_line(text)
    if _has_item(lines, settings):
        return Form("lines", start)
    if whole and not isinstance(alone, Fault):
        raise FileFault(f"the file holds {_called(alone)}: it must be a JSON array or object, or JSON Lines")
    why = alone.message if isinstance(alone, Fault) else "no item is found where it begins"
    raise FileFault(f"the file is neither a JSON array or object nor JSON Lines: {why}")


def _called(value: Any) -> str:
    if value is None:
        return "null"
    return {str: "a text", bool: "true or false", int: "a number", float: "a number"}.get(type(value), "something else")
