"""A topic's queue: merges additions together with the checkpoint, repairs damage, puts articles back by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.errors import GraphvineError
from graphvine.graph import Graph
from graphvine.ready_cache import spans
from graphvine.records import Row, Step, Unit
from graphvine.workers.news import NAME
from graphvine.workers.news.article import HIGH
from graphvine.workers.news.errors import UnknownArticle
from graphvine.workers.news.settings import additions_checkpoint, all_checkpoints

ROLE = "news_processor"
_ROWS_AT_ONCE = 5_000
# Other processors may merge at the same time; each of them moves the checkpoint on, so this limit is never reached.
_TRIES = 20
OnStep = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Merged:
    """`up_to` is the number in the log up to which everything is merged."""

    count: int = 0
    checkpoint: str = ""
    up_to: int = 0
    missing: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Repaired:
    """Entries that were put back or dropped, and articles that the queue names and that do not exist."""

    rebuilt: int = 0
    dropped: int = 0
    missing: list[str] = field(default_factory=list)


class TopicQueue:
    """The queue of one topic. `on_step` is called after each step, for tests."""

    def __init__(self, graph: Graph, topic: str, on_step: OnStep = lambda step: None) -> None:
        self._graph, self._topic, self._on_step = graph, topic, on_step

    def length(self) -> int:
        return int(self._graph.read(f"{ROLE}.length", topic=self._topic)[0]["length"])

    def merge(self) -> Merged:
        """Queue what the log holds after the checkpoint.

        A checkpoint that is not in the log was trimmed, or is wrong: then the whole log is merged. Nothing is queued
        twice, since only articles that are pending and not in the queue are taken.
        """
        count, missing = 0, list[str]()
        checkpoint, additions = self._read()
        for _ in range(_TRIES):
            self._on_step("additions_read")
            ids = [row["id"] for row in additions]
            after = ids.index(checkpoint["article"]) + 1 if checkpoint["article"] in ids else 0
            up_to = additions[-1]["seq"] if additions else 0
            if after == len(ids):
                return Merged(count, checkpoint["article"], up_to, missing)
            merged = self._write(checkpoint, ids[after : after + _ROWS_AT_ONCE])
            if merged is not None:
                count, missing = count + merged[0], missing + merged[1]
                self._on_step("merged")
            checkpoint, additions = self._read()
        return Merged(count, checkpoint["article"], 0, missing)

    def repair(self, merged: Merged) -> Repaired:
        """Drop entries that do not belong in the queue, and queue pending articles that are in neither list.

        An article that was added since the log was read is in the log, after what was merged: the next run queues it.
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
            self._open_checkpoints()
        rebuilt = sum(self._put_back(chunk) for chunk in _chunks(orphans))
        self._on_step("repaired")
        return Repaired(rebuilt, len(dropped), missing)

    def _read(self) -> tuple[Row, list[Row]]:
        """The checkpoint first: the log read after it holds at least what came later."""
        checkpoint = self._checkpoint()
        additions = self._graph.read(f"{ROLE}.additions", topic=self._topic)
        if checkpoint is None and additions:
            self._open_checkpoints()
            checkpoint = self._checkpoint()
        return checkpoint or {"article": ""}, additions

    def _checkpoint(self) -> Row | None:
        name = additions_checkpoint(self._topic)
        rows = self._graph.read(f"{ROLE}.checkpoints", topic=self._topic)
        return next((row for row in rows if row["name"] == name), None)

    def _write(self, checkpoint: Row, ids: Sequence[str]) -> tuple[int, list[str]] | None:
        """Queue and checkpoint together. None when another processor has merged since: nothing was written."""
        states = {row["id"]: row["state"] for row in self._graph.read(f"{ROLE}.standing", keys=list(ids))}
        pending = [id for id in ids if states.get(id) == "pending"]
        at = moment(self._graph.clock.now_ms())
        moved = {
            "checkpoint": checkpoint["name"], "was": checkpoint["article"], "article": ids[-1],
            "merged": len(pending), "at": at,
        }  # fmt: skip
        steps = [Step(f"{ROLE}.move_checkpoint", moved), self._enqueue(pending, checkpoint["seq"], at)]
        result = self._graph.run(Unit.of(steps))
        if not result.held:
            return None
        return sum(row["created"] for row in result.rows[1]), [id for id in ids if id not in states]

    def _put_back(self, ids: Sequence[str]) -> int:
        at = moment(self._graph.clock.now_ms())
        adopted = Step(f"{NAME}.adopt", {"keys": list(ids), "topic": self._topic})
        result = self._graph.run(Unit.of([adopted, self._enqueue(ids, 0, at)]))
        return sum(row["created"] for row in result.rows[1])

    def _enqueue(self, ids: Sequence[str], claim: int, at: Any) -> Step:
        rows = [{"id": id, "place": 0, "claim": claim} for id in ids]
        return Step(f"{ROLE}.enqueue", {"rows": rows, "at": at})

    def _open_checkpoints(self) -> None:
        """Make the checkpoints that are missing; a graph without news has none."""
        names = {row["name"] for row in self._graph.read(f"{ROLE}.checkpoints", topic=self._topic)}
        new = [name for name in all_checkpoints(self._topic) if name not in names]
        if new:
            rows = [{"name": name, "seq": 0} for name in new]
            self._graph.run(Unit.of([Step(f"{ROLE}.open_checkpoints", {"rows": rows, "topic": self._topic})]))


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _ROWS_AT_ONCE):
        yield ids[start : start + _ROWS_AT_ONCE]


def retry(
    graph: Graph, ids: Sequence[str] = (), *, contains: str = "", everything: bool = False, first: bool = False
) -> int:
    """Retry these; or the failed ones whose id, title, address or error contains this text; or all failed ones.

    Each goes into its own topic's queue; with `first` before all others there. Returns how many were put back, or need
    no longer wait.
    """
    if ids:
        rows = graph.read(f"{NAME}.named", keys=list(dict.fromkeys(ids)))
        missing = set(ids) - {row["key"] for row in rows}
        if missing:
            raise UnknownArticle(sorted(missing)[0])
        return _put_back(graph, rows, first)
    if not contains and not everything:
        raise GraphvineError("say what to retry: ids, a part of the title or error, or everything")
    moved = 0
    while rows := graph.read(f"{NAME}.failed", contains=contains, limit=_ROWS_AT_ONCE):
        put = _put_back(graph, rows, first)
        moved += put
        if not put:
            break
    return moved


def _put_back(graph: Graph, rows: list[Row], first: bool) -> int:
    now = graph.clock.now_ms()
    failed = [row for row in rows if row["state"] == "failed"]
    waiting = [row["key"] for row in rows if row["state"] == "pending"]
    steps = [Step(f"{NAME}.requeue", {**span, "now": now}) for span in spans([row["seq"] for row in failed])]
    entries = [{"id": row["key"], "place": 0, "claim": 0} for row in failed]
    steps.append(Step(f"{ROLE}.enqueue", {"rows": entries, "at": moment(now)}))
    steps.append(Step(f"{NAME}.hasten", {"keys": waiting, "now": now}))
    hastened = len(steps) - 1
    if first:
        keys = [*waiting, *(row["key"] for row in failed)]
        steps.append(Step(f"{ROLE}.to_front", {"keys": keys, "priority": HIGH}))
    answers = graph.run(Unit.of(steps)).rows
    requeued = sum(len(answer) for answer in answers[: hastened - 1])
    return requeued + len(answers[hastened])
