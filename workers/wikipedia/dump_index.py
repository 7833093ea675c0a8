"""The index of a dump: for each title the place of its text, in an SQLite file made once beside the dump."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from xml.parsers import expat

from graphvine.workers.wikipedia.dump_xml import Broken, Entry
from graphvine.workers.wikipedia.namespace_aliases import aliases_of
from graphvine.workers.wikipedia.site import CANONICAL, SiteRules, api_of

# Of this file's form; an index of another form is made anew.
VERSION = "2"

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE page (
    title TEXT PRIMARY KEY, namespace INTEGER NOT NULL, page_id INTEGER NOT NULL, revision_id INTEGER NOT NULL,
    timestamp TEXT NOT NULL, model TEXT NOT NULL, redirect TEXT NOT NULL, start INTEGER NOT NULL,
    length INTEGER NOT NULL, hidden INTEGER NOT NULL, stub INTEGER NOT NULL, disambiguates INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE point (text_offset INTEGER PRIMARY KEY, file_offset INTEGER NOT NULL);
CREATE TABLE broken (position INTEGER PRIMARY KEY, title TEXT NOT NULL, reason TEXT NOT NULL);
"""
_COLUMNS = (
    "title, namespace, page_id, revision_id, timestamp, model, redirect, start, length, hidden, stub, disambiguates"
)
_ADD_PAGE = f"""
INSERT INTO page ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (title) DO UPDATE SET
    namespace = excluded.namespace, page_id = excluded.page_id, revision_id = excluded.revision_id,
    timestamp = excluded.timestamp, model = excluded.model, redirect = excluded.redirect, start = excluded.start,
    length = excluded.length, hidden = excluded.hidden, stub = excluded.stub, disambiguates = excluded.disambiguates
WHERE (excluded.timestamp, excluded.revision_id) >= (page.timestamp, page.revision_id)
"""
# So many titles are compared with one that is not there.
_COMPARED = 20_000
_MORE_THAN = "SELECT 1 FROM page WHERE namespace = 0 LIMIT 1 OFFSET ?"
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
        self._database.create_function("folded", 1, str.casefold, deterministic=True)
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
            try:
                self._add(entries, broken, points, meta or {})
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def _add(
        self,
        entries: Iterable[Entry],
        broken: Iterable[Broken],
        points: Iterable[tuple[int, int]],
        meta: dict[str, str],
    ) -> None:
        add = self._database.executemany
        add(_ADD_PAGE, (_row(entry) for entry in entries))
        add("INSERT OR REPLACE INTO broken VALUES (?, ?, ?)", ((b.position, b.title, b.reason) for b in broken))
        add("INSERT OR REPLACE INTO point VALUES (?, ?)", points)
        add("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())

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

    def titles(self, namespace: int = 0, after: str = "", limit: int = 1000, contains: str = "") -> list[str]:
        """Titles of a namespace in order, for walking through a whole dump; those with a text in them, in any case."""
        query = "SELECT title FROM page WHERE namespace = ? AND title > ?"
        given: list[str | int] = [namespace, after]
        if contains:
            query += " AND instr(folded(title), ?) > 0"
            given.append(contains.casefold())
        with self._lock:
            rows = self._database.execute(f"{query} ORDER BY title LIMIT ?", (*given, limit))
            return [str(row[0]) for row in rows]

    def candidates(self, title: str) -> list[str]:
        """Titles that may be like this one: all of a small dump, of a large one those that begin alike."""
        query = "SELECT title FROM page WHERE namespace = 0 AND title >= ? AND title < ? ORDER BY title LIMIT ?"
        with self._lock:
            if self._database.execute(_MORE_THAN, (_COMPARED,)).fetchone() is None:
                return [str(row[0]) for row in self._database.execute(query, ("", "\U0010ffff", _COMPARED))]
            # In capitals, in small letters, and as it stands.
            starts = {title[:length] for length in (3, 2)} | {title[:3].upper(), title[:3].title(), title[:3].lower()}
            found: dict[str, None] = {}
            for start in sorted(starts - {""}, key=len, reverse=True):
                rows = self._database.execute(query, (start, start + "\U0010ffff", _COMPARED))
                found |= dict.fromkeys(str(row[0]) for row in rows)
            return list(found)[:_COMPARED]

    def entries(self) -> Iterator[Entry]:
        """All articles that are no redirects, in the order of the file."""
        with self._lock:
            found = self._database.execute(
                f"SELECT {_COLUMNS} FROM page WHERE namespace = 0 AND redirect = '' ORDER BY start"
            )
        while True:
            with self._lock:
                rows = found.fetchmany(_MOST_PARAMETERS)
            if not rows:
                return
            yield from (Entry(*row) for row in rows)

    def disambiguating(self) -> list[Entry]:
        """The templates whose text holds the switch for a list of meanings."""
        with self._lock:
            rows = self._database.execute(f"SELECT {_COLUMNS} FROM page WHERE disambiguates = 1").fetchall()
        return [Entry(*row) for row in rows]

    def redirects_to(self, titles: Iterable[str], namespace: int) -> list[str]:
        """The pages of a namespace that the dump marks as redirects to one of these."""
        wanted = set(titles)
        with self._lock:
            rows = self._database.execute(
                "SELECT title, redirect FROM page WHERE namespace = ? AND redirect <> ''", (namespace,)
            ).fetchall()
        found = {str(title) for title, target in rows if target in wanted}
        return sorted(found)

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
        entry.redirect, entry.start, entry.length, int(entry.hidden), int(entry.stub), int(entry.disambiguates),
    )  # fmt: skip


