"""Articles by HTTP: seeds, articles with their sections and links, growth, the map."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel
from starlette.responses import Response

from graphvine.graph import Graph
from graphvine.records import Failure
from graphvine.workers.serve.api.models import Number, counted
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.request_routes import add_route
from graphvine.workers.serve.responses import After, Contains, Json, Limit, Missing, PageOf, State, page_of
from graphvine.workers.wikipedia.requests import (
    GrowRequest,
    MapRequest,
    RefreshRequest,
    SeedTitlesRequest,
)
from graphvine.workers.wikipedia.svg_map import Picture

# Sections and links of one article that are shown.
_MOST = 500


class ArticleListed(BaseModel):
    seq: Number
    title: str
    state: str
    depth: int
    processed_at: str | None
    last_error: str | None


class LinkShown(BaseModel):
    title: str
    state: str


class SectionShown(BaseModel):
    path: str
    level: int
    position: int
    part: int
    text: str


class ArticleShown(BaseModel):
    """An article with the first of its links and sections."""

    title: str
    state: str
    depth: int
    seq: Number
    claimed_by: str | None
    processed_at: str | None
    retry_count: int
    last_error: str | None
    links: list[LinkShown]
    categories: list[str]
    sections: list[SectionShown]
    failures: list[Failure]


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(tags=["articles"])

    @made.get(
        "/articles", summary="Articles by state, in the order of their numbers", response_model=PageOf[ArticleListed]
    )
    def articles(state: State = "", contains: Contains = "", after: After = None, limit: Limit = 100) -> Json:
        given = {"contains": contains.lower(), "after": after or 0, "limit": limit}
        if state:
            return page_of(app_state.graph.read("article.listed_in", state=state, **given), limit)
        return page_of(app_state.graph.read("article.listed", **given), limit)

    @made.get("/article", summary="One article with its sections, links and categories", response_model=ArticleShown)
    def article(title: Annotated[str, Query(min_length=1, max_length=2_000)]) -> Json:
        return Json(_article(app_state.graph, title))

    def seeded(request: SeedTitlesRequest, new: int) -> dict[str, int]:
        app_state.hub.publish("queue_changed", pipeline="article", what="new", rows=new)
        return {"new": new, "known": len(set(request.titles)) - new}

    def drawn(_: MapRequest, picture: Picture) -> Response:
        return Response(picture.svg, media_type="image/svg+xml")

    add_route(made, app_state, "/seeds", SeedTitlesRequest, "Put titles in, to be worked on from there", seeded,
              model=counted("new", "known"))  # fmt: skip
    add_route(made, app_state, "/grow", GrowRequest, "Grow from titles, as a job")
    add_route(made, app_state, "/refresh", RefreshRequest, "Put revised articles back into the queue, as a job")
    add_route(
        made, app_state, "/map", MapRequest, "The neighbourhood that grew, as SVG", drawn, method="GET",
        media_type="image/svg+xml",
    )  # fmt: skip
    return made


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
