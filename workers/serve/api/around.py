"""What lies around a node, of any kind: for drawing the graph and walking it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from graphvine.neighbourhood import NoSuchNode
from graphvine.workers.serve.api.models import Neighbourhood, PathShown
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.responses import Json, register_status


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(tags=["graph"])

    @made.get("/neighbourhood", summary="A node, its neighbours, and what joins them", response_model=Neighbourhood)
    def neighbourhood(
        label: Annotated[str, Query(max_length=100)], key: Annotated[str, Query(min_length=1, max_length=2_000)],
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> Json:  # fmt: skip
        return Json(app_state.graph.neighbourhood(label, key, limit))

    @made.get("/path", summary="The shortest way between two nodes of a kind", response_model=PathShown)
    def path(
        label: Annotated[str, Query(max_length=100)], key: Annotated[str, Query(min_length=1, max_length=2_000)],
        to: Annotated[str, Query(min_length=1, max_length=2_000)],
    ) -> Json:  # fmt: skip
        from graphvine.paths import shortest

        return Json(shortest(app_state.graph, label, key, to))

    return made


register_status(NoSuchNode, 404)
