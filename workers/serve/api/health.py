"""Whether the service lives and is ready, its metrics, and its events as they happen."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import aclosing

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

import graphvine
from graphvine.workers.serve.api.models import Alive, Ready
from graphvine.workers.serve.app_state import AppState, NotReady
from graphvine.workers.serve.metrics import MEDIA_TYPE
from graphvine.workers.serve.responses import EVENT_STREAM, PLAIN_TEXT, Json


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(tags=["service"])

    @made.get("/healthz", summary="Whether the service lives", response_model=Alive)
    async def healthz() -> Response:
        return Json({"status": "ok", "version": graphvine.__version__, "seconds": time.monotonic() - app_state.started})

    @made.get("/readyz", summary="Whether the graph can be read and written; 503 where it can't", response_model=Ready)
    async def readyz(request: Request) -> Response:
        """Anybody may ask, a supervisor has no token; what is served is shown only to those who may read."""
        reads = request.scope.get("graphvine_reads", False)
        try:
            graph = app_state.graph
            problem = app_state.health.problem() if app_state.health is not None else ""
        except NotReady as error:
            problem = str(error)
        if problem:
            raise NotReady(problem if reads else "the graph can't be used now")
        about = {"graph": graph.where, "engine": graph.engine.name, "what": app_state.what} if reads else {}
        return Json({"status": "ready", **about})

    @made.get("/metrics", summary="Metrics for Prometheus", response_class=Response, responses=PLAIN_TEXT)
    def metrics() -> Response:
        if app_state.metrics is None:
            raise NotReady("the graph is being opened: try again in a moment")
        return Response(app_state.metrics.page(), media_type=MEDIA_TYPE)

    @made.get(
        "/events",
        summary="What happens, as server-sent events",
        response_class=StreamingResponse,
        responses=EVENT_STREAM,
    )
    async def events() -> Response:
        app_state.hub.refuse_more_than(app_state.settings.listeners)  # with a status, while there is still one to send

        async def stream() -> AsyncIterator[bytes]:
            yield b"retry: 2000\n\n"
            async with aclosing(app_state.hub.subscribe(app_state.settings.listeners)) as listener:
                async for event in listener:
                    if event is None:
                        yield b": still here\n\n"
                        continue
                    facts = json.dumps(event.facts, default=str)
                    yield f"id: {event.number}\nevent: {event.name}\ndata: {facts}\n\n".encode()
                    if event.name == "closing":
                        return

        return StreamingResponse(stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    return made
