"""The lock on the database file: one process at a time, known by name to whoever comes second."""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from graphvine.errors import StoreBusy
from graphvine.redact import redact_arguments

_open_here: set[Path] = set()


class Holder:
    """A lock beside the database. The kernel drops it with the process, so that a kill leaves nothing to clear."""

    def __init__(self, database: Path) -> None:
        self._database = database.resolve()
        self._path = self._database.with_name(self._database.name + ".lock")
        self._fd: int | None = None

    def take(self) -> None:
        """Hold the file, or raise StoreBusy with a sentence that says who does."""
        if self._database in _open_here:
            # Two Database objects on one path lose updates without an error.
            raise StoreBusy(str(self._database), "this process already (use the graph that is open)")
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._refuse_foreign()
        except BlockingIOError:
            holder = os.pread(fd, 4096, 0)
            os.close(fd)
            raise StoreBusy(str(self._database), _describe(holder)) from None
        except StoreBusy:
            os.close(fd)
            raise
        os.ftruncate(fd, 0)
        os.pwrite(fd, json.dumps(_myself()).encode(), 0)
        self._fd = fd
        _open_here.add(self._database)

    def drop(self) -> None:
        if self._fd is not None:
            _open_here.discard(self._database)
            os.ftruncate(self._fd, 0)
            os.close(self._fd)
            self._fd = None

    def _refuse_foreign(self) -> None:
        """Another program (Kuzu's own shell, say) may hold the database without our lock: it locks the file itself."""
        if not self._database.exists():
            return
        fd = os.open(self._database, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            raise StoreBusy(str(self._database), "another program (not Graphvine)") from None
        finally:
            os.close(fd)


def _myself() -> dict[str, Any]:
    command = redact_arguments([Path(sys.argv[0]).name or "python", *sys.argv[1:]])[:200]
    return {"pid": os.getpid(), "command": command, "since": time.strftime("%Y-%m-%d %H:%M:%S")}


def _describe(content: bytes) -> str:
    try:
        holder = json.loads(content)
        return f"process {holder['pid']} ({holder['command']}, since {holder['since']})"
    except (ValueError, KeyError, TypeError):  # it is just being written, or about to go
        return "another process"
