"""The index of a dump: for each title the place of its text, in an SQLite file made once beside the dump."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from graphvine.workers.wikipedia.dump_xml import Broken, Entry

# Of this file's form; an index of another form is made anew.
VERSION = "1"

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE page (
    title TEXT PRIMARY KEY, namespace INTEGER NOT NULL, page_id INTEGER NOT NULL, revision_id INTEGER NOT NULL,
    timestamp TEXT NOT NULL, model TEXT NOT NULL, redirect TEXT NOT NULL, start INTEGER NOT NULL,
    length INTEGER NOT NULL, hidden INTEGER NOT NULL, stub INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE point (text_offset INTEGER PRIMARY KEY, file_offset INTEGER NOT NULL);
CREATE TABLE broken (position INTEGER PRIMARY KEY, title TEXT NOT NULL, reason TEXT NOT NULL);
"""
_COLUMNS = "title, namespace, page_id, revision_id, timestamp, model, redirect, start, length, hidden, stub"
_ADD_PAGE = f"""
INSERT INTO page ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (title) DO UPDATE SET
    namespace = excluded.namespace, page_id = excluded.page_id, revision_id = excluded.revision_id,
    timestamp = excluded.timestamp, model = excluded.model, redirect = excluded.redirect, start = excluded.start,
    length = excluded.length, hidden = excluded.hidden, stub = excluded.stub
WHERE (excluded.timestamp, excluded.revision_id) >= (page.timestamp, page.revision_id)
"""
# SQLite takes a limited number of parameters in a statement.
_MOST_PARAMETERS = 500


@dataclass(frozen=True)
class Counts:
    """What a dump holds."""

    pages: int
    redirects: int
    broken: int
    by_namespace: dict[int, int]


class DumpIndex:
    """Reads and writes the index. Callers may be in several threads."""

    def __init__(self, path: Path | None) -> None:
        """Open or make the file; without a path the index lives in memory."""
        self._lock = Lock()
        self._database = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None)
        # A kill in the middle of building loses at most the last step, and building goes on from there.
        self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.execute("PRAGMA synchronous = NORMAL")
        if not self._database.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
            self._database.executescript(f"BEGIN; {_TABLES} COMMIT;")

    def meta(self, key: str) -> str | None:
        """One fact about the dump or the index."""
        with self._lock:
            row = self._database.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else None

    def save(
        self,
        entries: Iterable[Entry] = (),
        broken: Iterable[Broken] = (),
        points: Iterable[tuple[int, int]] = (),
        meta: dict[str, str] | None = None,
    ) -> None:
        """Add all of this in one step."""
        with self._lock:
            self._database.execute("BEGIN")
            self._database.executemany(_ADD_PAGE, (_row(entry) for entry in entries))
            self._database.executemany(
                "INSERT OR REPLACE INTO broken VALUES (?, ?, ?)", ((b.position, b.title, b.reason) for b in broken)
            )
            self._database.executemany("INSERT OR REPLACE INTO point VALUES (?, ?)", points)
            self._database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", (meta or {}).items())
            self._database.execute("COMMIT")

    def find(self, titles: Iterable[str]) -> dict[str, Entry]:
        """The entries of those titles that the dump has."""
        wanted, found = list(dict.fromkeys(titles)), {}
        for start in range(0, len(wanted), _MOST_PARAMETERS):
            some = wanted[start : start + _MOST_PARAMETERS]
            marks = ", ".join("?" * len(some))
            with self._lock:
                rows = self._database.execute(f"SELECT {_COLUMNS} FROM page WHERE title IN ({marks})", some).fetchall()
            for row in rows:
                entry = Entry(*row)
                found[entry.title] = entry
        return found

    def broken_page(self, title: str) -> Broken | None:
        """Why a title could not be read from the dump, if that is so."""
        with self._lock:
            row = self._database.execute("SELECT * FROM broken WHERE title = ? LIMIT 1", (title,)).fetchone()
        return Broken(*row) if row else None

    def broken_pages(self, limit: int = 1000) -> list[Broken]:
        """The pages that were left out, in the dump's order."""
        with self._lock:
            rows = self._database.execute("SELECT * FROM broken ORDER BY position LIMIT ?", (limit,)).fetchall()
        return [Broken(*row) for row in rows]

    def points(self) -> list[tuple[int, int]]:
        """Where the file can be entered: offsets in the text and in the file."""
        with self._lock:
            return self._database.execute("SELECT * FROM point ORDER BY text_offset").fetchall()

    def titles(self, namespace: int = 0, after: str = "", limit: int = 1000) -> list[str]:
        """Titles of a namespace in order, for walking through a whole dump."""
        query = "SELECT title FROM page WHERE namespace = ? AND title > ? ORDER BY title LIMIT ?"
        with self._lock:
            return [str(row[0]) for row in self._database.execute(query, (namespace, after, limit))]

    def counts(self) -> Counts:
        """How much of what is in the dump."""
        with self._lock:
            spaces = dict(self._database.execute("SELECT namespace, count(*) FROM page GROUP BY namespace"))
            redirects = self._database.execute("SELECT count(*) FROM page WHERE redirect <> ''").fetchone()[0]
            broken = self._database.execute("SELECT count(*) FROM broken").fetchone()[0]
        return Counts(sum(spaces.values()), redirects, broken, spaces)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()


def _row(entry: Entry) -> tuple[str | int, ...]:
    return (
        entry.title, entry.namespace, entry.page_id, entry.revision_id, entry.timestamp, entry.model,
        entry.redirect, entry.start, entry.length, int(entry.hidden), int(entry.stub),
    )  # fmt: skip
