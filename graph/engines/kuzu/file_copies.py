"""Copies of files, by descriptor: cloned where the file system shares blocks, else only what differs is written."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

_LOOK_BYTES, _PIECE_BYTES = 1 << 20, 1 << 14
_FICLONE = 0x40049409  # Linux: share the blocks of a file instead of copying them, where the file system can


def mirror(source: int, target: int) -> bool:
    """Make the target equal to the source. Returns whether anything was written, so that it wants a sync."""
    resized = _resize(target, os.fstat(source).st_size)
    return clone(source, target) or _write_differences(source, target) or resized


def copy(source: int, target: int) -> None:
    """Fill an empty file."""
    if not clone(source, target):
        size, done = os.fstat(source).st_size, 0
        while done < size:
            done += os.sendfile(target, source, done, size - done)


def clone(source: int, target: int) -> bool:
    """Share the blocks of a file with one that is no longer; False where the file system can't."""
    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError:
        return False
    return True


def sync(path: Path) -> None:
    """A file or a folder."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _resize(target: int, size: int) -> bool:
    if os.fstat(target).st_size == size:
        return False
    os.ftruncate(target, size)
    return True


def _write_differences(source: int, target: int) -> bool:
    """Into a file of the same length. Returns whether anything was written."""
    changed = False
    for start in range(0, os.fstat(source).st_size, _LOOK_BYTES):
        new, old = os.pread(source, _LOOK_BYTES, start), os.pread(target, _LOOK_BYTES, start)
        if new == old:
            continue
        changed = True
        for offset in range(0, len(new), _PIECE_BYTES):
            piece = new[offset : offset + _PIECE_BYTES]
            if piece != old[offset : offset + _PIECE_BYTES]:
                os.pwrite(target, piece, start + offset)
    return changed
