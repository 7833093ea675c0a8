"""What the three peers on SQLite share: a file filled once, and checked to be durable before it is timed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from support.cache import cached, copy_folder

FILE = "data.db"
FULL = 2


def fresh_copy(folder: Path, distribution: str, items: int, fill: Callable[[Path], None]) -> Path:
    """Put a queue into `folder`, filled by `fill` the first time and copied afterwards; the file's path."""

    def make(building: Path) -> None:
        fill(building / FILE)
        connection = sqlite3.connect(building / FILE)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

    copy_folder(cached(f"{distribution}-{version(distribution)}-{items}", make), folder)
    return folder / FILE


def require_durable(connection: sqlite3.Connection) -> None:
    """In WAL mode only synchronous=FULL syncs the log at each commit: less would not be a fair race."""
    (journal,) = connection.execute("PRAGMA journal_mode").fetchone()
    (level,) = connection.execute("PRAGMA synchronous").fetchone()
    if journal != "wal" or level < FULL:
        raise RuntimeError(f"the peer would run without durability: journal {journal}, synchronous {level}")
