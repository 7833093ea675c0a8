"""Unpacks gzip and zstd as a stream, in bounded memory; the first bytes of a file say how it is packed."""

from __future__ import annotations

import io
import sys
import zlib
from typing import Any, BinaryIO, Protocol

from graphvine.errors import GraphvineError
from graphvine.installation import missing_part

# So many bytes of a file say how it is packed.
MARK_BYTES = 4
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# What zstd may put in front of its data: frames to be passed over.
_ZSTD_SKIPPED = tuple(bytes([0x50 + number, 0x2A, 0x4D, 0x18]) for number in range(16))
_PACKED_AT_ONCE, _TEXT_AT_ONCE = 64 << 10, 1 << 20
# Four bytes of zstd can stand for 128 KiB, and its decoder gives all of it at once: it is fed by the spoonful.
_ZSTD_AT_ONCE = 1 << 10
_ZSTD_WINDOW_LOG = 27  # 128 MB


class BadPacking(GraphvineError):
    """Packed data that is cut or broken, or that can't be unpacked here."""


def detect_compression(head: bytes) -> str:
    """How a file is packed that begins so; '' for not at all."""
    if head.startswith(_GZIP):
        return "gzip"
    return "zstd" if head.startswith((_ZSTD, *_ZSTD_SKIPPED)) else ""


class _Decoder(Protocol):
    """Decoders of one frame or member."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes) -> bytes: ...


class Unpacker:
    """The text of a packed file, piece by piece; members and frames may follow each other."""

    def __init__(self, file: BinaryIO, compression: str) -> None:
        self._file, self._compression = file, compression
        self._decoder: _Decoder | None = None
        self._packed = b""

    def piece(self) -> bytes:
        """The next bytes; none at the end of the file."""
        while True:
            if not self._packed:
                self._packed = self._file.read(_ZSTD_AT_ONCE if self._compression == "zstd" else _PACKED_AT_ONCE)
                if not self._packed:
                    if self._decoder is not None:
                        raise BadPacking(f"the file is cut: it ends in the middle of its {self._compression} data")
                    return b""
            if found := self._next():
                return found

    def _next(self) -> bytes:
        if self._decoder is None:
            # Members follow each other; zeros between and behind them are padding.
            self._packed = self._packed.lstrip(b"\0")
            if not self._packed:
                return b""
            self._decoder = self._new_decoder()
        try:
            if self._compression == "gzip":
                decoder: Any = self._decoder
                found: bytes = decoder.decompress(self._packed, _TEXT_AT_ONCE)
                self._packed = decoder.unconsumed_tail
            else:
                found, self._packed = self._decoder.decompress(self._packed), b""
        except Exception as error:  # zlib.error, ZstdError: what the packers raise has no common ancestor
            raise BadPacking(f"the file is not sound {self._compression} data: {error}") from None
        if self._decoder.eof:
            self._packed, self._decoder = self._decoder.unused_data, None
        return found

    def _new_decoder(self) -> _Decoder:
        if self._compression == "gzip":
            decoder: _Decoder = zlib.decompressobj(wbits=31)
            return decoder
        try:
            if sys.version_info >= (3, 14):
                from compression import zstd
            else:
                from backports import zstd
        except ModuleNotFoundError as error:
            raise BadPacking(missing_part(error) or str(error)) from None
        made: _Decoder = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG})
        return made


class UnpackedFile(io.RawIOBase):
    """A packed file as one that can be read."""

    def __init__(self, file: BinaryIO, compression: str) -> None:
        self._unpacker, self._ready = Unpacker(file, compression), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._ready = self._ready or self._unpacker.piece()
        taken = self._ready[: len(buffer)]
        self._ready = self._ready[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)
