"""The document's criteria, by name: each looks at an upload and says yes or no."""

from __future__ import annotations

from collections.abc import Callable

from graphvine.workers.uploads.record import Upload

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
