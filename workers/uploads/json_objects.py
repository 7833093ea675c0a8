"""The items of objects that follow one another over any number of lines, chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator

from graphvine.workers.hn.ingest.json_values import spans
from graphvine.workers.uploads.decode import Part, bounded_value, longest
from graphvine.workers.uploads.errors import FileFault
from graphvine.workers.uploads.settings import UploadSettings
from graphvine.workers.uploads.streams import Text


def object_parts(text: Text, offset: int, first: int, settings: UploadSettings) -> Iterator[Part]:
    """From an offset on at which item number `first` begins."""
    text.seek(offset)
    rest, ended = b"", False
    while not ended:
        # As much again as waits for the end of its item: what is looked at anew then stays in proportion.
        size = max(settings.chunk_bytes, len(rest))
        piece = text.read(size)
        ended = len(piece) < size
        rest += piece
        found = list(spans(rest))
        end = found[-1][1] if found else 0
        if ended and rest[end:].strip():
            found.append((end, len(rest)))  # cut
            end = len(rest)
        items = [bounded_value(rest[start:until].strip(), settings) for start, until in found]
        if items:
            yield Part(offset, first, items)
        offset, first, rest = offset + end, first + len(items), rest[end:]
        if len(rest) > longest(settings):
            raise FileFault(f"item {first} is longer than {longest(settings):,} bytes")
