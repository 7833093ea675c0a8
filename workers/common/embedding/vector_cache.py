"""Vectors by key in one SQLite file: several threads, several processes, kills and full disks welcome.

Rows leave in the order they came. A file that is no database, or a broken one, is set aside: it is a cache."""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphvine.workers.common.embedding.model_cache import default_cache_folder

if TYPE_CHECKING:
    from graphvine.workers.common.embedding.interface import Embedder, Vectors


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
        """Ids are dense, since only the oldest rows ever go: the two ends give the number of rows."""
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
        """Replace a broken file; tolerate one that is busy, full or read-only."""
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
            _log.warning("the cache of vectors was broken (%s): renamed to %s, starting an empty one", error, broken)
        except (OSError, sqlite3.DatabaseError) as again:
            _log.warning("working without the cache of vectors %s: %s, then %s", self._path, error, again)


DEFAULT_CACHE_MEGABYTES = 1024
_ROW_OVERHEAD_BYTES = 120  # key, index entry, page slack


class CachedEmbedder:
    """An embedder in front of another, with its vectors kept in `<cache folder>/vectors.sqlite`.

    `max_megabytes` bounds the file; at 384 dimensions a gigabyte holds some 600,000 texts.
    """

    def __init__(
        self,
        inner: Embedder,
        *,
        cache_folder: Path | None = None,
        max_megabytes: int = DEFAULT_CACHE_MEGABYTES,
    ) -> None:
        self._inner = inner
        max_rows = max_megabytes * 1_000_000 // (4 * inner.dimension + _ROW_OVERHEAD_BYTES)
        self._store = VectorCache((cache_folder or default_cache_folder()) / "vectors.sqlite", max_rows)
        self._prefix = f"{inner.name}\0{inner.max_tokens}\0".encode()
        self.hits = 0
        self.misses = 0

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, in order; equal texts are computed once."""
        import numpy as np

        if isinstance(texts, str):
            raise TypeError("embed takes a sequence of texts: give [text] for a single one")
        keys = [self._key(text) for text in texts]
        known = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            computed = self._inner.embed(list(missing.values()))
            fresh = dict(zip(missing, computed, strict=True))
            self._store.put({key: vector.tobytes() for key, vector in fresh.items()})
            known.update(fresh)
        # Two threads may lose a count to each other: these are figures for people, not for decisions.
        self.hits += len(keys) - len(missing)
        self.misses += len(missing)
        return np.stack([known[key] for key in keys]) if keys else np.empty((0, self.dimension), dtype=np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """The whole length of each text, uncut, the two marks at its ends included."""
        return self._inner.count_tokens(texts)

    def close(self) -> None:
        """Close the cache and the embedder behind it."""
        self._store.close()
        self._inner.close()

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(self._prefix + text.encode("utf-8", "surrogatepass")).digest()

    def _known(self, keys: list[bytes]) -> dict[bytes, Vectors]:
        import numpy as np

        rows = self._store.get(set(keys))
        # A row of another length can't be a vector of this model: as good as missing.
        whole = {key: row for key, row in rows.items() if len(row) == 4 * self.dimension}
        return {key: np.frombuffer(row, dtype=np.float32) for key, row in whole.items()}
