"""A body, read up to a limit that holds after decompression too: a small answer must not become gigabytes."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

_STEP_BYTES = 1 << 18


class BodyTooLarge(Exception):
    """More than was allowed."""


class BodyBroken(Exception):
    """It is not compressed in the way that its header says."""


async def read_body(chunks: AsyncIterator[bytes], encoding: str, max_bytes: int) -> bytes:
    """The whole body; BodyTooLarge as soon as it is known to be larger."""
    coding = encoding.strip().lower()
    inflate = None if coding in ("", "identity") else _Inflate(coding)
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks:
        for part in (chunk,) if inflate is None else inflate.feed(chunk):
            size += len(part)
            if size > max_bytes:
                raise BodyTooLarge
            parts.append(part)
    return b"".join(parts)


class _Inflate:
    def __init__(self, coding: str) -> None:
        if coding not in ("gzip", "x-gzip", "deflate"):
            raise BodyBroken(f"it is encoded as {coding!r}, which was not asked for")
        # 47: gzip or zlib, whichever its head says. Some servers send bare deflate: recognised by its first byte.
        self._coding, self._decoder = coding, zlib.decompressobj(47)
        self._started = False

    def feed(self, chunk: bytes) -> list[bytes]:
        if not self._started and chunk:
            self._started = True
            if self._coding == "deflate" and chunk[0] & 0x0F != 8:
                self._decoder = zlib.decompressobj(-zlib.MAX_WBITS)
        parts = []
        try:
            while chunk:
                parts.append(self._decoder.decompress(chunk, _STEP_BYTES))
                chunk = self._decoder.unconsumed_tail
                if len(parts) > 1_000:
                    raise BodyTooLarge  # one chunk that inflates a thousandfold is no page
        except zlib.error as error:
            raise BodyBroken(f"it is not what its encoding says: {error}") from None
        return parts


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Sizes are counted after decompression; `total_seconds` covers one request, from connecting to the last byte."""

    max_bytes: int = 10 << 20
    total_seconds: float = 60
    connect_seconds: float = 10
    read_seconds: float = 20
    max_redirects: int = 5
    max_address_characters: int = 1_900
    per_host_concurrency: int = 2
    # A site may ask for more time between two requests than anybody would wait.
    max_delay_seconds: float = 30
    # A Retry-After beyond this is taken for this.
    max_retry_after_seconds: float = 3_600
    robots_bytes: int = 500 << 10
    robots_seconds: float = 86_400
