"""The manager: the single owner of all state of a batch.

It handles events one at a time and returns what it wrote; it claims pages and returns jobs for workers. It has no event
loop and starts nothing by itself: manager_loop.py does. What it holds in memory is a copy of its claims; every write is
guarded by the claim's token, so that an event which is late, doubled or of another claim changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.outcomes import GiveUp, Outcome, Retry, Save
from graphvine.records import Claim, Row
from graphvine.workers.scrape import NAME
from graphvine.workers.scrape.batches import Batch, BatchLease
from graphvine.workers.scrape.events import (
    Event,
    ScrapeEvent,
    ScrapeFailed,
    ScrapeFinished,
    SummaryFailed,
    SummaryFinished,
    SummaryPartial,
)
from graphvine.workers.scrape.in_flight import BatchQueue, InFlight, PageJob
from graphvine.workers.scrape.settings import ScrapeSettings

_ORDER = (SummaryPartial, SummaryFinished, ScrapeFailed, SummaryFailed, ScrapeFinished)


class Manager:
    """Works on one batch; take its `lease` first."""

    def __init__(self, graph: Graph, batch: Batch, settings: ScrapeSettings, worker: str | None = None) -> None:
        self._graph, self.batch, self._settings = graph, batch, settings
        self._claims = graph.claims(NAME, worker)
        self.lease = BatchLease(graph, batch, self._claims.worker, settings.manager_seconds)
        self._queue = BatchQueue(graph, batch, settings.per_host_concurrency)
        self._in_flight = InFlight()
        # As far as is known: read when a claim meets one that is taken, and from then on while there are any.
        self._slots_of_others: set[int] = set()

    @property
    def active(self) -> int:
        """Pages that workers have."""
        return len(self._in_flight)

    @property
    def active_scrapes(self) -> int:
        return len(self._in_flight.scrapes())

    def holds(self, event: Event) -> bool:
        """Whether an event is of a claim that this manager holds, in the state that the event is about."""
        return self._in_flight.holds(event)

    def holds_claim(self, seq: int, token: int) -> bool:
        return seq in self._in_flight and self._in_flight[seq].job.claim.token == token

    # Events

    def apply(self, events: Iterable[Event]) -> list[ScrapeEvent]:
        """Handle events; stale ones are ignored. Returns what is now in the graph."""
        now = self._now
        ends = self._in_flight.take_in(events, now)
        partials = self._in_flight.unsaved(now - self._settings.partial_ms, but={event.seq for event in ends})
        return self._exchange([*partials, *ends], [])[0]

    def apply_and_claim(self, events: Iterable[Event]) -> tuple[list[ScrapeEvent], list[PageJob]]:
        """Handle events that free slots, and fill the slots in the same transaction.

        Partial summaries wait for the next `apply`: nothing is written here that does not free or fill a slot.
        """
        ends = self._in_flight.take_in(events, self._now)
        return self._exchange(ends, self._next_scrapes({event.seq for event in ends}))

    def expire(self) -> list[ScrapeEvent]:
        """Fail pages whose worker has been silent for too long: its events were lost."""
        silent = self._in_flight.silent(self._now - int(self._settings.silent_seconds * 1000))
        reason = f"no event from its worker for {self._settings.silent_seconds:g} s"
        return self.apply(
            ScrapeFailed(job.claim.seq, job.claim.token, reason)
            if job.scrapes
            else SummaryFailed(job.claim.seq, job.claim.token, reason)
            for job in silent
        )

    def _exchange(
        self, events: Sequence[Event], rows: Sequence[Row]
    ) -> tuple[list[ScrapeEvent], list[PageJob]]:  # fmt: skip
        """Save these events and claim these pages, each into its slot, in one transaction."""
        ordered = sorted(events, key=lambda event: _ORDER.index(type(event)))
        outcomes = [self._outcome(event) for event in ordered]
        claims, lost = self._claims.exchange(outcomes, rows, "start", ("slot",), **self._guards)
        saved, jobs = self._saved(ordered, {claim.seq for claim in lost}), self._started(claims, rows)
        if len(claims) < len(rows):
            self._read_slots()
            self._queue.refresh()
        return saved, jobs

    def _outcome(self, event: Event) -> Outcome:
        job, at = self._in_flight[event.seq].job, moment(self._now)
        claim = job.claim
        if isinstance(event, ScrapeFinished):
            scraped = json.dumps({"url": job.url, **event.facts, **event.page.as_dict()}, ensure_ascii=False)
            page = {"scraped": scraped, "title": event.page.title, "words": event.page.words}
            return Save(claim, [self._claims.save("save_pages", claim, page, at=at)])
        if isinstance(event, SummaryFinished | SummaryPartial):
            summary = {"summary": event.text, "summarizer": event.summarizer}
            if isinstance(event, SummaryPartial):
                return Save(claim, [self._claims.save("apply_partials", claim, summary)])
            return Save(claim, [self._claims.save("save_summaries", claim, summary, at=at)])
        assert isinstance(event, ScrapeFailed | SummaryFailed)
        if event.permanent:
            return GiveUp(claim, event.reason, event.trace)
        return Retry(claim, event.reason, event.retry_after_seconds, event.trace)

    def _saved(self, events: Sequence[Event], lost: set[int]) -> list[ScrapeEvent]:
        """Update the copy in memory, and say what was written."""
        saved = []
        for event in events:
            page = self._in_flight.pop(event.seq)
            job = page.job
            if event.seq in lost:
                continue
            if isinstance(event, SummaryPartial):
                page.unsaved, page.saved_ms = None, self._now
                self._in_flight[event.seq] = page
                more = {"text": event.text, "summarizer": event.summarizer}
                saved.append(self._event("summary_partial", job, "summarizing", **more))
            elif isinstance(event, SummaryFinished):
                more = {"text": event.text, "summarizer": event.summarizer}
                saved.append(self._event("summary_finished", job, "completed", **more))
            elif isinstance(event, ScrapeFinished):
                saved.append(self._event("scrape_finished", job, "scraped", title=event.page.title))
                self._queue.refresh_scraped()
            elif isinstance(event, ScrapeFailed | SummaryFailed):
                over = event.permanent or job.claim.retry_count + 1 >= self._graph.settings.max_retries
                state = "failed" if over else "idle" if job.scrapes else "scraped"
                name = "scrape_failed" if job.scrapes else "summary_failed"
                saved.append(self._event(name, job, state, error=event.reason))
        return saved

    # Claims

    def claim_scrapes(self) -> list[PageJob]:
        """Claim pages for the slots that are free in the whole graph."""
        return self._exchange([], self._next_scrapes(set()))[1]

    def claim_summaries(self) -> list[PageJob]:
        """Claim scraped pages that need a summary."""
        room = self._settings.max_summaries - (self.active - self.active_scrapes)
        rows = self._queue.scraped(room, self._now) if room > 0 and not self._paused else []
        return self._started(self._claims.exchange((), rows, "start", **self._guards)[0], rows)

    def _next_scrapes(self, finished: set[int]) -> list[Row]:
        """The next pages, each with a slot that is free once these are finished."""
        at_work = [page for page in self._in_flight.scrapes() if page.job.claim.seq not in finished]
        room = self._settings.max_scrapes - len(at_work)
        if room <= 0 or self._paused:
            return []
        rows = self._queue.take(room, [page.job.url for page in at_work], self._now)
        if not rows:
            return []
        if self._slots_of_others:
            self._read_slots()  # they may have been freed since
        taken = {page.slot for page in at_work} | self._slots_of_others
        free = [slot for slot in range(1, self._settings.max_scrapes + 1) if slot not in taken]
        self._queue.put_back(rows[len(free) :])
        return [{**row, "slot": slot} for row, slot in zip(rows, free, strict=False)]

    def _started(self, claims: Sequence[Claim], rows: Sequence[Row]) -> list[PageJob]:
        by_seq = {row["seq"]: row for row in rows}
        return [
            self._in_flight.add(claim, by_seq[claim.seq]["url"], by_seq[claim.seq].get("slot", 0), self._now)
            for claim in claims
        ]  # fmt: skip

    def _read_slots(self) -> None:
        """Other batches of this graph take slots too."""
        ours = {page.slot for page in self._in_flight.values()}
        self._slots_of_others = {row["slot"] for row in self._graph.read(f"{NAME}.slots")} - ours

    def beat(self) -> list[PageJob]:
        """Heartbeat for the batch and its claims; BatchLost when another manager has taken over. Returns lost jobs."""
        self.lease.renew()
        jobs = [page.job for page in self._in_flight.values()]
        try:
            self._claims.heartbeat(job.claim for job in jobs)
        except ClaimLost as error:
            lost = {claim.seq for claim in error.claims}
            return [self._in_flight.pop(job.claim.seq).job for job in jobs if job.claim.seq in lost]
        return []

    def release(self) -> None:
        """Release all claims, on a stop."""
        jobs = [self._in_flight.pop(seq).job for seq in list(self._in_flight)]
        try:
            self._claims.release(job.claim for job in jobs)
        except ClaimLost:
            return  # another manager has them by now

    def left_over(self) -> int:
        """How many pages of the batch are not finished."""
        rows = self._graph.read(f"{NAME}.left_over", batch_seq=self.batch.seq, never=NEVER)
        return int(rows[0]["left_over"])

    @property
    def _guards(self) -> dict[str, Any]:
        """A manager that was replaced can't claim: every claim checks the batch's lease."""
        return {"batch": self.batch.name, "manager": self.lease.token}

    def _event(self, name: str, job: PageJob, state: str, **more: Any) -> ScrapeEvent:
        return replace(ScrapeEvent(name, self.batch.name, job.url, state), **more)

    @property
    def _paused(self) -> bool:
        return self._graph.store.paused(NAME) is not None

    @property
    def _now(self) -> int:
        return self._graph.clock.now_ms()
