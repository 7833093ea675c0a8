"""A file as items, from any place on, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from graphvine.workers.uploads.arrays import array_parts
from graphvine.workers.uploads.decoding import value_of
from graphvine.workers.uploads.forms import Form, told_form
from graphvine.workers.uploads.lines import line_counts, line_parts
from graphvine.workers.uploads.parts import Part, Place
from graphvine.workers.uploads.settings import UploadSettings
from graphvine.workers.uploads.streams import Text


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
            self.form: Form = told_form(self._text, settings)
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
        offset = max(offset, self.form.start)
        if self.form.format == "array":
            return array_parts(self._text, offset, first, self._settings)
        if self.form.format == "lines":
            return line_parts(self._text, offset, first, self._settings)
        return self._object(offset)

    def counts(self) -> Iterator[int]:
        """How many items there are, part by part. A FileFault says what is wrong with the file as a whole."""
        if self.form.format == "lines":
            return line_counts(self._text, self.form.start, self._settings)
        return (len(part.items) for part in self.parts())

    def batches(self, place: Place) -> Iterator[ItemBatch]:
        """From a place on, as much as is to be written at once."""
        batch = _empty(place)
        begun = place.part_offset
        for part in self.parts(place.part_offset, place.part_item):
            at = max(0, place.item - part.first)
            origin = (part.first, part.offset)
            while at < len(part.items):
                room = self._settings.items_at_once - len(batch.items)
                taken = part.items[at : at + room]
                first = part.first + at
                batch.items += taken
                batch.indexes += range(first, first + len(taken))
                batch.parts += [origin] * len(taken)
                at += len(taken)
                batch.next = Place(part.first + at, *origin)
                if len(batch.items) >= self._settings.items_at_once:
                    yield batch
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
        whole = self._text.read(self._settings.max_item_size + (64 << 10)).strip()
        yield Part(offset, 0, [value_of(whole, self._settings.max_nesting)])


def _empty(place: Place) -> ItemBatch:
    return ItemBatch([], [], [], place)
