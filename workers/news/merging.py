"""Additions into the queue, and the checkpoint with them, in one transaction; and a queue that was broken, mended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit
from graphvine.workers.news import PIPELINE
from graphvine.workers.news.keys import additions_checkpoint, all_checkpoints

ROLE = "news_processor"
_ROWS_AT_ONCE = 5_000
# Others may merge at the same time; each of them moves the checkpoint on, so this is never reached in earnest.
_TRIES = 20
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Merged:
    """`up_to` is the number in the log up to which everything is merged."""

    count: int = 0
    checkpoint: str = ""
    up_to: int = 0
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mended:
    rebuilt: int = 0
    dropped: int = 0
    missing: list[str] = field(default_factory=list)


class Merging:
    def __init__(self, graph: Graph, topic: str, tell: Tell) -> None:
        self._graph, self._topic, self._tell = graph, topic, tell

    def merge(self) -> Merged:
        """Queue what the log holds after the checkpoint.

        A checkpoint that the log does not hold was trimmed, or is wrong: then the whole log is merged. Nothing comes
        twice by it, since only articles that are pending and not in the queue are taken.
        """
        count, missing = 0, list[str]()
        checkpoint, additions = self._read()
        for _ in range(_TRIES):
            self._tell("additions_read")
            ids = [row["id"] for row in additions]
            after = ids.index(checkpoint["article"]) + 1 if checkpoint["article"] in ids else 0
            up_to = additions[-1]["seq"] if additions else 0
            if after == len(ids):
                return Merged(count, checkpoint["article"], up_to, missing)
            if self._write(checkpoint, ids[after : after + _ROWS_AT_ONCE], told := _Told()):
                count, missing = count + told.queued, missing + told.missing
                self._tell("merged")
            checkpoint, additions = self._read()
        return Merged(count, checkpoint["article"], 0, missing)

    def mend(self, merged: Merged) -> Mended:
        """Bring the queue in order: out with what does not belong there, in with what is pending and in neither.

        An article that was added since the log was read is in the log, behind what was merged: its turn comes.
        """
        strays = self._graph.read(f"{ROLE}.strays", topic=self._topic)
        dropped: list[Row] = []
        if strays:
            dropped = self._graph.run(Unit.of([Step(f"{ROLE}.drop_strays", {"topic": self._topic})])).rows[0]
        gone = {row["id"] for row in dropped}
        missing = [row["id"] for row in strays if row["state"] is None and row["id"] in gone]
        found = self._graph.read(f"{ROLE}.orphans", topic=self._topic, never=NEVER)
        orphans = [row["id"] for row in found if row["in_log"] is None or row["in_log"] <= merged.up_to]
        if orphans:
            self._open()
        rebuilt = sum(self._put_back(part) for part in _parts(orphans))
        self._tell("mended")
        return Mended(rebuilt, len(dropped), missing)

    def _read(self) -> tuple[Row, list[Row]]:
        """The checkpoint first: the log read after it holds at least what came later."""
        checkpoint = self._checkpoint()
        additions = self._graph.read(f"{ROLE}.additions", topic=self._topic)
        if checkpoint is None and additions:
            self._open()
            checkpoint = self._checkpoint()
        return checkpoint or {"article": ""}, additions

    def _checkpoint(self) -> Row | None:
        name = additions_checkpoint(self._topic)
        rows = self._graph.read(f"{ROLE}.checkpoints", topic=self._topic)
        return next((row for row in rows if row["name"] == name), None)

    def _write(self, checkpoint: Row, ids: Sequence[str], told: _Told) -> bool:
        """Queue and checkpoint together. False when another processor has merged since: nothing was written."""
        standing = {row["id"]: row["state"] for row in self._graph.read(f"{ROLE}.standing", keys=list(ids))}
        pending = [id for id in ids if standing.get(id) == "pending"]
        at = moment(self._graph.clock.now_ms())
        moved = {
            "checkpoint": checkpoint["name"], "was": checkpoint["article"], "article": ids[-1],
            "merged": len(pending), "at": at,
        }  # fmt: skip
        steps = [Step(f"{ROLE}.move_checkpoint", moved), self._enqueue(pending, checkpoint["seq"], at)]
        result = self._graph.run(Unit.of(steps))
        if not result.held:
            return False
        told.queued = sum(row["created"] for row in result.rows[1])
        told.missing = [id for id in ids if id not in standing]
        return True

    def _put_back(self, ids: Sequence[str]) -> int:
        at = moment(self._graph.clock.now_ms())
        adopted = Step(f"{PIPELINE}.adopt", {"keys": list(ids), "topic": self._topic})
        result = self._graph.run(Unit.of([adopted, self._enqueue(ids, 0, at)]))
        return sum(row["created"] for row in result.rows[1])

    def _enqueue(self, ids: Sequence[str], claim: int, at: Any) -> Step:
        rows = [{"id": id, "place": 0, "claim": claim} for id in ids]
        return Step(f"{ROLE}.enqueue", {"rows": rows, "at": at})

    def _open(self) -> None:
        """Make what is missing of the checkpoints; a graph without news has none."""
        names = {row["name"] for row in self._graph.read(f"{ROLE}.checkpoints", topic=self._topic)}
        new = [name for name in all_checkpoints(self._topic) if name not in names]
        if new:
            rows = [{"name": name, "seq": 0} for name in new]
            self._graph.run(Unit.of([Step(f"{ROLE}.open_checkpoints", {"rows": rows, "topic": self._topic})]))


@dataclass(slots=True)
class _Told:
    queued: int = 0
    missing: list[str] = field(default_factory=list)


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        yield ids[start : start + _ROWS_AT_ONCE]
