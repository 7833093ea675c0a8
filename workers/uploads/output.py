"""How uploads look on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.workers.cli.output import listed, local_time, one_line, plural, screen, show, size, table
from graphvine.workers.hn.ingest.forms import API
from graphvine.workers.uploads.record import Upload, success_rate

if TYPE_CHECKING:
    import typer

_ERRORS_SHOWN = 100
_TEXT = 100


def show_upload(upload: Upload) -> None:
    """Everything that people ask of an upload."""
    rows = [(name, value) for name, value in _facts(upload) if value not in ("", None)]
    show(table(("upload", upload.upload_id), rows))


def upload_json(upload: Upload) -> dict[str, Any]:
    """The record without the numbers that only guard it."""
    hidden = ("seq", "due", "lease", "chunk_item", "chunk_offset", "handed_over", "file_time")
    return {name: value for name, value in asdict(upload).items() if name not in hidden}


def show_uploads(context: typer.Context, uploads: list[Upload]) -> None:
    if listed(context, "uploads", map(upload_json, uploads)):
        return
    if not uploads:
        print("no uploads yet: 'graphvine upload FILE' makes one")
    else:
        rows = [
            (one.upload_id, one.state, f"{one.processed_items:,}", f"{one.failed_items:,}", f"{one.total_items:,}",
             size(one.file_size), local_time(one.uploaded_at), one_line(one.filename, 60))
            for one in uploads
        ]  # fmt: skip
        columns = ("upload", "state", "processed", "failed", "items", "size", "uploaded", "file")
        show(table(columns, rows, right=("processed", "failed", "items", "size")))


def show_errors(errors: Iterable[Row], count: int, unit: str) -> None:
    """What was wrong with single items, the first hundred; items, or the lines that hold them, count from 1."""
    shown = list(islice(errors, _ERRORS_SHOWN))
    if not shown:
        print("no item failed")
        return
    rows = [
        (error["index"] + 1, error["hnId"] or "", error["field"] or "", one_line(error["message"], _TEXT),
         one_line(error["given"] or "", _TEXT))
        for error in shown
    ]  # fmt: skip
    show(table((unit, "hnId", "field", "message", "given"), rows, right=(unit, "hnId")))
    if count > len(shown):
        print(f"and {count - len(shown):,} more: --errors --jsonl prints all")


def describe(upload: Upload) -> str:
    """One line about where it stands, and what to do next."""
    counts = f"{upload.processed_items:,} of {plural(upload.total_items, 'item')} processed"
    made = f"{upload.new_items:,} new, {upload.updated_items:,} updated, {upload.unchanged_items:,} unchanged"
    after = {
        "uploaded": f"'graphvine upload validate {upload.upload_id}' validates it",
        "validated": f"{plural(upload.total_items, 'item')};"
        f" 'graphvine upload start {upload.upload_id}' processes them",
        "completed": f"{counts} ({made})",
        "partial_success": f"{counts} ({made}), {upload.failed_items:,} failed:"
        f" 'graphvine upload show {upload.upload_id} --errors' tells why",
        "failed": f"{upload.last_error or upload.failure_reason or 'it failed'}",
        "validating": "not done yet: the same command goes on with it",
        "processing": f"{counts}, not done yet: the same command goes on with it",
    }  # fmt: skip
    return f"{upload.upload_id} {upload.state}: {after.get(upload.state, 'waiting for a worker')}"


def describe_form(upload: Upload) -> str:
    """The form in which items came, where it is not the API's."""
    return f" (items came as {upload.item_form})" if upload.item_form not in (None, "", API) else ""


@contextmanager
def bar(graph: Graph) -> Iterator[None]:
    """A bar with rate and time left for what is being done to uploads, where somebody can see it."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            unit = "items" if task.description == "processing" else "bytes"
            speed = f", {task.speed:,.0f} {unit}/s" if task.speed else ""
            return Text(f"{int(task.completed):,} of {int(task.total or 0):,} {unit}{speed}")

    columns = TextColumn("{task.description}"), BarColumn(), Rate(), TimeRemainingColumn()
    with Progress(*columns, console=screen(stderr=True), transient=True) as progress:
        tasks: dict[str, Any] = {}

        def listen(event: str, facts: dict[str, Any]) -> None:
            if event != "upload" or (progress.finished and not progress.live.is_started):
                return
            phase = facts["phase"]
            if phase not in tasks:
                for task in tasks.values():
                    progress.update(task, visible=False)
                tasks[phase] = progress.add_task(phase, total=facts["total"])
            progress.update(tasks[phase], completed=facts["done"], total=facts["total"])

        graph.store.subscribe(listen)
        yield


def _facts(upload: Upload) -> Iterator[tuple[str, Any]]:
    packed = f", {upload.compression}" if upload.compression else ""
    yield "state", upload.state
    yield "file", upload.filename
    yield "size", f"{upload.file_size:,} bytes{packed}"
    yield "format", upload.format
    yield "items as", upload.item_form
    yield "sha256", upload.sha256
    yield "uploaded", local_time(upload.uploaded_at)
    yield "validated", local_time(upload.validated_at)
    yield "started", local_time(upload.started_at)
    yield "completed", local_time(upload.completed_at or upload.partial_completed_at)
    yield "failed at", local_time(upload.failed_at)
    yield "items", f"{upload.total_items:,}"
    yield "processed", f"{upload.processed_items:,} ({success_rate(upload):.1f} %)"
    yield "new, updated, unchanged", f"{upload.new_items:,}, {upload.updated_items:,}, {upload.unchanged_items:,}"
    yield "failed items", f"{upload.failed_items:,}"
    yield "time", f"{upload.processing_time / 1000:,.1f} s" if upload.processing_time else ""
    yield "rate", _rate(upload)
    yield "collection", upload.collection_id
    yield "retries", upload.retry_count or ""
    yield "worker", upload.claimed_by
    yield "failure", upload.failure_reason
    for detail in (upload.failure_details or upload.validation_errors)[:10]:
        yield "", one_line(detail, 2 * _TEXT)


def _rate(upload: Upload) -> str:
    seconds = upload.processing_time / 1000
    return f"{upload.processed_items / seconds:,.0f} items/s" if seconds and upload.processed_items else ""
