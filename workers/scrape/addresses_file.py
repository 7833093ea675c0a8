"""A file of addresses, one a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO

from graphvine.workers.scrape.batches import check_addresses
from graphvine.workers.scrape.errors import BadAddress

_LONGEST_LINE_BYTES = 10_000


def read_addresses(source: Path) -> list[str]:
    """Its addresses; empty lines and those that begin with # are passed over. BadAddress names file and line."""
    with nullcontext(sys.stdin.buffer) if str(source) == "-" else source.open("rb") as file:
        lines = list(_lines(file, str(source)))
    found = check_addresses((text for _, text in lines), (place for place, _ in lines))
    if not found:
        raise BadAddress(str(source), "there is no address in it")
    return found


def _lines(file: BinaryIO, name: str) -> Iterator[tuple[str, str]]:
    number = 0
    while line := file.readline(_LONGEST_LINE_BYTES + 1):
        number += 1
        place = f"{name}, line {number}"
        if len(line) > _LONGEST_LINE_BYTES:
            raise BadAddress(place, f"longer than {_LONGEST_LINE_BYTES} bytes, which is no address")
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError:
            raise BadAddress(place, "not UTF-8 text") from None
        if text and not text.startswith("#"):
            yield place, text
