"""The text of a file, plain or unpacked, read forward in bounded memory; how it is packed is told by its content."""

from __future__ import annotations

import zlib
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol, Self

from graphvine.workers.uploads.errors import FileFault
from graphvine.workers.uploads.settings import UploadSettings

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# What zstd may put in front of its data: frames to be passed over.
_ZSTD_SKIPPED = tuple(bytes([0x50 + number, 0x2A, 0x4D, 0x18]) for number in range(16))
_PACKED_AT_ONCE = 64 << 10
# Four bytes of zstd can stand for 128 KiB, and its decoder gives all of it at once: it is fed by the spoonful.
_ZSTD_AT_ONCE = 1 << 10
_ZSTD_WINDOW = 1 << 27
# Short texts may be packed as tightly as they like.
_EXPANSION_IS_FINE = 64 << 20


class Unpacking(Protocol):
    """Decoders of one frame or member."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes) -> bytes: ...


class Text:
    """Bytes of text by their offset. Going forward is cheap; a packed file that is asked to go back starts anew."""

    def __init__(self, path: Path, settings: UploadSettings) -> None:
        self._settings, self._path = settings, path
        self._file: BinaryIO = path.open("rb")
        self._ready, self._at, self._offset, self._made = b"", 0, 0, 0
        self._decoder: Unpacking | None = None
        self._packed = b""
        try:
            self.compression = told_compression(self._file.read(4))
            self._restart()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def consumed(self) -> int:
        """How much of the file itself was read so far."""
        return self._file.tell()

    def read(self, size: int) -> bytes:
        """So many bytes, fewer only at the end."""
        if not self.compression:
            return self._file.read(size)
        parts: list[bytes] = []
        missing = size
        while missing > 0 and (self._ready or self._unpack()):
            part = self._ready[self._at : self._at + missing]
            self._at += len(part)
            missing -= len(part)
            parts.append(part)
            if self._at >= len(self._ready):
                self._ready, self._at = b"", 0
        self._offset += size - missing
        return b"".join(parts)

    def seek(self, offset: int) -> None:
        """Go on reading from there."""
        if not self.compression:
            self._file.seek(offset)
            return
        if offset < self._offset:
            self._restart()
        while self._offset < offset:
            if not self.read(min(offset - self._offset, 1 << 20)):
                raise FileFault("the file is shorter than it was")

    def _restart(self) -> None:
        self._file.seek(0)
        self._ready, self._at, self._offset, self._made = b"", 0, 0, 0
        self._decoder, self._packed = None, b""

    def _unpack(self) -> bool:
        """Make more text ready; False at the end of the file."""
        while not self._ready:
            if not self._packed:
                self._packed = self._file.read(_ZSTD_AT_ONCE if self.compression == "zstd" else _PACKED_AT_ONCE)
                if not self._packed:
                    if self._decoder is not None:
                        raise FileFault(f"the file is cut: it ends in the middle of its {self.compression} data")
                    return False
            self._next()
            self._made += len(self._ready)
            self._check_expansion()
        return True

    def _next(self) -> None:
        if self._decoder is None:
            # Members follow each other; zeros between and behind them are padding.
            self._packed = self._packed.lstrip(b"\0")
            if not self._packed:
                return
            self._decoder = self._new_decoder()
        try:
            if self.compression == "gzip":
                decoder: Any = self._decoder
                self._ready = decoder.decompress(self._packed, 1 << 20)
                self._packed = decoder.unconsumed_tail
            else:
                self._ready = self._decoder.decompress(self._packed)
                self._packed = b""
        except Exception as error:  # zlib.error, ZstdError: what the packers raise has no common ancestor
            raise FileFault(f"the file is not sound {self.compression} data: {error}") from None
        if self._decoder.eof:
            self._packed = self._decoder.unused_data
            self._decoder = None

    def _new_decoder(self) -> Unpacking:
        if self.compression == "gzip":
            decoder: Unpacking = zlib.decompressobj(wbits=31)
            return decoder
        import zstandard

        made: Unpacking = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        return made

    def _check_expansion(self) -> None:
        most = self._settings.max_expansion * max(self.consumed, 1)
        if self._made > self._settings.max_expanded_size:
            raise FileFault(f"the file unpacks to more than {self._settings.max_expanded_size:,} bytes")
        if self._made > max(most, _EXPANSION_IS_FINE):
            raise FileFault(
                f"the file unpacks to more than {self._settings.max_expansion} times its size, which no file of items"
                " does (raise max_expansion if it is meant to)"
            )


def told_compression(head: bytes) -> str:
    """How a file is packed that begins so; '' for not at all."""
    if head.startswith(_GZIP):
        return "gzip"
    return "zstd" if head.startswith((_ZSTD, *_ZSTD_SKIPPED)) else ""
