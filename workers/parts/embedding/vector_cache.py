"""Vectors by key in one SQLite file: several threads, several processes, kills and full disks welcome.

Rows leave in the order they came. A file that is no database, or a broken one, is set aside: it is a cache.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

_PER_STATEMENT = 500  # SQLite's oldest limit on parameters is 999
_BUSY_SECONDS = 10.0
_log = logging.getLogger(__name__)


class VectorCache:
    """A bounded map from 32-byte keys to vectors as bytes. Trouble with the file is a warning and a miss."""

    def __init__(self, path: Path, max_rows: int) -> None:
        self._path, self._max_rows = path, max(1, max_rows)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        with self._lock:
            self._open()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Those of the keys that are there."""
        wanted = list(keys)
        found: dict[bytes, bytes] = {}
        with self._lock:
            if self._connection is None:
                return found
            try:
                for start in range(0, len(wanted), _PER_STATEMENT):
                    part = wanted[start : start + _PER_STATEMENT]
                    marks = ",".join("?" * len(part))
                    found.update(
                        self._connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part)
                    )
            except sqlite3.DatabaseError as error:
                self._trouble(error)
        return found

    def put(self, vectors: Mapping[bytes, bytes]) -> None:
        """Keep these, in one transaction, and let the oldest go beyond the limit."""
        with self._lock:
            if self._connection is None or not vectors:
                return
            try:
                with self._connection:  # commits, or rolls back on an error
                    self._connection.execute("BEGIN IMMEDIATE")
                    self._make_room(len(vectors))
                    self._connection.executemany(
                        "INSERT OR IGNORE INTO vectors(key, vector) VALUES (?, ?)", vectors.items()
                    )
            except sqlite3.DatabaseError as error:
                self._trouble(error)

    def count(self) -> int:
        """How many vectors there are."""
        with self._lock:
            if self._connection is None:
                return 0
            first, last = self._connection.execute("SELECT min(id), max(id) FROM vectors").fetchone()
            return 0 if first is None else int(last - first + 1)

    def close(self) -> None:
        """Close the file; afterwards every look-up is a miss."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _make_room(self, coming: int) -> None:
        """Ids are dense, since only the oldest rows ever go: the two ends tell the number of rows."""
        assert self._connection is not None
        first, last = self._connection.execute("SELECT min(id), max(id) FROM vectors").fetchone()
        if first is not None and last - first + 1 + coming > self._max_rows:
            # A tenth more than needed, so that a full cache does not delete at every call.
            keep = max(0, self._max_rows - coming - self._max_rows // 10)
            self._connection.execute("DELETE FROM vectors WHERE id <= ?", (last - keep,))

    def _open(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = self._connect()
        except sqlite3.DatabaseError as error:
            self._trouble(error)
        except OSError as error:
            _log.warning("working without the cache of vectors %s: %s", self._path, error)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            # Vectors of 1.5 KB would leave a quarter of each page of the usual 4 KB empty.
            connection.execute("PRAGMA page_size = 16384")
            connection.execute("PRAGMA journal_mode = WAL")
            # A kill loses nothing; a power cut may lose the newest vectors, which are then computed again.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS vectors("
                "id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL)"
            )
            connection.execute("SELECT key, vector FROM vectors LIMIT 1").fetchone()
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection

    def _trouble(self, error: sqlite3.DatabaseError) -> None:
        """Start a broken file anew; live with one that is busy, full or read-only."""
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            _log.warning("the cache of vectors %s was not used: %s", self._path, error)
            return
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        broken = self._path.with_name(self._path.name + ".broken")
        try:
            os.replace(self._path, broken)
            for suffix in ("-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
            self._connection = self._connect()
            _log.warning("the cache of vectors was broken (%s): set aside as %s, and begun anew", error, broken)
        except (OSError, sqlite3.DatabaseError) as again:
            _log.warning("working without the cache of vectors %s: %s, then %s", self._path, error, again)
