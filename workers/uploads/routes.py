"""Uploads by HTTP: files streamed to the disk, their progress, what was wrong with items, and the steps by hand."""

from __future__ import annotations

import asyncio
import threading
import time
from itertools import islice
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request

from graphvine.graph import Graph
from graphvine.workers.serve.answers import Json, fits
from graphvine.workers.serve.jobs import Tell
from graphvine.workers.serve.receiving import BadUpload, ReceivedFile, ReceiveLimits, receive
from graphvine.workers.serve.room import Room
from graphvine.workers.uploads.errors import HeldElsewhere, NoSuchUpload, NotAllowed
from graphvine.workers.uploads.face import Uploads
from graphvine.workers.uploads.record import WORKING, Upload
from graphvine.workers.uploads.settings import load

Id = Annotated[str, Path(max_length=80, pattern=r"^[0-9a-f]{12}(-\d+)?$")]
Yes = ("1", "true", "yes", "on")
# The words of the API, and the document's transitions.
STEPS = {
    "validate": "validate_upload", "start": "start_processing", "retry": "retry_failed_items", "reset": "retry_upload"
}  # fmt: skip
_LEFT_SECONDS = 24 * 3600.0
_LOOK_SECONDS = 0.2
_HIDDEN = ("seq", "due", "lease", "path", "chunk_item", "chunk_offset")


def router(room: Room) -> APIRouter:
    made = APIRouter(prefix="/uploads", tags=["uploads"])

    @made.post(
        "", status_code=202, summary="Upload a file of items, as multipart/form-data", response_model=dict[str, Any],
        openapi_extra={"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}},
    )  # fmt: skip
    async def upload(request: Request) -> Json:
        graph = room.graph
        most = min(room.settings.max_upload_bytes, load().max_file_size)
        folder = FilePath(f"{graph.engine.where}.incoming")
        await asyncio.to_thread(_sweep, folder)
        received = await receive(request, folder, ReceiveLimits(most))
        if len(received.files) != 1:
            raise BadUpload("send one file")
        return Json(await asyncio.to_thread(_taken, room, received.files[0], received.fields), 202)

    @made.get("", summary="The newest uploads", response_model=list[dict[str, Any]])
    def uploads(limit: Annotated[int, Query(ge=1, le=500)] = 50) -> Json:
        return Json([shown(one) for one in Uploads(room.graph).list(limit)])

    @made.get("/{id}", summary="One upload, with its progress", response_model=dict[str, Any])
    def one(id: Id) -> Json:
        return Json(shown(Uploads(room.graph).show(id)))

    @made.get("/{id}/errors", summary="What was wrong with single items", response_model=list[dict[str, Any]])
    def errors(id: Id, limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000) -> Json:
        return Json(list(islice(Uploads(room.graph).errors(id), limit)))

    @made.post("/{id}/{step}", status_code=202, summary="A step by hand", response_model=dict[str, Any])
    def move(id: Id, step: Literal["validate", "start", "retry", "reset"]) -> Json:
        moved = Uploads(room.graph).move(STEPS[step], id)
        _have_worked(room, id)
        return Json(shown(moved), 202)

    return made


def _taken(room: Room, file: ReceivedFile, fields: dict[str, str]) -> dict[str, Any]:
    auto, again = fields.get("auto", "yes").lower() in Yes, fields.get("again", "no").lower() in Yes
    try:
        upload = Uploads(room.graph).take_received(file.path, name=file.name, auto=auto, again=again)
    finally:
        file.path.unlink(missing_ok=True)
    room.hub.tell("queue_changed", pipeline="upload", what="uploaded", rows=1, upload=upload.upload_id)
    if auto:
        _have_worked(room, upload.upload_id)
    return shown(upload)


def _have_worked(room: Room, upload_id: str) -> None:
    """By a job: a daemon without workers for uploads works on those that it is given, too."""
    room.jobs.start("upload", {"upload_id": upload_id}, run_upload)


def run_upload(graph: Graph, asked: dict[str, Any], tell: Tell, stop: threading.Event) -> str:
    """The job: one upload on its way, by this job or by a worker that has it in hand, until it waits or rests."""
    uploads, upload_id = Uploads(graph), str(asked["upload_id"])

    def hear(name: str, facts: dict[str, Any]) -> None:
        if name == "upload" and facts["upload"] == upload_id:
            tell("progress", facts)

    graph.door.listen(hear)
    try:
        upload = uploads.show(upload_id)
        if upload.auto and upload.state == "uploaded":
            uploads.move("validate_upload", upload_id)
        while not stop.is_set():
            try:
                return uploads.work(upload_id, stop=stop).state
            except HeldElsewhere:
                stop.wait(_LOOK_SECONDS)
                if uploads.show(upload_id).state not in WORKING:
                    break
    finally:
        graph.door.unlisten(hear)
    return uploads.show(upload_id).state


def shown(upload: Upload) -> dict[str, Any]:
    """What people look at: no numbers of ours, and no paths of this machine."""
    told = {name: getattr(upload, name) for name in Upload.__slots__ if name not in _HIDDEN}
    done = upload.processed_items + upload.failed_items
    return {**told, "progress_percent": 100.0 * done / upload.total_items if upload.total_items else 0.0}


def _sweep(folder: FilePath) -> None:
    """What a kill left of bodies that were coming in."""
    if folder.is_dir():
        for path in folder.glob("*.part"):
            if time.time() - path.stat().st_mtime > _LEFT_SECONDS:
                path.unlink(missing_ok=True)


_FORM = {
    "type": "object", "required": ["file"],
    "properties": {
        "file": {"type": "string", "format": "binary"}, "auto": {"type": "string"}, "again": {"type": "string"},
    },
}  # fmt: skip
JOBS = {"upload": run_upload}
fits(NoSuchUpload, 404)
fits(NotAllowed, 409)
fits(HeldElsewhere, 409)
