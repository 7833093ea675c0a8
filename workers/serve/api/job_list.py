"""Jobs that were given to the daemon: what became of each, and its events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from graphvine.redact import redact_values
from graphvine.workers.serve.api.models import JobShown
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.jobs import Job
from graphvine.workers.serve.responses import EVENT_STREAM, Contains, Json, Limit, PageOf, State, page_of

# How often a listener that went away is noticed in a job that is silent.
_LOOK_SECONDS = 1.0


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(prefix="/jobs", tags=["jobs"])

    @made.get("", summary="The jobs that were given to the daemon, the newest first", response_model=PageOf[JobShown])
    def jobs(
        state: State = "", contains: Contains = "",
        after: Annotated[str, Query(max_length=100, description="`next` of the page before.")] = "",
        limit: Limit = 100,
    ) -> Json:  # fmt: skip
        behind = [job for job in app_state.jobs.all() if not after or _place(job) < after]
        found = [
            shown for job in sorted(behind, key=_place, reverse=True) if not state or job.state == state
            for shown in [job.shown()] if contains.lower() in f"{job.verb} {shown['asked']}".lower()
        ][:limit]  # fmt: skip
        return page_of(found, limit, f"{found[-1]['started_at']} {found[-1]['id']}" if found else None)

    @made.get("/{id}", summary="One job", response_model=JobShown)
    def one(id: str) -> Json:
        return Json(app_state.jobs.get(id).shown())

    @made.delete("/{id}", summary="Stop a job cleanly", response_model=JobShown)
    def stop(id: str) -> Json:
        return Json(app_state.jobs.end(id).shown())

    @made.get(
        "/{id}/events",
        summary="What happens in a job, as server-sent events",
        response_class=StreamingResponse,
        responses=EVENT_STREAM,
    )
    async def events(id: str, request: Request, after: Annotated[int, Query(ge=0, le=1 << 53)] = 0) -> Response:
        job = app_state.jobs.get(id)
        app_state.hub.refuse_more_than(app_state.settings.listeners)  # with a status, while there is still one to send

        async def stream() -> AsyncIterator[bytes]:
            last = after
            with app_state.hub.one_more(app_state.settings.listeners), _watching(job) as happened:
                while True:
                    happened.clear()
                    ended = job.state != "running"
                    for event in job.after(last, 0.0):
                        last = event["number"]
                        data = json.dumps(redact_values(event["facts"]))
                        yield f"id: {last}\nevent: {event['name']}\ndata: {data}\n\n".encode()
                    if ended or await request.is_disconnected() or app_state.stopping.is_set():
                        break
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_LOOK_SECONDS):
                            await happened.wait()
            shown = job.shown()
            shown.pop("last_event")
            yield f"event: job\ndata: {json.dumps(shown, default=str)}\n\n".encode()

        return StreamingResponse(stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    return made


def _place(job: Job) -> str:
    """Where it stands among the jobs, by the time at which it began."""
    return f"{job.started_at} {job.id}"


@contextmanager
def _watching(job: Job) -> Iterator[asyncio.Event]:
    """Set when something happens in a job; nobody who listens takes a thread."""
    loop, happened = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed: the service ends
            loop.call_soon_threadsafe(happened.set)

    job.watchers.add(wake)
    try:
        yield happened
    finally:
        job.watchers.discard(wake)
