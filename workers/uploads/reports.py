"""The document's reports."""

from __future__ import annotations

from typing import Any

from graphvine.workers.uploads.record import Upload


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
