"""What jobs that follow rows by number share: how far each has come, and batches that are written with that."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit

KINDS = ("hn", "news", "page")
# Articles have links of their own, and vectors; their texts may be those of other rows all the same.
NEAR_KINDS = (*KINDS, "article")
ROWS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Job:
    """How far a job has come. `upto` is the title up to which a pass over known rows goes, `cursor` where that is."""

    name: str
    rows: int = 0
    titles: int = 0
    upto: int = 0
    cursor: int = 0


class RowJobs:
    """Open it for one run. `on_rows` is called with the number of rows of each batch, once it is written."""

    def __init__(
        self, graph: Graph, stop: threading.Event | None = None, on_rows: Callable[[int], None] | None = None,
        rows_at_once: int = ROWS_AT_ONCE,
    ) -> None:  # fmt: skip
        self.graph, self.stop, self._on_rows = graph, stop or threading.Event(), on_rows
        self._batch = rows_at_once
        found = {row["name"]: row for row in graph.read("edges.jobs")}
        self._jobs = {
            name: Job(name, row["rows"], row["titles"], row["upto"], row["cursor"]) for name, row in found.items()
        }

    def job(self, name: str) -> Job:
        return self._jobs.get(name, Job(name))

    def newest(self, kind: str) -> int:
        return self.graph.read(f"edges.newest_{kind}")[0]["seq"] or 0

    def rows(self, kind: str, after: int, upto: int) -> tuple[list[Row], int]:
        """The next rows of a kind, and the number up to which all were read with them."""
        rows = self.graph.read(f"edges.{kind}_rows", after=after, upto=upto, limit=self._batch)
        if kind == "article":
            texts = _article_texts(self.graph, sorted({row["id"] for row in rows})) if rows else {}
            rows = [row | {"text": texts.get(row["id"], "")} for row in rows]
        return rows, int(rows[-1]["seq"]) if len(rows) == self._batch else upto

    def write(self, job: Job, steps: Sequence[Step], rows: int) -> Job:
        """What a batch makes, and how far the job has come with it, in one unit."""
        at = moment(self.graph.clock.now_ms())
        reached = {"name": job.name, "rows": job.rows, "titles": job.titles, "upto": job.upto, "cursor": job.cursor}
        self.graph.run(Unit.of([*steps, Step("edges.advance", {**reached, "at": at})]))
        self._jobs[job.name] = job
        if self._on_rows is not None:
            self._on_rows(rows)
        return job


def text_of(row: Mapping[str, Any]) -> str:
    """The title and the text of a row of any kind."""
    text = row.get("text") or ""
    if row.get("scraped"):
        text = json.loads(row["scraped"]).get("text") or ""
    return f"{row['title'] or ''}\n{text}"


def read_texts(graph: Graph, kind: str, keys: Iterable[str]) -> dict[str, str]:
    """The texts of these rows, by their keys as text; rows that are gone are left out."""
    if kind == "article":
        return {key: f"{key}\n{text}" for key, text in _article_texts(graph, list(keys)).items()}
    wanted: list[Any] = [int(key) for key in keys] if kind == "hn" else list(keys)
    rows = graph.read(f"edges.{kind}_texts", keys=wanted) if wanted else []
    return {str(row["id"]): text_of(row) for row in rows}


def _article_texts(graph: Graph, titles: Sequence[str]) -> dict[str, str]:
    """The sections of these articles, joined; one that is gone has none."""
    parts: dict[str, list[tuple[int, int, str]]] = {}
    for row in graph.read("edges.article_texts", keys=titles) if titles else []:
        parts.setdefault(row["id"], []).append((row["position"], row["part"], row["text"] or ""))
    return {title: "\n".join(text for _, _, text in sorted(found)) for title, found in parts.items()}
