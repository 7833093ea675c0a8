"""A whole large graph by HTTP: its communities, the members of one, or all of its rows, for drawings."""

from __future__ import annotations

import threading
import time
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from graphvine.communities import Communities, NoCommunities, find, kinds
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.responses import Json, register_status

# Grouping 100,000 nodes takes seconds; what was found serves everybody for a while.
_KEPT_SECONDS = 300.0
_KINDS_KEPT = 4

CommunityId = Annotated[int, Path(ge=0, le=1 << 53)]
Label = Annotated[str, Query(max_length=100, description="A kind of row with relationships among its own.")]
Fresh = Annotated[bool, Query(description="Read and group them again, whatever is known.")]


class Total(BaseModel):
    nodes: int
    edges: int
    communities: int


class Community(BaseModel):
    """A group of rows, named by its best connected one; `edges` stay inside it."""

    id: int
    size: int
    name: str
    edges: int


class CommunityLink(BaseModel):
    source: int
    target: int
    count: int


class CommunityOverview(BaseModel):
    label: str
    relations: list[str]
    age_seconds: float
    total: Total
    communities: list[Community]
    links: list[CommunityLink]


class RowsDrawn(BaseModel):
    """Rows as columns, the best connected first; `pairs` holds the places of an edge's ends, one after the other."""

    label: str
    relations: list[str]
    age_seconds: float
    total: Total
    keys: list[str]
    states: list[str]
    depths: list[int | None]
    groups: list[int]
    degrees: list[int]
    pairs: list[int]


class CommunityMembers(RowsDrawn):
    community: int
    size: int


class CommunityCache:
    """What was found of each kind, and when; one is computed at a time."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state, self._lock = app_state, threading.Lock()
        self._found: dict[str, tuple[float, Communities]] = {}

    def of(self, label: str, fresh: bool) -> tuple[Communities, float]:
        """The communities of a kind, and their age in seconds."""
        asked = time.monotonic()
        with self._lock:
            at, found = self._found.get(label, (0.0, None))
            # Somebody who waited while another computed takes what that one found.
            if found is None or (at < asked if fresh else time.monotonic() - at > _KEPT_SECONDS):
                at, found = time.monotonic(), find(self._app_state.graph, label)
                self._found.pop(label, None)
                self._found[label] = at, found
                while len(self._found) > _KINDS_KEPT:
                    del self._found[next(iter(self._found))]
            return found, round(time.monotonic() - at, 1)

    def close(self) -> None:
        """Nothing is held open."""


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(tags=["graph"])

    def known(label: str, fresh: bool) -> tuple[Communities, float]:
        cache: CommunityCache = app_state.kept("communities", lambda: CommunityCache(app_state))
        return cache.of(label, fresh)

    @made.get("/communities", summary="A whole graph by its communities", response_model=CommunityOverview)
    def overview(
        label: Label = "Article", fresh: Fresh = False, limit: Annotated[int, Query(ge=1, le=2_000)] = 300
    ) -> Json:
        found, age = known(label, fresh)
        return Json({**found.overview(limit), "age_seconds": age})

    @made.get("/communities/kinds", summary="The kinds of rows that have communities", response_model=list[str])
    def kinds_known() -> Json:
        return Json(list(kinds(app_state.graph)))

    @made.get("/communities/{community}", summary="The best connected rows of a community, and what joins them",
              response_model=CommunityMembers)  # fmt: skip
    def members(
        community: CommunityId, label: Label = "Article", limit: Annotated[int, Query(ge=1, le=10_000)] = 2_000
    ) -> Json:
        found, age = known(label, False)
        return Json({**found.members(community, limit), "age_seconds": age})

    @made.get("/drawing", summary="The best connected rows of a whole graph, and what joins them",
              response_model=RowsDrawn)  # fmt: skip
    def drawing(
        label: Label = "Article", fresh: Fresh = False, limit: Annotated[int, Query(ge=1, le=100_000)] = 100_000
    ) -> Json:
        found, age = known(label, fresh)
        return Json({**found.all(limit), "age_seconds": age})

    return made


register_status(NoCommunities, 404)
