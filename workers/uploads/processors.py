"""The document's processors and criteria, by name: a processor changes an upload and says what is to be
written, a criterion looks at it and says yes or no."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from graphvine.clock import moment
from graphvine.records import Step
from graphvine.workers.hn.ingest.forms import form_of
from graphvine.workers.uploads.errors import FileFault
from graphvine.workers.uploads.reader import Items
from graphvine.workers.uploads.record import Upload, collection_of, failure_report, processing_report
from graphvine.workers.uploads.settings import UploadSettings

_log = logging.getLogger("graphvine.upload")


class Stopped(Exception):
    """Somebody asked for the work to end."""


@dataclass(slots=True)
class Work:
    """An upload in somebody's hands, or about to be."""

    upload: Upload
    settings: UploadSettings
    now: int
    report: Callable[[str, int, int], None] = lambda phase, done, total: None
    stopping: Callable[[], bool] = lambda: False
    # A file that is read through has come to an offset; so many items were counted before it.
    further: Callable[[int, int], None] = lambda offset, items: None

    def change(self, **fields: Any) -> None:
        self.upload = replace(self.upload, **fields)

    @property
    def took_ms(self) -> int:
        started = self.upload.started_at
        return self.now - int(started.timestamp() * 1000) if started is not None else 0


def validate_upload_processor(work: Work) -> list[Step]:
    """Read the whole file: is it one of items, and how many? What is wrong with single items is found in processing."""
    upload, settings = work.upload, work.settings
    errors: list[str] = []
    total, begun = upload.current_item, upload.chunk_offset  # behind what a lost worker has counted
    format, compression, item_form = "", "", None
    if upload.file_size > settings.max_file_size:
        errors.append(f"File too large - max size is {settings.max_file_size}")
    try:
        with Items(upload.file, settings) as items:
            format, compression = items.form.format, items.compression
            item_form = form_of(items.first()) if not errors else None
            for offset, count in items.counts(begun, total) if not errors else ():
                work.further(offset, total)
                total += count
                work.report("validating", items.consumed, upload.file_size)
                if work.stopping():
                    raise Stopped
        if not total and not errors:
            errors.append("there are no items in the file")
    except FileFault as error:
        errors.append(str(error))
    work.change(
        validation_errors=errors, validation_status="failed" if errors else "passed", total_items=total,
        format=format, compression=compression, item_form=item_form,
        parsed_content=f"{upload.file.as_uri()}#items=0..{max(0, total - 1)}",
    )  # fmt: skip
    found = {
        **_named(upload), "at": moment(work.now), "status": work.upload.validation_status, "errors": errors or None,
        "total_items": total, "content": work.upload.parsed_content, "format": format, "compression": compression,
        "item_form": item_form,
    }  # fmt: skip
    return [Step("upload.note_validation", found)]


def handle_validation_failure_processor(work: Work) -> list[Step]:
    """The file's errors are the reason."""
    errors = work.upload.validation_errors
    work.change(failure_reason="validation_failed", failure_details=errors)
    _log.error("Bulk upload %s validation failed: %s", work.upload.upload_id, "; ".join(errors))
    return [_report(work, None, None, errors)]


def start_processing_processor(work: Work) -> list[Step]:
    """Errors of a time before no longer hold. The document's collection is made with the first item."""
    work.change(processed_items=0, failed_items=0, current_item=0, processing_errors=[])
    begun = {**_named(work.upload), "progress": json.dumps(work.upload.progress())}
    dismissed = {"upload": work.upload.seq, "at_ms": work.now}
    return [Step("upload.note_progress", begun), Step("upload.dismiss_errors", dismissed)]


def finalize_success_processor(work: Work) -> list[Step]:
    """The report, and a collection that is complete. Our own copy of the file is no longer needed."""
    steps = [_report(work, processing_report(work.upload, work.took_ms), None, []), _closing(work)]
    if work.upload.spooled:
        steps.append(Step("upload.drop_file", _named(work.upload)))
    return steps


def handle_partial_success_processor(work: Work) -> list[Step]:
    """What failed, and a collection of what did not."""
    report = failure_report(work.upload)
    _log.warning(
        "Bulk upload %s partially successful: %d of %d items failed", work.upload.upload_id, work.upload.failed_items,
        work.upload.total_items,
    )  # fmt: skip
    return [_report(work, processing_report(work.upload, work.took_ms), report, []), _closing(work)]


