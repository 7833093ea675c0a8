"""The journal: every move of every row as it is written, for the page of a row, and how long claims take.

It is kept beside the graph in a small SQLite file, bounded by `serve.history_rows`. It is for people: the graph is the
truth, and a kill may cost the journal's last second and nothing else. Large batches (an upload writes 25,000 items in a
transaction) are not noted row by row: the upload itself has their history.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.records import Row, Unit, UnitResult

ENDING = ".history"
_LARGEST_BATCH = 1_000
_FLUSH_ROWS, _FLUSH_SECONDS, _TRIM_EVERY = 2_000, 1.0, 20_000
_CLAIMS_KEPT, _SECONDS_KEPT = 100_000, 2_000
_SHOWN = 200
_TABLE = """
CREATE TABLE IF NOT EXISTS event (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, pipeline TEXT NOT NULL, seq INTEGER NOT NULL, block TEXT NOT NULL,
    state TEXT NOT NULL, worker TEXT, note TEXT
);
CREATE INDEX IF NOT EXISTS of_a_row ON event (pipeline, seq);
"""
Event = tuple[int, str, int, str, str, str | None, str | None]


class Journal:
    """Listens to units of the store. Rows wait in memory for a second at most, so that a write costs no disk."""

    def __init__(self, graph: Graph, most: int, on_claim_ended: Callable[[str, float], None] | None = None) -> None:
        self._graph, self._most, self._on_claim_ended = graph, most, on_claim_ended
        self._waiting: list[Event] = []
        self._written = 0
        self._claimed: OrderedDict[tuple[str, int], float] = OrderedDict()
        self._seconds: dict[str, deque[tuple[float, float]]] = {}
        self._lock, self._file_lock = threading.Lock(), threading.Lock()
        self._flushed_at = time.monotonic()
        self._closed = False
        self._database: sqlite3.Connection | None = None
        # Workers on many machines share a server: each daemon knows what passed through it, while it runs.
        self._path = Path(f"{graph.engine.where}{ENDING}") if graph.engine.capabilities.single_owner else None
        graph.store.watch_units(self.on_unit)

    def on_unit(self, unit: Unit, result: UnitResult, now: int) -> None:
        """Note what moved. Called by the thread that wrote, after the commit."""
        events: list[Event] = []
        notes = {
            step.parameters["seq"]: str(step.parameters["message"])
            for step in unit.steps
            if step.block.endswith(".note_failure")
        } | {
            step.parameters["seq"]: str(step.parameters["error"]) for step in unit.steps if step.block.endswith(".skip")
        }
        for step, rows in zip(unit.steps, result.rows, strict=True):
            block = self._graph.library.block(step.block)
            if not block.moves or not rows or "seq" not in rows[0] or all(move.stays for move in block.moves):
                continue
            pipeline = block.entity
            self._time(pipeline, rows, starts="worker" in step.parameters)
            if len(rows) <= _LARGEST_BATCH:
                target, worker = block.moves[0].target, step.parameters.get("worker")
                events += [
                    (
                        now,
                        pipeline,
                        row["seq"],
                        block.name,
                        row.get("state") or target,
                        worker,
                        notes.get(row["seq"]),
                    )
                    for row in rows
                    if row.get("created", True) and row["seq"] is not None
                ]
        if events and self._most > 0:
            with self._lock:
                self._waiting += events
                due = len(self._waiting) >= _FLUSH_ROWS or time.monotonic() - self._flushed_at >= _FLUSH_SECONDS
            if due:
                self.flush()

    def of(self, pipeline: str, seq: int) -> list[dict[str, Any]]:
        """What happened to a row, the newest first; each with the seconds since the event before it."""
        self.flush()
        with self._file_lock:
            if (database := self._opened()) is None:
                return []
            found = database.execute(
                "SELECT at, block, state, worker, note FROM event WHERE pipeline = ? AND seq = ?"
                " ORDER BY id DESC LIMIT ?",
                (pipeline, seq, _SHOWN + 1),
            ).fetchall()
        before = [at for at, *_ in found[1:]]
        return [
            {
                "at": moment(at), "move": block, "state": state, "worker": worker, "note": note,
                "seconds_since_last": (at - before[place]) / 1000 if place < len(before) else None,
            }
            for place, (at, block, state, worker, note) in enumerate(found[:_SHOWN])
        ]  # fmt: skip

    def take_seconds(self, pipeline: str, since: float) -> list[float]:
        """How long the claims took that ended since this moment of the monotonic clock."""
        with self._lock:
            return [seconds for at, seconds in self._seconds.get(pipeline, ()) if at >= since]

    def flush(self) -> None:
        with self._lock:
            waiting, self._waiting, self._flushed_at = self._waiting, [], time.monotonic()
        if not waiting:
            return
        with self._file_lock:
            if (database := self._opened()) is None:
                return
            database.executemany(
                "INSERT INTO event (at, pipeline, seq, block, state, worker, note) VALUES (?, ?, ?, ?, ?, ?, ?)",
                waiting,
            )
            self._written += len(waiting)
            if self._written >= _TRIM_EVERY:
                self._written = 0
                database.execute("DELETE FROM event WHERE id <= (SELECT max(id) FROM event) - ?", (self._most,))
            database.commit()

    def close(self) -> None:
        self._graph.store.unwatch_units(self.on_unit)
        self.flush()
        with self._file_lock:
            self._closed = True
            if self._database is not None:
                self._database.close()
                self._database = None

    def _time(self, pipeline: str, rows: list[Row], *, starts: bool) -> None:
        now, ended = time.monotonic(), list[float]()
        with self._lock:
            for row in rows:
                place = (pipeline, row["seq"])
                if starts:
                    self._claimed[place] = now
                elif (began := self._claimed.pop(place, None)) is not None:
                    self._seconds.setdefault(pipeline, deque(maxlen=_SECONDS_KEPT)).append((now, now - began))
                    ended.append(now - began)
            while len(self._claimed) > _CLAIMS_KEPT:
                self._claimed.popitem(last=False)
        if self._on_claim_ended is not None:
            for seconds in ended:
                self._on_claim_ended(pipeline, seconds)

    def _opened(self) -> sqlite3.Connection | None:
        """The file, made when it is first needed. One that is damaged is begun anew; None when nothing is kept."""
        if self._database is None and self._most > 0 and not self._closed:
            try:
                self._database = _open(self._path)
            except sqlite3.DatabaseError:
                for ending in ("", "-wal", "-shm"):
                    Path(f"{self._path}{ending}").unlink(missing_ok=True)
                self._database = _open(self._path)
        return self._database


def _open(path: Path | None) -> sqlite3.Connection:
    database = sqlite3.connect(path or ":memory:", check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")
        database.executescript(_TABLE)
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database
