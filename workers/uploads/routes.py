"""Uploads by HTTP: files streamed to the disk, their progress, what was wrong with items, and the steps by hand."""

from __future__ import annotations

import asyncio
import time
from itertools import islice
from pathlib import Path as FilePath
from typing import Annotated, Any, get_type_hints

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, create_model

from graphvine.workers.serve.api.models import Number
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.multipart import BadUpload, ReceivedFile, ReceiveLimits, receive
from graphvine.workers.serve.request_routes import add_route
from graphvine.workers.serve.responses import (
    LAST,
    After,
    Contains,
    Json,
    Limit,
    PageOf,
    State,
    page_of,
    register_status,
)
from graphvine.workers.uploads.api import Uploads
from graphvine.workers.uploads.errors import HeldElsewhere, NoSuchUpload, StepNotAllowed
from graphvine.workers.uploads.record import Upload, newest
from graphvine.workers.uploads.requests import UploadRequest, UploadStepRequest
from graphvine.workers.uploads.settings import load

Id = Annotated[str, Path(max_length=80, pattern=r"^[0-9a-f]{12}(-\d+)?$")]
Yes = ("1", "true", "yes", "on")
_LEFT_SECONDS = 24 * 3600.0
_HIDDEN = ("seq", "due", "lease", "path", "chunk_item", "chunk_offset")
_SHOWN: dict[str, Any] = {name: (kind, ...) for name, kind in get_type_hints(Upload).items() if name not in _HIDDEN}
# The file's time is in nanoseconds: a text, as all numbers beyond 2^53.
_SHOWN |= {"file_time": (Number, ...), "progress_percent": (float, ...)}
UploadShown = create_model("UploadShown", **_SHOWN)


class ItemError(BaseModel):
    """What was wrong with one item of a file."""

    index: int
    hnId: int | None
    field: str | None
    message: str
    given: str | None


def router(app_state: AppState) -> APIRouter:
    made = APIRouter(prefix="/uploads", tags=["uploads"])

    @made.post(
        "", status_code=202, summary="Upload a file of items, as multipart/form-data", response_model=UploadShown,
        openapi_extra={"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}},
    )  # fmt: skip
    async def upload(request: Request) -> Json:
        graph = app_state.graph
        most = min(app_state.settings.max_upload_bytes, load().max_file_size)
        folder = FilePath(f"{graph.engine.where}.incoming")
        await asyncio.to_thread(_sweep, folder)
        received = await receive(request, folder, ReceiveLimits(most))
        if len(received.files) != 1:
            raise BadUpload("send one file")
        return Json(await asyncio.to_thread(_taken, app_state, received.files[0], received.fields), 202)

    @made.get("", summary="The uploads, the newest first", response_model=PageOf[UploadShown])  # type: ignore[valid-type]
    def uploads(state: State = "", contains: Contains = "", after: After = None, limit: Limit = 50) -> Json:
        found = newest(app_state.graph, limit, state, contains, LAST if after is None else after)
        return page_of([shown(one) for one in found], limit, found[-1].seq if found else None)

    @made.get("/{id}", summary="One upload, with its progress", response_model=UploadShown)
    def one(id: Id) -> Json:
        return Json(shown(Uploads(app_state.graph).show(id)))

    @made.get("/{id}/errors", summary="What was wrong with single items", response_model=PageOf[ItemError])
    def errors(id: Id, after: After = None, limit: Limit = 1_000) -> Json:
        found = list(islice(Uploads(app_state.graph).errors(id, -1 if after is None else after), limit))
        return page_of(found, limit, found[-1]["index"] if found else None)

    def moved(request: UploadStepRequest, upload: Upload) -> Json:
        if request.step == "remove":
            return Json(shown(upload), 200)
        app_state.jobs.start(UploadRequest(upload_id=request.upload_id))
        return Json(shown(upload), 202)

    add_route(made, app_state, "/{upload_id}/{step}", UploadStepRequest, "A step by hand", moved, model=UploadShown)
    return made


def _taken(app_state: AppState, file: ReceivedFile, fields: dict[str, str]) -> dict[str, Any]:
    auto, again = fields.get("auto", "yes").lower() in Yes, fields.get("again", "no").lower() in Yes
    try:
        upload = Uploads(app_state.graph).take_received(file.path, name=file.name, auto=auto, again=again)
    finally:
        file.path.unlink(missing_ok=True)
    app_state.hub.publish("queue_changed", pipeline="upload", what="uploaded", rows=1, upload=upload.upload_id)
    if auto:  # a daemon without workers for uploads works on those that it is given, too
        app_state.jobs.start(UploadRequest(upload_id=upload.upload_id))
    return shown(upload)


def shown(upload: Upload) -> dict[str, Any]:
    """What people look at: no numbers of ours, and no paths of this machine."""
    fields = {name: getattr(upload, name) for name in Upload.__slots__ if name not in _HIDDEN}
    done = upload.processed_items + upload.failed_items
    return {**fields, "progress_percent": 100.0 * done / upload.total_items if upload.total_items else 0.0}


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
register_status(NoSuchUpload, 404)
register_status(StepNotAllowed, 409)
register_status(HeldElsewhere, 409)
