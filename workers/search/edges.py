"""The jobs that make edges between the kinds. They follow rows by number, and go on where they were after a kill."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode, urlsplit

from graphvine.dispatch import Run
from graphvine.graph import Graph
from graphvine.records import PipelineStatus, Row, Step
from graphvine.search.kinds import Node
from graphvine.workers.search.mentions import MAX_TITLES, Title, Titles
from graphvine.workers.search.near_duplicates import near_duplicates
from graphvine.workers.search.row_jobs import KINDS, NEAR_KINDS, RowJobs, text_of
from graphvine.workers.search.vector_queue import fill_queue

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
    near_duplicates: int = 0  # rows whose text is nearly that of another


@dataclass(frozen=True, slots=True)
class StatusReport:
    """What `graphvine status` shows: where every pipeline stands, and the edges between the kinds."""

    pipelines: list[PipelineStatus]
    edges: list[EdgeCounts]


class EdgeJobs(RowJobs):
    """Every job that follows rows: the edges between the kinds, and the queue for vectors."""

    _titles: tuple[int, Titles] | None = None

    def run(self) -> list[EdgeCounts]:
        """Every job up to where the graph is."""
        for kind in KINDS:
            self._same_page(kind)
        for kind in KINDS:
            self._mentions(kind)
        for kind in NEAR_KINDS:
            near_duplicates(self, kind)
        fill_queue(self.graph, jobs=self)
        return counts(self.graph)

    def _same_page(self, kind: str) -> None:
        job, newest = self.job(f"same_page:{kind}"), self.newest(kind)
        while job.rows < newest and not self.stop.is_set():
            rows, reached = self.rows(kind, job.rows, newest)
            made = [{"id": row["id"], "address": address} for row in rows if (address := normalised(row["url"] or ""))]
            steps = []
            if made:
                addresses = [{"address": address} for address in sorted({one["address"] for one in made})]
                steps = [Step("edges.addresses", {"rows": addresses}), Step(f"edges.{kind}_at", {"rows": made})]
            job = self.write(replace(job, rows=reached), steps, len(rows))

    def _mentions(self, kind: str) -> None:
        """Rows that came since, for all titles that were known; then all rows, for the titles that came since."""
        job = self.job(f"mentions:{kind}")
        newest, newest_title = self.newest(kind), self.graph.read("edges.newest_title")[0]["seq"] or 0
        if not job.rows:  # no row is known yet: none has to be looked at for titles that came since
            job = replace(job, titles=newest_title)
        while job.rows < newest and job.titles and not self.stop.is_set():
            rows, reached = self.rows(kind, job.rows, newest)
            steps = self._mention_steps(kind, rows, self._known(job.titles))
            job = self.write(replace(job, rows=reached), steps, len(rows))
        if not job.upto and job.titles < newest_title and job.rows:
            job = self.write(replace(job, upto=newest_title, cursor=0), [], 0)
        while job.upto and not self.stop.is_set():
            rows, cursor = self.rows(kind, job.cursor, job.rows)
            steps = self._mention_steps(kind, rows, self._known(job.upto))
            job = replace(job, cursor=cursor) if cursor < job.rows else replace(job, titles=job.upto, upto=0, cursor=0)
            job = self.write(job, steps, len(rows))

    def _mention_steps(self, kind: str, rows: Sequence[Row], titles: Titles) -> list[Step]:
        made = [{"id": row["id"], "title": title} for row in rows for title in titles.named_in(text_of(row))]
        steps = []
        if kind != "news" and rows:
            ids = [{"id": row["id"]} for row in rows]
            steps.append(Step(f"edges.retire_{kind}_mentions", {"rows": ids, "at_ms": self.graph.clock.now_ms()}))
        return [*steps, Step(f"edges.{kind}_mentions", {"rows": made})] if made else steps

    def _known(self, upto: int) -> Titles:
        """The automaton of the titles up to this number; the last one is kept."""
        if self._titles is None or self._titles[0] != upto:
            self._titles = upto, Titles(_read_titles(self.graph, upto))
        return self._titles[1]


def run_edges(graph: Graph, run: Run[int]) -> list[EdgeCounts]:
    return EdgeJobs(graph, run.stop, run.publish).run()


def report(graph: Graph) -> StatusReport:
    return StatusReport(graph.status(), counts(graph))


def counts(graph: Graph) -> list[EdgeCounts]:
    """What there is between the kinds."""
    jobs = {row["name"]: row["rows"] for row in graph.read("edges.jobs")}
    # Where there is no article, there is nothing to mention: that job has not begun.
    mentions = ["mentions"] if graph.read("edges.newest_title")[0]["seq"] else []
    found = []
    for kind in NEAR_KINDS:
        begun = ["near"] if kind == "article" else ["same_page", "near", *mentions]
        newest = graph.read(f"edges.newest_{kind}")[0]["seq"] or 0
        made = {row["edge"]: row["count"] for row in graph.read(f"edges.count_{kind}")} if newest else {}
        done = min(jobs.get(f"{name}:{kind}", 0) for name in begun)
        counted = {edge: made.get(edge, 0) for edge in ("same_page", "mentions", "near_duplicates")}
        found.append(EdgeCounts(kind, done, newest, **counted))
    return found


def between(graph: Graph, node: Node, limit: int) -> list[Node]:
    """The rows that these edges join with this one."""
    kind, key = node
    if kind not in NEAR_KINDS:
        return []
    rows = (
        graph.read("edges.naming", title=key, limit=limit) if kind == "article"
        else graph.read(f"edges.around_{kind}", key=int(key) if kind == "hn" else key, limit=limit)
    )  # fmt: skip
    found: list[Node] = []
    for row in rows:
        if row["kind"] not in ("group", "address"):
            found.append((row["kind"], row["key"]))
        else:
            others = (
                graph.read("edges.in_group", leader=row["key"], limit=limit) if row["kind"] == "group"
                else graph.read("edges.at_address", address=row["key"], limit=limit)
            )  # fmt: skip
            found += [(other["kind"], other["key"]) for other in others]
    return found


def group_of(graph: Graph, node: Node) -> str | None:
    """The near duplicates that a row is one of; None where its text is its own."""
    kind, key = node
    found = graph.read(f"edges.group_of_{kind}", key=int(key) if kind == "hn" else key) if kind in NEAR_KINDS else []
    return str(found[0]["name"]) if found else None


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
