"""Scrape batches by HTTP: given to the daemon, which leads them; looked at while they run and after."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel

from graphvine.workers.scrape import NAME
from graphvine.workers.scrape.batches import Result, counts, find
from graphvine.workers.scrape.errors import BatchBusy
from graphvine.workers.scrape.requests import ScrapeBatchRequest
from graphvine.workers.serve.api.models import Number
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.request_routes import add_route
from graphvine.workers.serve.responses import (
    LAST,
    After,
    Contains,
    Json,
    Limit,
    Missing,
    PageOf,
    State,
    page_of,
    register_status,
)

Name = Annotated[str, Path(max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class Submitted(BaseModel):
    batch: str
    pages: int


class BatchListed(BaseModel):
    name: str
    seq: Number
    status: str
    round: int
    manager: str | None
    hook: str | None
    created_at: str | None
    finished_at: str | None


class BatchShown(BatchListed):
    """A batch, its hook, and how many of its pages are in each state."""

    hook_tries: int
    hook_error: str | None
    states: dict[str, int]


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(prefix="/scrape/batches", tags=["scrape"])

    def submitted(request: ScrapeBatchRequest, batch: str) -> Json:
        app_state.hub.publish("queue_changed", pipeline=NAME, what="batch", rows=len(request.urls), batch=batch)
        return Json({"batch": batch, "pages": len(set(request.urls))}, 202)

    add_route(made, app_state, "", ScrapeBatchRequest, "Scrape and summarize these pages", submitted, model=Submitted,
              status_code=202)  # fmt: skip

    @made.get("", summary="The batches, the newest first", response_model=PageOf[BatchListed])
    def batches(state: State = "", contains: Contains = "", after: After = None, limit: Limit = 100) -> Json:
        before = LAST if after is None else after
        found = app_state.graph.read(
            f"{NAME}.batches", state=state, contains=contains.lower(), before=before, limit=limit
        )
        return page_of(found, limit)

    @made.get("/{name}", summary="Where a batch stands", response_model=BatchShown)
    def batch(name: Name) -> Json:
        rows = app_state.graph.read(f"{NAME}.batch", batch=name)
        if not rows:
            raise Missing(f"there is no batch {name!r}")
        shown = {key: value for key, value in rows[0].items() if key not in ("lease", "until", "hook_key")}
        return Json({**shown, "states": counts(app_state.graph, find(app_state.graph, name))})

    @made.get("/{name}/results", summary="What became of its pages", response_model=PageOf[Result])
    def results(
        name: Name, state: State = "", contains: Contains = "", after: After = None, limit: Limit = 100
    ) -> Json:
        if not app_state.graph.read(f"{NAME}.batch", batch=name):
            raise Missing(f"there is no batch {name!r}")
        number = find(app_state.graph, name).seq
        rows = app_state.graph.read(
            f"{NAME}.results", batch_seq=number, state=state, contains=contains.lower(),
            after=-1 if after is None else after, limit=limit,
        )  # fmt: skip
        found = [
            Result(r["url"], r["state"], r["title"], r["words"], r["summary"], r["summarizer"],
                   r["error"] if r["state"] != "completed" else None, r["key"])
            for r in rows
        ]  # fmt: skip
        return page_of(found, limit, rows[-1]["seq"] if rows else None)

    return made


register_status(BatchBusy, 409)
