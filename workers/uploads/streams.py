"""The text of a file, plain or unpacked, read forward in bounded memory; its content says how it is packed."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from graphvine.workers.common.unpack import MARK_BYTES, BadPacking, Unpacker, detect_compression
from graphvine.workers.uploads.errors import FileFault
from graphvine.workers.uploads.settings import UploadSettings

# Short texts may be packed as tightly as they like.
_EXPANSION_IS_FINE = 64 << 20


class Text:
    """Bytes of text by their offset. Going forward is cheap; a packed file that is asked to go back starts anew."""

    def __init__(self, path: Path, settings: UploadSettings) -> None:
        self._settings, self._path = settings, path
        self._file: BinaryIO = path.open("rb")
        self._ready, self._at, self._offset, self._made = b"", 0, 0, 0
        try:
            self.compression = detect_compression(self._file.read(MARK_BYTES))
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
        self._unpacker = Unpacker(self._file, self.compression)

    def _unpack(self) -> bool:
        """Make more text ready; False at the end of the file."""
        try:
            self._ready = self._unpacker.piece()
        except BadPacking as error:
            raise FileFault(str(error)) from None
        self._made += len(self._ready)
        self._check_expansion()
        return bool(self._ready)

    def _check_expansion(self) -> None:
        most = self._settings.max_expansion * max(self.consumed, 1)
        if self._made > self._settings.max_expanded_size:
            raise FileFault(f"the file unpacks to more than {self._settings.max_expanded_size:,} bytes")
        if self._made > max(most, _EXPANSION_IS_FINE):
            raise FileFault(
                f"the file unpacks to more than {self._settings.max_expansion} times its size, which no file of items"
                " does (raise max_expansion if it is meant to)"
            )