def handle_processing_failure_processor(work: Work) -> list[Step]:
    """Nothing came of it: the collection goes. Refused items have left nothing behind but their errors."""
    upload = work.upload
    _log.error("Bulk upload %s processing failed completely: %d items", upload.upload_id, upload.failed_items)
    removed = {"collection_id": collection_of(upload), "seq": upload.seq}
    work.change(failure_reason="processing_failed", collection_id=None)
    reports = processing_report(upload, work.took_ms), failure_report(upload)
    return [_report(work, *reports, upload.processing_errors), Step("upload.remove_collection", removed)]


def retry_failed_items_processor(work: Work) -> list[Step]:
    """The failed items are those of the error nodes; nothing has to be gathered."""
    upload = work.upload
    work.change(retry_count=upload.retry_count + 1, retry_total=upload.failed_items, failed_items=0, current_item=0)
    return []


def reset_upload_processor(work: Work) -> list[Step]:
    """Errors of the time before no longer hold."""
    work.change(retry_count=work.upload.retry_count + 1, processed_items=0, failed_items=0, validation_status=None)
    return [Step("upload.dismiss_errors", {"upload": work.upload.seq, "at_ms": work.now})]


PROCESSORS: dict[str, Callable[[Work], list[Step]]] = {
    "validate_upload_processor": validate_upload_processor,
    "handle_validation_failure_processor": handle_validation_failure_processor,
    "start_processing_processor": start_processing_processor,
    "finalize_success_processor": finalize_success_processor,
    "handle_partial_success_processor": handle_partial_success_processor,
    "handle_processing_failure_processor": handle_processing_failure_processor,
    "retry_failed_items_processor": retry_failed_items_processor,
    "reset_upload_processor": reset_upload_processor,
}


def _named(upload: Upload) -> dict[str, Any]:
    return {"key": upload.upload_id, "seq": upload.seq}


def _report(work: Work, report: dict[str, Any] | None, failures: dict[str, Any] | None, details: list[str]) -> Step:
    given = {
        **_named(work.upload), "took_ms": work.took_ms, "report": json.dumps(report) if report else None,
        "failure_report": json.dumps(failures) if failures else None, "details": details or None,
        "reason": details[0] if details else None,
    }  # fmt: skip
    return Step("upload.note_report", given)


def _closing(work: Work) -> Step:
    given = {"collection_id": collection_of(work.upload), "seq": work.upload.seq, "at": moment(work.now)}
    return Step("upload.close_collection", given)


MAX_RETRIES = 3


def validation_success_criterion(upload: Upload) -> bool:
    """The file passed, without errors, and has items."""
    return upload.validation_status == "passed" and not upload.validation_errors and upload.total_items > 0


def validation_failure_criterion(upload: Upload) -> bool:
    """The file failed, or has errors."""
    return upload.validation_status == "failed" or bool(upload.validation_errors)


def processing_complete_success_criterion(upload: Upload) -> bool:
    """Every item was processed."""
    return upload.processed_items == upload.total_items and upload.failed_items == 0


def processing_partial_success_criterion(upload: Upload) -> bool:
    """Some items were processed, some failed, and none is left."""
    return upload.processed_items > 0 and upload.failed_items > 0 and _all_done(upload)


def processing_complete_failure_criterion(upload: Upload) -> bool:
    """All items failed. Judged when none is left, or the first bad item would end the work."""
    return upload.processed_items == 0 and upload.failed_items > 0 and _all_done(upload)


def retry_allowed_criterion(upload: Upload, max_retries: int = MAX_RETRIES) -> bool:
    """Fewer retries than are allowed."""
    return upload.retry_count < max_retries


def _all_done(upload: Upload) -> bool:
    return upload.processed_items + upload.failed_items == upload.total_items


CRITERIA: dict[str, Callable[[Upload], bool]] = {
    "validation_success_criterion": validation_success_criterion,
    "validation_failure_criterion": validation_failure_criterion,
    "processing_complete_success_criterion": processing_complete_success_criterion,
    "processing_partial_success_criterion": processing_partial_success_criterion,
    "processing_complete_failure_criterion": processing_complete_failure_criterion,
    "retry_allowed_criterion": retry_allowed_criterion,
}