_LANGUAGE = re.compile(rb"""\sxml:lang=["']([A-Za-z-]{2,20})["']""")


def looks_like_a_dump(header: bytes) -> bool:
    """Whether this can be what stands before the first page."""
    return b"<mediawiki" in header


def rules_from_header(header: bytes, fallback_name: str) -> SiteRules:
    """The wiki's rules, or those of the English Wikipedia where the header is missing or broken."""
    language = _LANGUAGE.search(_between(header, b"<mediawiki", b">"))
    code = language[1].decode() if language else "en"
    found = _between(header, b"<siteinfo", b"</siteinfo>")
    texts, spaces = _read(found) if found else ({}, {})
    name, default_case, api_url = texts.get("sitename", ""), texts.get("case", ""), api_of(texts.get("base", ""))
    if not spaces:
        return SiteRules(name=name or fallback_name, language=code, api_url=api_url)
    return SiteRules(
        name=name or fallback_name,
        language=code,
        api_url=api_url,
        namespaces={number: CANONICAL[0] if number == 0 else label for number, (label, _) in spaces.items()},
        aliases=aliases_of(code, name),
        case_sensitive=frozenset(
            number for number, (_, case) in spaces.items() if (case or default_case) == "case-sensitive"
        ),
    )


def _between(header: bytes, start: bytes, end: bytes) -> bytes:
    """From the first start to the end behind it, both included; in time proportional to the header."""
    at = header.find(start)
    to = header.find(end, at) if at >= 0 else -1
    return header[at : to + len(end)] if to >= 0 else b""


def _read(siteinfo: bytes) -> tuple[dict[str, str], dict[int, tuple[str, str]]]:
    """Name of the wiki, its main page, its rule for first letters; and its namespaces with theirs."""
    texts: dict[str, str] = {}
    spaces: dict[int, tuple[str, str]] = {}
    place = ""
    key: int | None = None
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal place, key
        place = name
        if name == "namespace" and re.fullmatch(r"-?\d{1,6}", attributes.get("key", "")):
            key = int(attributes["key"])
            spaces[key] = ("", attributes.get("case", ""))

    def characters(text: str) -> None:
        if place == "namespace" and key is not None:
            spaces[key] = (spaces[key][0] + text, spaces[key][1])
        elif place in ("sitename", "base", "case"):
            texts[place] = texts.get(place, "") + text

    def finish(_: str) -> None:
        nonlocal place, key
        place, key = "", None

    parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = begin, characters, finish
    try:
        parser.Parse(siteinfo, True)
    except expat.ExpatError:
        return {}, {}
    return texts, spaces
