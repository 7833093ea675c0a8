"""Articles by HTTP: seeds, articles with their sections and links, search, growth, the map."""

from __future__ import annotations

import threading
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from graphvine.clock import NEVER
from graphvine.graph import Graph
from graphvine.workers.serve.answers import Json, Missing, following
from graphvine.workers.serve.api.queues import Body
from graphvine.workers.serve.jobs import Tell
from graphvine.workers.serve.room import Room
from graphvine.workers.wikipedia.grow import GrowEvent, GrowSummary, grow
from graphvine.workers.wikipedia.searching import ArticleSearch, SearchHit

Title = Annotated[str, Field(min_length=1, max_length=255)]
Depth = Annotated[int, Field(ge=0, le=1_000)]
# Sections and links of one article that are shown.
_MOST = 500
_LOOK_SECONDS = 0.2


class Seeds(Body):
    titles: Annotated[list[Title], Field(min_length=1, max_length=10_000)]


class Growth(Body):
    titles: Annotated[list[Title], Field(max_length=10_000)] = Field(default_factory=list)
    depth: Depth = 2
    limit: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    workers: Annotated[int, Field(ge=1, le=32)] | None = None
    category_filter: Annotated[str, Field(max_length=200)] = ""
    source: Annotated[str, Field(max_length=1_000, description="wiki, sample, or a dump's path on the daemon's machine")
                      ] | None = None  # fmt: skip


def router(room: Room) -> APIRouter:
    made = APIRouter(tags=["articles"])

    @made.post("/seeds", summary="Put titles in, to be worked on from there", response_model=dict[str, int])
    def seeds(body: Seeds) -> Json:
        new = room.graph.seed("article", body.titles)
        room.hub.tell("queue_changed", pipeline="article", what="new", rows=new)
        return Json({"new": new, "known": len(set(body.titles)) - new})

    @made.get("/articles", summary="Articles by state, in the order of their numbers", response_model=dict[str, Any])
    def articles(
        state: Annotated[str | None, Query(max_length=40)] = None, after: Annotated[int, Query(ge=0, lt=1 << 63)] = 0,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> Json:  # fmt: skip
        if state is None:
            rows = room.graph.read("article.listed", after=after, limit=limit)
        else:
            rows = room.graph.read("article.listed_in", state=state, after=after, limit=limit)
        return Json({"articles": rows, "next": following(rows, limit)})

    @made.get("/article", summary="One article with its sections, links and categories", response_model=dict[str, Any])
    def article(title: Annotated[str, Query(min_length=1, max_length=2_000)]) -> Json:
        return Json(_article(room.graph, title))

    @made.get("/search", summary="Sections by words and by meaning", response_model=list[SearchHit])
    def search(
        q: Annotated[str, Query(min_length=1, max_length=1_000)], mode: Literal["hybrid", "vector", "text"] = "hybrid",
        near: Annotated[str | None, Query(max_length=2_000)] = None, limit: Annotated[int, Query(ge=1, le=100)] = 10,
    ) -> Json:  # fmt: skip
        return Json(_searching(room).search(q, mode=mode, near=near, limit=limit))

    @made.post("/reindex", summary="Make the search index anew", response_model=dict[str, int])
    def reindex() -> Json:
        return Json({"rows": _searching(room).rebuild()})

    @made.post("/grow", status_code=202, summary="Grow from titles, as a job", response_model=dict[str, Any])
    def grow_job(body: Growth) -> Json:
        return Json(room.jobs.start("grow", body.model_dump(), run_grow).shown(), 202)

    @made.get("/map", summary="The neighbourhood that grew, as SVG", response_class=Response)
    def draw(
        around: Annotated[str | None, Query(max_length=2_000)] = None, limit: Annotated[int, Query(ge=2, le=500)] = 60
    ) -> Response:
        return Response(room.graph.map(around=around, limit=limit).svg, media_type="image/svg+xml")

    return made


def run_grow(graph: Graph, asked: dict[str, Any], tell: Tell, stop: threading.Event) -> GrowSummary:
    """The job: the same as `graphvine grow`, in the daemon's process.

    The daemon's own workers, and those of other processes, may have in hand what was asked for: it is done when they
    are done, too.
    """

    def told(event: GrowEvent) -> None:
        if event.name != "article":
            tell(event.name, event)

    summary = grow(graph, on_event=told, stop=stop, **asked)
    while asked["limit"] is None and not stop.is_set() and graph.door.paused("article") is None:
        reach = graph.read("article.reach", depth=asked["depth"], never=NEVER)[0]
        if reach["waiting"]:
            more = grow(graph, on_event=told, stop=stop, **{**asked, "titles": []})
            summary = replace(summary, counts=summary.counts + more.counts, seconds=summary.seconds + more.seconds)
        elif reach["claimed"]:
            stop.wait(_LOOK_SECONDS)
        else:
            break
    states = {row["state"]: row["count"] for row in graph.read("article.counts")}
    return replace(summary, states=states, stopped=stop.is_set())


class _Searching:
    """One index for all who ask: it is opened when the first does, and asked by one at a time."""

    def __init__(self, graph: Graph) -> None:
        self._graph, self._lock = graph, threading.Lock()
        self._open: ArticleSearch | None = None

    def search(self, text: str, **options: Any) -> list[SearchHit]:
        with self._lock:
            return self._searching().search(text, **options)

    def rebuild(self) -> int:
        with self._lock:
            return self._searching().rebuild()

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open.close()
                self._open = None

    def _searching(self) -> ArticleSearch:
        # Vectors that came after it was opened have a dimension that it does not know.
        if self._open is not None and not self._open.knows_vectors and self._graph.read("article.models"):
            self._open.close()
            self._open = None
        if self._open is None:
            self._open = ArticleSearch(self._graph)
        return self._open


def _searching(room: Room) -> _Searching:
    found: _Searching = room.kept("article search", lambda: _Searching(room.graph))
    return found


def _article(graph: Graph, title: str) -> dict[str, Any]:
    found = graph.read("article.shown", key=title)
    if not found:
        raise Missing(f"there is no article {title!r}")
    failures = graph.failed("article", keys=[title]) if found[0]["state"] == "failed" else []
    return {
        **found[0],
        "links": graph.read("article.links_shown", key=title, limit=_MOST),
        "categories": [row["name"] for row in graph.read("article.categories_shown", key=title)],
        "sections": graph.read("article.sections_shown", key=title, limit=_MOST),
        "failures": [asdict(one) for failed in failures for one in failed.failures],
    }


CALLS = {
    "article.search": lambda room, text, **options: _searching(room).search(text, **options),
    "article.reindex": lambda room: _searching(room).rebuild(),
}
JOBS = {"grow": run_grow}
