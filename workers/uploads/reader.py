"""A file as items, from any place on, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from graphvine.workers.hn.ingest.json_values import objects_follow
from graphvine.workers.uploads.decode import Fault, Part, Place, bounded_value, expanded, longest, value_of
from graphvine.workers.uploads.errors import FileFault
from graphvine.workers.uploads.json_arrays import array_parts, elements
from graphvine.workers.uploads.json_lines import line_counts, line_parts
from graphvine.workers.uploads.json_objects import object_parts
from graphvine.workers.uploads.settings import UploadSettings
from graphvine.workers.uploads.streams import Text

Format = Literal["array", "object", "lines", "objects"]
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


def detect_form(text: Text, settings: UploadSettings) -> Form:
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
    if head[start : start + 1] == b"[":
        while b"\n" not in head[start:] and len(head) <= settings.max_item_size + start and (more := text.read(_HEAD)):
            head += more  # a line of JSON Lines may be an array, and long
        head += text.read(_HEAD)
        if not _array_on_a_line(head[start:], settings):
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
    most = longest(settings) + start
    while len(head) <= most and (more := text.read(min(len(head), most + 1 - len(head)))):
        head += more
    whole = len(head) <= most
    alone: Any = value_of(head[start:].strip(_BLANK), settings.max_nesting) if whole else None
    if isinstance(alone, dict):
        return Form("object", start)
    if objects_follow(head[start:]):
        return Form("objects", start)
    lines = head[start:].split(b"\n")[: _LINES if whole else -1][:_LINES]
    if not whole and not lines:
        lines = _behind_the_line(text)
    if _has_item(lines, settings):
        return Form("lines", start)
    if not whole and head[start : start + 1] == b"{":
        raise FileFault(
            f"the file is one object of more than {longest(settings):,} bytes: write an item a line (JSON Lines),"
            " or take it in with 'graphvine hn add'"
        )
    if whole and not isinstance(alone, Fault):
        raise FileFault(f"the file holds {_called(alone)}: it must be a JSON array or object, or JSON Lines")
    why = alone.message if isinstance(alone, Fault) else "no item is found where it begins"
    raise FileFault(f"the file is neither a JSON array or object nor JSON Lines: {why}")


def _called(value: Any) -> str:
    if value is None:
        return "null"
    return {str: "a text", bool: "true or false", int: "a number", float: "a number"}.get(type(value), "something else")


@dataclass(slots=True)
class ItemBatch:
    """Items to be written together, with their numbers, the parts that they stand in, and the place behind them."""

    indexes: list[int]
    items: list[Any]
    parts: list[tuple[int, int]]  # for each item: number and offset of its part's first item
    next: Place


class Items:
    """The items of a file."""

    def __init__(self, path: Path, settings: UploadSettings) -> None:
        self._settings = settings
        self._text = Text(path, settings)
        try:
            self.form: Form = detect_form(self._text, settings)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._text.__exit__(None, None, None)

    @property
    def compression(self) -> str:
        return self._text.compression

    @property
    def consumed(self) -> int:
        return self._text.consumed

    def parts(self, offset: int = 0, first: int = 0) -> Iterator[Part]:
        """From the beginning, or from a part on whose place is known."""
        for part in self.values(offset, first):
            items = expanded(part.items, self._settings.max_nesting)
            yield Part(part.offset, first, items)
            first += len(items)

    def values(self, offset: int = 0, first: int = 0) -> Iterator[Part]:
        """As they stand in the file: one of them may hold several items."""
        offset = max(offset, self.form.start)
        if self.form.format == "array":
            return array_parts(self._text, offset, first, self._settings)
        if self.form.format == "lines":
            return line_parts(self._text, offset, first, self._settings)
        if self.form.format == "objects":
            return object_parts(self._text, offset, first, self._settings)
        return self._object(offset)

    def first(self) -> Any:
        """The first value that can be read; None where there is none nearby."""
        part = next(iter(self.values()), None)
        return next((one for one in part.items if not isinstance(one, Fault)), None) if part is not None else None

    def counts(self, offset: int = 0, first: int = 0) -> Iterator[tuple[int, int]]:
        """At which offset each part begins, and how many items it has; from the part on that begins at `offset`.

        A FileFault says what is wrong with the file as a whole.
        """
        start = max(offset, self.form.start)
        at = (yield from line_counts(self._text, start, self._settings)) if self.form.format == "lines" else start
        if at is not None:
            yield from ((part.offset, len(part.items)) for part in self.parts(at, first))

    def batches(self, place: Place, first_items: int | None = None) -> Iterator[ItemBatch]:
        """From a place on, as much as is to be written at once; where the first is to be smaller, growing from it."""
        batch, at_once = _empty(place), min(first_items or self._settings.items_at_once, self._settings.items_at_once)
        begun = place.part_offset
        for part in self.parts(place.part_offset, place.part_item):
            at = max(0, place.item - part.first)
            origin = (part.first, part.offset)
            while at < len(part.items):
                room = at_once - len(batch.items)
                taken = part.items[at : at + room]
                first = part.first + at
                batch.items += taken
                batch.indexes += range(first, first + len(taken))
                batch.parts += [origin] * len(taken)
                at += len(taken)
                batch.next = Place(part.first + at, *origin)
                if len(batch.items) >= at_once:
                    yield batch
                    at_once = min(2 * at_once, self._settings.items_at_once)
                    batch, begun = _empty(batch.next), part.offset
            if batch.items and part.offset - begun >= self._settings.bytes_at_once:
                yield batch
                batch, begun = _empty(batch.next), part.offset
        if batch.items:
            yield batch

    def chosen(self, wanted: list[tuple[int, int, int]]) -> ItemBatch:
        """The items with these numbers; each comes with number and offset of its part, in the order of the file."""
        batch = _empty(Place())
        at = 0
        while at < len(wanted):
            _, part_first, part_offset = wanted[at]
            for part in self.parts(part_offset, part_first):
                while at < len(wanted) and wanted[at][0] < part.first + len(part.items):
                    index = wanted[at][0]
                    batch.items.append(part.items[index - part.first])
                    batch.indexes.append(index)
                    batch.parts.append((part.first, part.offset))
                    at += 1
                if at >= len(wanted) or wanted[at][2] != part_offset:
                    break
            else:
                raise IndexError(f"item {wanted[at][0]} is not in the file")
        return batch

    def _object(self, offset: int) -> Iterator[Part]:
        self._text.seek(offset)
        whole = self._text.read(longest(self._settings) + _HEAD).strip()
        yield Part(offset, 0, [bounded_value(whole, self._settings)])


def _empty(place: Place) -> ItemBatch:
    return ItemBatch([], [], [], place)
