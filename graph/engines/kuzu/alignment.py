"""Remembers whether states may have been set past the blocks since the guard columns were last aligned with them.

Finding rows whose state and numbers disagree reads whole tables, half a second for a million rows. Blocks keep both in
line, so it is needed only after something else wrote: a typed statement, a load, another program. That is noted in a
file before it is written, so that a kill in between is not forgotten.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


class Alignment:
    """The note is the file `.unaligned` beside the database."""

    def __init__(self, database: Path, *, sync: bool) -> None:
        self._file = database.with_name(database.name + ".unaligned")
        self._sync = sync
        self._written = 0

    @property
    def needed(self) -> bool:
        return self._file.exists()

    def note(self) -> None:
        """Before something that is not a block writes."""
        self._written += 1
        if not self._file.exists():
            self._file.touch(0o600)
            if self._sync:
                folder = os.open(self._file.parent, os.O_RDONLY | os.O_CLOEXEC)
                try:
                    os.fsync(folder)
                finally:
                    os.close(folder)

    def run(self, align: Callable[[], int]) -> int:
        """Align; what is written past the blocks meanwhile is for the next time."""
        before = self._written
        aligned = align()
        if self._written == before:
            self._file.unlink(missing_ok=True)
        return aligned
