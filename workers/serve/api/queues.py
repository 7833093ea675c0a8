"""What people do to a queue: look at what failed, requeue, exclude, pause, resume, put something in."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from graphvine.records import FailedRow, PipelineStatus
from graphvine.workers.serve.answers import Json
from graphvine.workers.serve.looking import status_of
from graphvine.workers.serve.room import Room

Key = Annotated[str, Field(min_length=1, max_length=2_000)]
_MANY = 10_000


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Keys(Body):
    keys: Annotated[list[Key], Field(max_length=_MANY, min_length=1)]


class Chosen(Body):
    """One of the three."""

    keys: Annotated[list[Key], Field(max_length=_MANY)] | None = None
    contains: Annotated[str, Field(max_length=200)] | None = None
    everything: bool = False


class Reason(Body):
    reason: Annotated[str, Field(max_length=500)] = ""


def router(room: Room) -> APIRouter:
    made = APIRouter(prefix="/pipelines/{pipeline}", tags=["queues"])

    @made.get("", summary="Where one pipeline stands", response_model=PipelineStatus)
    def one(pipeline: str) -> Json:
        room.graph.door.machine(pipeline)
        return Json(next(found for found in status_of(room) if found.pipeline == pipeline))

    @made.get("/failed", summary="What failed, and why", response_model=list[FailedRow])
    def failed(
        pipeline: str, contains: Annotated[str, Query(max_length=200)] = "",
        key: Annotated[list[Key] | None, Query(max_length=100)] = None,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> Json:  # fmt: skip
        return Json(room.graph.failed(pipeline, keys=key or None, contains=contains, limit=limit))

    @made.post(
        "/requeue", summary="Put failed rows back: these, those that match, or all", response_model=dict[str, int]
    )
    def requeue(pipeline: str, body: Chosen) -> Json:
        graph = room.graph
        count = graph.requeue(pipeline, keys=body.keys, contains=body.contains, everything=body.everything)
        return _changed(room, "requeued", pipeline, count)

    @made.post("/exclude", summary="Take rows out for good", response_model=dict[str, int])
    def exclude(pipeline: str, body: Keys) -> Json:
        return _changed(room, "excluded", pipeline, room.graph.exclude(pipeline, body.keys))

    @made.post("/seeds", summary="Put these in where they are not there yet", response_model=dict[str, int])
    def seeds(pipeline: str, body: Keys) -> Json:
        return _changed(room, "new", pipeline, room.graph.seed(pipeline, body.keys))

    @made.post("/pause", summary="Let nothing more be claimed", response_model=dict[str, Any])
    def pause(pipeline: str, body: Reason) -> Json:
        room.graph.pause(pipeline, body.reason)
        status_of(room, 0)
        return Json({"pipeline": pipeline, "paused": True})

    @made.post("/resume", summary="Let it go on", response_model=dict[str, Any])
    def resume(pipeline: str) -> Json:
        room.graph.resume(pipeline)
        status_of(room, 0)
        return Json({"pipeline": pipeline, "paused": False})

    return made


def _changed(room: Room, what: str, pipeline: str, count: int) -> Json:
    if count:
        room.hub.tell("queue_changed", pipeline=pipeline, what=what, rows=count)
    return Json({what: count})
