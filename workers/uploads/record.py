"""An upload as the graph holds it: one typed record, the same for commands, Python and JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.workers.uploads.decode import Place
from graphvine.workers.uploads.errors import NoSuchUpload

# States in which a worker has something to do.
WORKING = ("initial_state", "validating", "processing")


@dataclass(slots=True)
class Upload:
    """The document's fields; `parsed_content` and `retry_items` say where these are."""

    upload_id: str
    state: str
    filename: str
    path: str | None
    spooled: bool
    file_size: int
    file_time: int
    sha256: str
    format: str
    compression: str
    item_form: str | None
    auto: bool
    uploaded_at: datetime | None
    handed_over: int
    total_items: int
    parsed_content: str | None
    validation_errors: list[str]
    validation_status: str | None
    validated_at: datetime | None
    started_at: datetime | None
    processed_items: int
    failed_items: int
    new_items: int
    updated_items: int
    unchanged_items: int
    processing_errors: list[str]
    processing_progress: dict[str, int] | None
    processing_time: int
    processing_report: dict[str, Any] | None
    failure_report: dict[str, Any] | None
    collection_id: str | None
    completed_at: datetime | None
    partial_completed_at: datetime | None
    failure_reason: str | None
    failure_details: list[str]
    failed_at: datetime | None
    retry_count: int
    retry_started_at: datetime | None
    retry_items: str | None
    retry_total: int | None
    retrying: bool
    reset_at: datetime | None
    current_item: int
    chunk_item: int
    chunk_offset: int
    claimed_by: str | None
    claimed_at: datetime | None
    last_error: str | None
    seq: int
    due: int
    lease: int

    @property
    def place(self) -> Place:
        """Where the next item is read."""
        return Place(self.current_item, self.chunk_item, self.chunk_offset)

    @property
    def run(self) -> int:
        """A number of its own for each time that its items are processed from the start."""
        return int(self.started_at.timestamp() * 1000) if self.started_at is not None else 0

    @property
    def file(self) -> Path:
        return Path(self.path or "")

    def progress(self) -> dict[str, int]:
        """processing_progress, as the document has it."""
        return {
            "total": self.total_items, "processed": self.processed_items, "failed": self.failed_items,
            "current_item": self.current_item,
        }  # fmt: skip


_LISTS = {"validation_errors", "processing_errors", "failure_details"}
_JSON = {"processing_progress", "processing_report", "failure_report"}
_DEFAULTS: dict[str, Any] = {"int": 0, "bool": False, "str": ""}
_FIELDS = [(field.name, str(field.type)) for field in fields(Upload)]


def upload_of(row: Row) -> Upload:
    """The record of a node; what a hand left out has the value that it would start with."""
    given: dict[str, Any] = {}
    for name, kind in _FIELDS:
        value = row.get(name)
        if name in _LISTS:
            value = list(value or ())
        elif name in _JSON:
            value = json.loads(value) if value else None
        elif value is None:
            value = _DEFAULTS.get(kind)
        given[name] = value
    return Upload(**given)


def find(graph: Graph, upload_id: str) -> Upload:
    rows = graph.read("upload.upload", key=upload_id)
    if not rows:
        raise NoSuchUpload(upload_id)
    return upload_of(rows[0]["u"])


def newest(graph: Graph, limit: int, state: str = "", contains: str = "", before: int = (1 << 63) - 1) -> list[Upload]:
    found = graph.read("upload.uploads", state=state, contains=contains.lower(), before=before, limit=limit)
    return [upload_of(row["u"]) for row in found]


def collection_of(upload: Upload) -> str:
    """The name of the collection that an upload fills."""
    return f"upload-{upload.upload_id}"


def success_rate(upload: Upload) -> float:
    """Percent of the items that were processed."""
    return 100.0 * upload.processed_items / upload.total_items if upload.total_items else 0.0


def processing_report(upload: Upload, took_ms: int) -> dict[str, Any]:
    return {
        "total_items": upload.total_items, "processed_items": upload.processed_items,
        "failed_items": upload.failed_items, "success_rate": success_rate(upload), "processing_time_ms": took_ms,
        "new_items": upload.new_items, "updated_items": upload.updated_items,
        "unchanged_items": upload.unchanged_items,
    }  # fmt: skip


def failure_report(upload: Upload) -> dict[str, Any]:
    return {
        "failed_items": upload.failed_items, "processing_errors": upload.processing_errors,
        "success_rate": success_rate(upload),
    }  # fmt: skip
