"""Room on the disk. The embedded engines end the process when a write finds none: so new work stops well before."""

from __future__ import annotations

import os
from pathlib import Path

from graphvine.errors import StoreFull

# Below this share of the limit, results of claimed rows are refused too.
_RESERVE = 8


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

    def refuse_any(self, needed: int = 0) -> None:
        """Raise StoreFull where there is too little room for anything, or for so many bytes."""
        self._refuse(self._min_free // _RESERVE + needed)

    def _refuse(self, least: int) -> None:
        free = self.free()
        if free < least:
            raise StoreFull(self._sentence(free, least))

    def _sentence(self, free: int, least: int | None = None) -> str:
        return (
            f"the disk is nearly full: {self._folder} has {free >> 20} MB free and needs"
            f" {(least or self._min_free) >> 20} MB; free some room, and work goes on by itself (setting min_free_mb)"
        )
