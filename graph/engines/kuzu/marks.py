"""Marks of the log: how much of the write-ahead log has been acknowledged.

A kill while a large commit is written leaves half a record at the end of Kuzu's log, and opening that kills the
process. So each commit is followed by a mark of the log's length; on opening, what stands behind the last mark is cut
off, since it was never acknowledged.

The file has two slots in sectors of their own, written in turn, each with a counter and a checksum: a mark torn by a
power cut leaves the one before it. It never grows, so that syncing it costs no change of the file's metadata.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

from graphvine.errors import StoreDamaged

_SLOT = struct.Struct("<QQI")
_SECTOR = 512


def private(path: str | Path, flags: int) -> int:
    """For open(): a file that is its owner's alone."""
    return os.open(path, flags, 0o600)


def private_size(path: Path) -> int:
    """The size of a file that the engine makes, 0 where there is none. It becomes its owner's alone."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0
    if found.st_mode & 0o077:
        path.chmod(0o600)
    return found.st_size


class Marks:
    """The acknowledged length of one log."""

    def __init__(self, path: Path, *, sync: bool) -> None:
        self._sync = sync
        self._fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self.length, self._counter = _newest(os.pread(self._fd, 2 * _SECTOR, 0))
        if not self._counter:  # taken for nought, they would cut away a log of acknowledged work
            os.close(self._fd)
            raise StoreDamaged(
                f"{path} holds no readable mark: restore a backup, or remove it to take the log as it is"
            )

    @staticmethod
    def read(path: Path) -> int:
        """The acknowledged length, of a file that is not opened for writing."""
        return _newest(path.read_bytes()[: 2 * _SECTOR])[0]

    @staticmethod
    def create(path: Path, length: int) -> None:
        """Make the file with its first mark, by rename: it is never there without one."""
        new = path.with_name(path.name + ".new")
        with open(new, "wb", opener=private) as file:
            file.write(_slot(1, length).rjust(_SECTOR + _SLOT.size, b"\0").ljust(2 * _SECTOR, b"\0"))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)

    def set(self, length: int, durable: bool = True) -> None:
        """Acknowledge the log up to this length; a durable mark is as safe as the log is when this returns."""
        self._counter += 1
        os.pwrite(self._fd, _slot(self._counter, length), (self._counter % 2) * _SECTOR)
        if self._sync and durable:
            os.fdatasync(self._fd)
        self.length = length

    def close(self) -> None:
        os.close(self._fd)


def _slot(counter: int, length: int) -> bytes:
    head = struct.pack("<QQ", counter, length)
    return head + struct.pack("<I", zlib.crc32(head))


def _newest(content: bytes) -> tuple[int, int]:
    newest = (0, 0)
    for offset in (0, _SECTOR):
        slot = content[offset : offset + _SLOT.size]
        if len(slot) < _SLOT.size:
            continue
        counter, length, check = _SLOT.unpack(slot)
        if counter > newest[1] and zlib.crc32(slot[:16]) == check:
            newest = (length, counter)
    return newest
