"""Room on the disk. The embedded engines end the process when a write finds none: so new work stops well before."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from graphvine.errors import StoreFull

# Below this share of the limit, results of claimed rows are refused too.
_RESERVE = 8
# More than any single write needs: how much it does is not asked.
_AMPLE = 16 << 30
# A bulk load writes 2.4 bytes a byte of its columns, and the pages of all tables once (measured: 15 MB).
_LOADED_PER_BYTE, _LOADED_AT_LEAST = 4, 32 << 20


class DiskSpace:
    def __init__(self, folder: Path, min_free_mb: int) -> None:
        self._folder, self._min_free = folder, min_free_mb << 20

    def free(self) -> int:
        """Bytes that this user can still write."""
        found = os.statvfs(self._folder)
        return found.f_bavail * found.f_frsize

    def shortage(self) -> str | None:
        """Why no new work is taken; None while there is room."""
        free = self.free()
        return None if free >= self._min_free else self._sentence(free)

    def refuse_new(self) -> None:
        """Raise StoreFull where there is too little room for new work."""
        self._refuse(self._min_free)

    def refuse_any(self, needed: Callable[[], int] = lambda: 0) -> None:
        """Raise StoreFull where there is too little room for anything, or for as many bytes as are needed."""
        free = self.free()
        if free < _AMPLE:
            self._refuse(self._min_free // _RESERVE + needed(), free)

    def refuse_load(self, size: int) -> None:
        """Raise StoreFull where there is too little room to load columns of this size."""
        self.refuse_any(lambda: _LOADED_PER_BYTE * size + _LOADED_AT_LEAST)

    def caused(self, error: BaseException) -> StoreFull | None:
        """What to say where a write failed since the disk is full; None where it failed for another reason."""
        if isinstance(error, StoreFull):
            return error
        said = str(error)
        if "No space left on device" in said or ("Cannot write to file" in said and self.shortage() is not None):
            return StoreFull(self._sentence(self.free()))
        return None

    def _refuse(self, least: int, free: int | None = None) -> None:
        free = self.free() if free is None else free
        if free < least:
            raise StoreFull(self._sentence(free, least))

    def _sentence(self, free: int, least: int | None = None) -> str:
        return (
            f"the disk is nearly full: {self._folder} has {free >> 20} MB free and needs"
            f" {-(-(least or self._min_free) >> 20)} MB;"
            " free some room, and work goes on by itself (setting min_free_mb)"
        )
