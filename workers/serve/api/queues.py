"""What people do to a queue: look at what failed, requeue, exclude, prioritise, release, pause, resume, seed."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from graphvine.core_requests import (
    ExcludeRequest,
    PauseRequest,
    PrioritiseRequest,
    ReleaseRequest,
    RequeueRequest,
    ResumeRequest,
    SeedRequest,
)
from graphvine.queue_admin import rejected
from graphvine.records import FailedRow, PipelineStatus
from graphvine.workers.serve.api.models import PipelinePaused, counted
from graphvine.workers.serve.api.rows import Filter, Rows
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.request_routes import Answer, add_route
from graphvine.workers.serve.responses import LAST, After, Contains, Json, Limit, PageOf, page_of
from graphvine.workers.serve.status_cache import status_of

Key = Annotated[str, Field(min_length=1, max_length=2_000)]


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(prefix="/pipelines/{pipeline}", tags=["queues"])

    @made.get("", summary="Where one pipeline stands", response_model=PipelineStatus)
    def one(pipeline: str) -> Json:
        app_state.graph.store.machine(pipeline)
        return Json(next(found for found in status_of(app_state) if found.pipeline == pipeline))

    @made.get("/failed", summary="What failed, and why, the newest rows first", response_model=PageOf[FailedRow])
    def failed(
        pipeline: str, contains: Contains = "", key: Annotated[list[Key] | None, Query(max_length=100)] = None,
        after: After = None, limit: Limit = 100,
        skipped: Annotated[bool, Query(description="What was skipped, rather than what failed.")] = False,
    ) -> Json:  # fmt: skip
        graph = app_state.graph
        if key:
            return page_of(graph.failed(pipeline, keys=key, skipped=skipped), LAST)
        wanted = Filter(("skipped" if skipped else "failed",), contains)
        rows = Rows(graph, pipeline).page(wanted, after, newest=True, limit=limit)
        known = {one.key: one for one in graph.failed(pipeline, keys=[row["key"] for row in rows], skipped=skipped)}
        found = [known[row["key"]] for row in rows if row["key"] in known]
        if len(rows) == limit:
            return Json({"rows": found, "next": rows[-1]["seq"]})
        return page_of(found if skipped else found + rejected(graph.store, pipeline, contains, limit), LAST)

    def changed(what: str) -> Answer:
        def answer(request: Any, count: int) -> dict[str, int]:
            if count:
                app_state.hub.publish("queue_changed", pipeline=request.pipeline, what=what, rows=count)
            return {what: count}

        return answer

    def paused(request: PauseRequest | ResumeRequest, _: None) -> dict[str, Any]:
        status_of(app_state, 0)
        return {"pipeline": request.pipeline, "paused": isinstance(request, PauseRequest)}

    add_route(
        made, app_state, "/requeue", RequeueRequest, "Put failed or skipped rows back: these, those that match, or all",
        changed("requeued"), model=counted("requeued"),
    )  # fmt: skip
    add_route(made, app_state, "/exclude", ExcludeRequest, "Take rows out for good", changed("excluded"),
              model=counted("excluded"))  # fmt: skip
    add_route(
        made, app_state, "/prioritise", PrioritiseRequest, "Let rows that wait be claimed before all others",
        changed("prioritised"), model=counted("prioritised"),
    )  # fmt: skip
    add_route(
        made, app_state, "/release", ReleaseRequest, "Take rows from the workers that hold them, back into the queue",
        changed("released"), model=counted("released"),
    )  # fmt: skip
    add_route(made, app_state, "/seeds", SeedRequest, "Put these in where they are not there yet", changed("new"),
              model=counted("new"))  # fmt: skip
    add_route(
        made, app_state, "/pause", PauseRequest, "Pause the pipeline: nothing more is claimed", paused,
        model=PipelinePaused,
    )  # fmt: skip
    add_route(made, app_state, "/resume", ResumeRequest, "Let it go on", paused, model=PipelinePaused)
    return made
