"""Whether a process of this machine still runs."""

from __future__ import annotations

import os
from pathlib import Path

# Ended, and not yet collected by its parent: it has a number still, and nothing else.
_ENDED = frozenset({"Z", "X", "x"})


def is_running(pid: int) -> bool:
    """Whether there is such a process and it has not ended; a zombie has."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # another user's, but there
    fields = _stat(pid)
    return not fields or fields[0] not in _ENDED


def started_at(pid: int) -> str:
    """When a process began, in the kernel's own count; '' where that can't be known."""
    fields = _stat(pid)
    return fields[19] if fields else ""


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; the name before them may hold anything."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return []
    return stat.rpartition(")")[2].split()
