"""The jobs that make edges between the kinds. They follow rows by number, and go on where they were after a kill."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from graphvine.clock import moment
from graphvine.dispatch import Run
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit
from graphvine.search.kinds import Node
from graphvine.workers.search.mentions import MAX_TITLES, Title, Titles

KINDS = ("hn", "news", "page")
_ROWS_AT_ONCE = 2_000
_TITLES_AT_ONCE = 20_000
_MOST_ADDRESS = 2_000
_TRACKING = re.compile(r"^(utm_\w+|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|igshid|cmpid|ref_src|spm)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EdgeCounts:
    """Of one kind of rows: up to which number they were looked at, how many wait, and the edges that there are."""

    kind: str
    done: int
    newest: int
    same_page: int
    mentions: int


@dataclass(frozen=True, slots=True)
class _Job:
    """How far a job has come. `upto` is the title up to which a pass over known rows goes, `cursor` where that is."""

    name: str
    rows: int = 0
    titles: int = 0
    upto: int = 0
    cursor: int = 0


class EdgeJobs:
    """Open it for one run. `on_rows` is called with the number of rows of each batch, once it is written."""

    def __init__(
        self, graph: Graph, stop: threading.Event | None = None, on_rows: Callable[[int], None] | None = None,
        rows_at_once: int = _ROWS_AT_ONCE,
    ) -> None:  # fmt: skip
        self._graph, self._stop, self._on_rows = graph, stop or threading.Event(), on_rows
        self._batch = rows_at_once
        found = {row["name"]: row for row in graph.read("edges.jobs")}
        self._jobs = {
            name: _Job(name, row["rows"], row["titles"], row["upto"], row["cursor"]) for name, row in found.items()
        }
        self._titles: tuple[int, Titles] | None = None

    def run(self) -> list[EdgeCounts]:
        """Every job up to where the graph is."""
        for kind in KINDS:
            self._same_page(kind)
        for kind in KINDS:
            self._mentions(kind)
        return counts(self._graph)

    def _same_page(self, kind: str) -> None:
        job = self._job(f"same_page:{kind}")
        newest = self._newest(kind)
        while job.rows < newest and not self._stop.is_set():
            rows = self._graph.read(f"edges.{kind}_rows", after=job.rows, upto=newest, limit=self._batch)
            made = [{"id": row["id"], "address": address} for row in rows if (address := normalised(row["url"] or ""))]
            steps = []
            if made:
                addresses = [{"address": address} for address in sorted({one["address"] for one in made})]
                steps = [Step("edges.addresses", {"rows": addresses}), Step(f"edges.{kind}_at", {"rows": made})]
            job = self._write(replace(job, rows=_reached(rows, self._batch, newest)), steps, len(rows))

    def _mentions(self, kind: str) -> None:
        """Rows that came since, for all titles that were known; then all rows, for the titles that came since."""
        job = self._job(f"mentions:{kind}")
        newest, newest_title = self._newest(kind), self._graph.read("edges.newest_title")[0]["seq"] or 0
        if not job.rows:  # no row is known yet: none has to be looked at for titles that came since
            job = replace(job, titles=newest_title)
        while job.rows < newest and job.titles and not self._stop.is_set():
            rows = self._graph.read(f"edges.{kind}_rows", after=job.rows, upto=newest, limit=self._batch)
            steps = self._mention_steps(kind, rows, self._known(job.titles))
            job = self._write(replace(job, rows=_reached(rows, self._batch, newest)), steps, len(rows))
        if not job.upto and job.titles < newest_title and job.rows:
            job = self._write(replace(job, upto=newest_title, cursor=0), [], 0)
        while job.upto and not self._stop.is_set():
            rows = self._graph.read(f"edges.{kind}_rows", after=job.cursor, upto=job.rows, limit=self._batch)
            steps = self._mention_steps(kind, rows, self._known(job.upto))
            cursor = _reached(rows, self._batch, job.rows)
            job = replace(job, cursor=cursor) if cursor < job.rows else replace(job, titles=job.upto, upto=0, cursor=0)
            job = self._write(job, steps, len(rows))

    def _mention_steps(self, kind: str, rows: Sequence[Row], titles: Titles) -> list[Step]:
        made = [
            {"id": row["id"], "title": title} for row in rows for title in titles.named_in(_text(row))
        ]  # fmt: skip
        steps = []
        if kind != "news" and rows:
            ids = [{"id": row["id"]} for row in rows]
            steps.append(Step(f"edges.retire_{kind}_mentions", {"rows": ids, "at_ms": self._graph.clock.now_ms()}))
        return [*steps, Step(f"edges.{kind}_mentions", {"rows": made})] if made else steps

    def _known(self, upto: int) -> Titles:
        """The automaton of the titles up to this number; the last one is kept."""
        if self._titles is None or self._titles[0] != upto:
            self._titles = upto, Titles(_read_titles(self._graph, upto))
        return self._titles[1]

    def _newest(self, kind: str) -> int:
        return self._graph.read(f"edges.newest_{kind}")[0]["seq"] or 0

    def _job(self, name: str) -> _Job:
        return self._jobs.get(name, _Job(name))

    def _write(self, job: _Job, steps: Sequence[Step], rows: int) -> _Job:
        """The edges of a batch, and how far the job has come with them, in one unit."""
        at = moment(self._graph.clock.now_ms())
        reached = {"name": job.name, "rows": job.rows, "titles": job.titles, "upto": job.upto, "cursor": job.cursor}
        self._graph.run(Unit.of([*steps, Step("edges.advance", {**reached, "at": at})]))
        self._jobs[job.name] = job
        if self._on_rows is not None:
            self._on_rows(rows)
        return job


def run_edges(graph: Graph, run: Run[int]) -> list[EdgeCounts]:
    return EdgeJobs(graph, run.stop, run.publish).run()


def counts(graph: Graph) -> list[EdgeCounts]:
    """What there is between the kinds."""
    jobs = {row["name"]: row["rows"] for row in graph.read("edges.jobs")}
    found = []
    for kind in KINDS:
        made = {row["edge"]: row["count"] for row in graph.read(f"edges.count_{kind}")}
        newest = graph.read(f"edges.newest_{kind}")[0]["seq"] or 0
        done = min(jobs.get(f"same_page:{kind}", 0), jobs.get(f"mentions:{kind}", 0))
        found.append(EdgeCounts(kind, done, newest, made.get("same_page", 0), made.get("mentions", 0)))
    return found


def between(graph: Graph, node: Node, limit: int) -> list[Node]:
    """The rows that these edges join with this one."""
    kind, key = node
    if kind == "article":
        return [(row["kind"], row["key"]) for row in graph.read("edges.naming", title=key, limit=limit)]
    if kind not in KINDS:
        return []
    found: list[Node] = []
    for row in graph.read(f"edges.around_{kind}", key=int(key) if kind == "hn" else key, limit=limit):
        if row["kind"] == "article":
            found.append(("article", row["key"]))
        else:
            others = graph.read("edges.at_address", address=row["key"], limit=limit)
            found += [(other["kind"], other["key"]) for other in others]
    return found


def normalised(url: str) -> str:
    """What addresses of the same page have in common: no scheme, www. or fragment, nothing that tracks readers."""
    try:
        parts = urlsplit(url.strip()[:_MOST_ADDRESS])
        host, port = (parts.hostname or "").removeprefix("www."), parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not host:
        return ""
    query = urlencode([pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.match(pair[0])])
    place = f"{host}:{port}" if port not in (None, 80, 443) else host
    return f"{place}{parts.path.rstrip('/')}{'?' if query else ''}{query}"


def _reached(rows: Sequence[Row], asked: int, newest: int) -> int:
    """The number up to which all rows were read."""
    return int(rows[-1]["seq"]) if len(rows) == asked else newest


def _text(row: Mapping[str, Any]) -> str:
    text = row.get("text") or ""
    if row.get("scraped"):
        text = json.loads(row["scraped"]).get("text") or ""
    return f"{row['title'] or ''}\n{text}"


def _read_titles(graph: Graph, upto: int) -> list[Title]:
    found: list[Title] = []
    after = 0
    while len(found) < MAX_TITLES:
        rows = graph.read("edges.titles_after", after=after, limit=_TITLES_AT_ONCE)
        found += [Title(row["title"], row["kind"], row["target"]) for row in rows if row["seq"] <= upto]
        if len(rows) < _TITLES_AT_ONCE or rows[-1]["seq"] >= upto:
            break
        after = rows[-1]["seq"]
    return found
