"""The document's criteria, by name: each looks at one draft, and a refusal says why in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from graphvine.workers.parts.hn.item import TYPES, Draft

MAX_RETRIES = 3
RETRY_WINDOW = timedelta(hours=24)


def valid(draft: Draft) -> str:
    """HNItemValidCriterion: a positive id and an allowed type."""
    if draft.id <= 0:
        return f"id: {draft.id} is not positive"
    return "" if draft.content.get("type") in TYPES else f"type: {draft.content.get('type')!r} is not allowed"


def hierarchy_valid(draft: Draft) -> str:
    """HNItemHierarchyValidCriterion: a comment has a parent, an option has a poll, and both are older than it."""
    kind, content = draft.content.get("type"), draft.content
    if kind == "comment" and content.get("parent") is None:
        return "parent: a comment needs one"
    if kind == "pollopt" and content.get("poll") is None:
        return "poll: an option needs one"
    for field in ("parent", "poll"):
        above = content.get(field)
        if above is not None and above >= draft.id:
            return f"{field}: {above} is not older than {draft.id}, so it can't stand above it"
    return ""


def complete(draft: Draft) -> str:
    """HNItemCompleteCriterion: ingested, updated, and in its place."""
    if not draft.source or not draft.content:
        return "it was never ingested or validated"
    return hierarchy_valid(draft)


def retryable(row: Mapping[str, Any], now: datetime) -> str:
    """HNItemRetryableCriterion: fewer than three tries, and the last failure not longer ago than a day."""
    if (row["retryCount"] or 0) >= MAX_RETRIES:
        return f"it was tried {row['retryCount']} times, {MAX_RETRIES} at most"
    failed = row["lastFailureAt"]
    if failed is not None and now - failed >= RETRY_WINDOW:
        return "it failed more than 24 hours ago"
    return ""


CRITERIA: dict[str, Callable[[Draft], str]] = {
    "HNItemValidCriterion": valid,
    "HNItemHierarchyValidCriterion": hierarchy_valid,
    "HNItemCompleteCriterion": complete,
}
