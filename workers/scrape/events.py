"""The events that workers send to the manager, and those that a batch publishes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from graphvine.workers.common.pages import Page


@dataclass(frozen=True, slots=True)
class Event:
    """An event of one claimed page, identified by the claim's token."""

    seq: int
    token: int


@dataclass(frozen=True, slots=True)
class ScrapeFinished(Event):
    page: Page
    facts: dict[str, Any]  # where it came from: final address, status, media type


@dataclass(frozen=True, slots=True)
class ScrapeFailed(Event):
    reason: str
    permanent: bool = False
    retry_after_seconds: float | None = None
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class SummaryPartial(Event):
    text: str
    summarizer: str


@dataclass(frozen=True, slots=True)
class SummaryFinished(Event):
    text: str
    summarizer: str


@dataclass(frozen=True, slots=True)
class SummaryFailed(Event):
    reason: str
    permanent: bool = False
    retry_after_seconds: float | None = None
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class ScrapeEvent:
    """What happened to a page, or to its batch (then `url` is empty), once it is committed.

    Names: batch_started, scrape_started, scrape_finished, scrape_failed, summary_started, summary_partial,
    summary_finished, summary_failed, batch_finished, hook_finished, hook_failed, standing_by, paused, stopped; and,
    of a batch that was there before, retrying (what failed), stored (what is done), backing_off (what waits). After
    a failure, `state` says whether the page is retried (idle, scraped) or not (failed).
    """

    name: str
    batch: str
    url: str = ""
    state: str = ""
    title: str = ""
    text: str = ""
    summarizer: str = ""
    error: str = ""
    counts: dict[str, int] = field(default_factory=dict)
