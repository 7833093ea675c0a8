"""Jobs that were given to the daemon: what became of each, and its events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.responses import Json


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(prefix="/jobs", tags=["jobs"])

    @made.get("", summary="Every job that was given to the daemon", response_model=list[dict[str, Any]])
    def jobs() -> Json:
        return Json([job.shown() for job in app_state.jobs.all()])

    @made.get("/{id}", summary="One job", response_model=dict[str, Any])
    def one(id: str) -> Json:
        return Json(app_state.jobs.get(id).shown())

    @made.delete("/{id}", summary="Stop a job cleanly", response_model=dict[str, Any])
    def stop(id: str) -> Json:
        return Json(app_state.jobs.end(id).shown())

    @made.get("/{id}/events", summary="What happens in a job, as server-sent events", response_class=StreamingResponse)
    async def events(id: str, request: Request, after: Annotated[int, Query(ge=0, le=1 << 53)] = 0) -> Response:
        job = app_state.jobs.get(id)

        async def stream() -> AsyncIterator[bytes]:
            last = after
            while True:
                ended = job.state != "running"
                for event in await asyncio.to_thread(job.after, last, 1.0):
                    last = event["number"]
                    told = json.dumps(event["facts"])
                    yield f"id: {last}\nevent: {event['name']}\ndata: {told}\n\n".encode()
                if ended or await request.is_disconnected() or app_state.stopping.is_set():
                    break
            shown = job.shown()
            shown.pop("last_event")
            yield f"event: job\ndata: {json.dumps(shown, default=str)}\n\n".encode()

        return StreamingResponse(stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    return made
