"""The bytes of a dump: read once from front to back, and later from anywhere.

Every dump is addressed by offsets into its decompressed text. A compressed file can be entered only where a new
stream begins. Wikimedia's multistream dumps begin one every hundred pages, and parallel compressors one every
megabyte: those are read in place. A file that is one long stream has no such places; while it is indexed, a copy
in small pieces is written, which takes about as much room as the dump and makes a page some milliseconds away.
"""

from __future__ import annotations

import bz2
import os
import zlib
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Literal

from graphvine.workers.wikipedia.errors import BadDump

Codec = Literal["plain", "bz2", "gzip", "copy"]
_MAGIC: dict[Codec, bytes] = {"bz2": b"BZh", "gzip": b"\x1f\x8b"}

PIECE_BYTES = 1024 * 1024
# Where compressed data is damaged, what was given to the decompressor together is lost together.
_PACKED_BYTES = 32 * 1024
# The longest stretch that is decompressed to reach one page.
MAX_STRIDE_BYTES = 16 * 1024 * 1024
_CACHE_BYTES = 64 * 1024 * 1024


class _Unpacker:
    """One compressed stream, whose output comes in limited pieces however well it was packed."""

    def __init__(self, codec: Codec) -> None:
        self._bz2 = bz2.BZ2Decompressor() if codec == "bz2" else None
        self._zlib = zlib.decompressobj(31 if codec == "gzip" else 15)
        self._rest = b""

    def take(self, data: bytes, limit: int) -> bytes:
        """At most `limit` bytes more; `data` may be empty while there is some left from before."""
        if self._bz2:
            return self._bz2.decompress(data, limit)
        piece = self._zlib.decompress(self._rest + data, limit)
        self._rest = self._zlib.unconsumed_tail
        return piece

    @property
    def hungry(self) -> bool:
        return self._bz2.needs_input if self._bz2 else not self._rest

    @property
    def ended(self) -> bool:
        return self._bz2.eof if self._bz2 else self._zlib.eof

    @property
    def beyond(self) -> bytes:
        """What was given past the end of the stream."""
        return self._bz2.unused_data if self._bz2 else self._zlib.unused_data


class NotInPieces(Exception):
    """The file has too few places to enter it: index it again, with a copy."""


class CutShort(Exception):
    """The compressed data ends or breaks in the middle; what came before is good."""


class OtherBytes(CutShort):
    """Behind the end of a stream stands what begins none. Behind the end of a dump that is of no account."""


def codec_of(path: Path) -> Codec:
    """How a file is packed, by its first bytes; a wrong ending in its name does no harm."""
    with path.open("rb") as file:
        start = file.read(6)
    for codec, magic in _MAGIC.items():
        if start.startswith(magic):
            return codec
    if start.startswith((b"7z\xbc\xaf", b"PK\x03\x04", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")):
        raise BadDump(str(path), "this kind of archive can't be read", "Unpack it, or take the .bz2 or .gz file.")
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadDump(str(path), "it is encoded as UTF-16", "A dump is UTF-8; convert it.")
    return "plain"


def read_through(
    path: Path, codec: Codec, start: tuple[int, int], entered: Callable[[int, int], None], must_be_in_pieces: bool
) -> Iterator[tuple[bytes, int]]:
    """All bytes from a point (offset in the text, offset in the file) on, each piece with the file offset so far.

    `entered` is called with every point at which the file can be entered again.
    """
    text_offset, file_offset = start
    with path.open("rb") as file:
        file.seek(file_offset)
        if codec == "plain":
            while piece := file.read(PIECE_BYTES):
                file_offset += len(piece)
                yield piece, file_offset
            return
        stream, stream_start = _Unpacker(codec), text_offset
        entered(text_offset, file_offset)
        while True:
            data = file.read(_PACKED_BYTES) if stream.hungry else b""
            try:
                piece = stream.take(data, PIECE_BYTES)
            except (OSError, zlib.error) as error:
                raise CutShort(f"the compressed data is damaged after {text_offset:,} bytes of text") from error
            text_offset += len(piece)
            if must_be_in_pieces and text_offset - stream_start > MAX_STRIDE_BYTES:
                raise NotInPieces
            if piece:
                yield piece, file.tell()
            if stream.ended:
                following = file.tell() - len(stream.beyond)
                file.seek(following)
                head, magic = file.read(64), _MAGIC[codec]
                # Some tools pad a file with zeros.
                if not head.strip(b"\0"):
                    return
                if head[: len(magic)] != magic[: len(head)]:
                    raise OtherBytes(f"the compressed data is damaged after {text_offset:,} bytes of text")
                file.seek(following)
                stream, stream_start = _Unpacker(codec), text_offset
                entered(text_offset, following)
            elif not data and not piece and stream.hungry:
                raise CutShort(f"the compressed data ends too early, after {text_offset:,} bytes of text")


class Blocks:
    """Any stretch of a dump's text, by offset; several threads may read."""

    def __init__(self, path: Path, codec: Codec, points: Sequence[tuple[int, int]], text_bytes: int) -> None:
        self._path, self._codec = path, codec
        self._texts = [text for text, _ in points] + [text_bytes]
        self._files = [place for _, place in points]
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._files.append(os.fstat(self._descriptor).st_size)
        self._lock = Lock()
        self._cache: OrderedDict[int, bytes] = OrderedDict()

    def read(self, offset: int, length: int) -> bytes:
        """The bytes, or fewer where the file has none."""
        if self._codec == "plain":
            return os.pread(self._descriptor, length, offset)
        with self._lock:
            return self._read_packed(offset, length)

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _read_packed(self, offset: int, length: int) -> bytes:
        parts, block = [], bisect_right(self._texts, offset) - 1
        while length > 0 and 0 <= block < len(self._texts) - 1:
            within = offset - self._texts[block]
            part = self._block(block)[within : within + length]
            parts.append(part)
            offset, length, block = offset + len(part), length - len(part), block + 1
        return b"".join(parts)

    def _block(self, number: int) -> bytes:
        known = self._cache.get(number)
        if known is not None:
            return known
        start, end = self._files[number], self._files[number + 1]
        packed = os.pread(self._descriptor, end - start, start)
        size = self._texts[number + 1] - self._texts[number]
        try:
            block = _Unpacker(self._codec).take(packed, size) if size else b""
        except (OSError, zlib.error) as error:
            raise BadDump(str(self._path), "it was changed or damaged", "Fetch it again.") from error
        self._cache[number] = block
        while len(self._cache) > 1 and sum(map(len, self._cache.values())) > _CACHE_BYTES:
            self._cache.popitem(last=False)
        return block


class CopyWriter:
    """Writes the copy of a dump in pieces that can be entered one by one."""

    def __init__(self, path: Path, entered: Callable[[int, int], None]) -> None:
        self._file = path.open("wb")
        self._entered, self._buffer, self._text_offset = entered, bytearray(), 0

    def write(self, piece: bytes) -> None:
        """Take the next bytes of the text."""
        self._buffer += piece
        while len(self._buffer) >= PIECE_BYTES:
            self._pack(bytes(self._buffer[:PIECE_BYTES]))
            del self._buffer[:PIECE_BYTES]

    def close(self) -> None:
        """Write what is left and make it last."""
        if self._buffer:
            self._pack(bytes(self._buffer))
            self._buffer.clear()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def abandon(self) -> None:
        """Close a copy that is of no use."""
        self._file.close()

    def _pack(self, piece: bytes) -> None:
        self._entered(self._text_offset, self._file.tell())
        self._file.write(zlib.compress(piece, 1))
        self._text_offset += len(piece)
