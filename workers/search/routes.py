"""Search by HTTP."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from graphvine.search.hits import SearchHit
from graphvine.workers.search.ask import Answer
from graphvine.workers.search.edges import EdgeCounts
from graphvine.workers.search.engine import UnknownKind
from graphvine.workers.search.requests import (
    AskRequest,
    EdgeCountsRequest,
    EdgesRequest,
    Facets,
    FacetsRequest,
    ReindexRequest,
    SearchRequest,
)
from graphvine.workers.serve.api.models import counted
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.request_routes import add_route
from graphvine.workers.serve.responses import register_status


class FacetCounts(BaseModel):
    facets: Facets


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(tags=["search"])
    add_route(
        made, app_state, "/search", SearchRequest, "All kinds by words, meaning and edges, with citations",
        lambda _, hits: hits, method="GET", names={"q": "text"}, model=list[SearchHit],
    )  # fmt: skip
    add_route(
        made, app_state, "/search/facets", FacetsRequest, "What a search by words finds, counted by type, author, year",
        lambda _, counts: {"facets": counts}, method="GET", names={"q": "text"}, model=FacetCounts,
    )  # fmt: skip
    add_route(
        made, app_state, "/ask", AskRequest, "The passages that a question needs; with a model, the answer from them",
        lambda _, answer: answer, method="GET", names={"q": "question"}, model=Answer,
    )  # fmt: skip
    add_route(made, app_state, "/edges", EdgesRequest, "Make the edges between the kinds, as a job")
    add_route(
        made, app_state, "/edges", EdgeCountsRequest, "How many edges between the kinds there are",
        lambda _, counts: counts, method="GET", model=list[EdgeCounts],
    )  # fmt: skip
    add_route(
        made, app_state, "/reindex", ReindexRequest, "Rebuild the search indexes", lambda _, rows: {"rows": rows},
        model=counted("rows"),
    )  # fmt: skip
    return made


register_status(UnknownKind, 422)
