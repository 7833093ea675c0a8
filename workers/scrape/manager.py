"""The manager: the single owner of all state of a batch.

It is told events one at a time and answers with what it wrote; it claims, and returns jobs for workers. It knows no
event loop and starts nothing by itself: run.py does. What it holds in memory is a copy of what it has claimed; every
write is guarded by the claim's token in the statement, so that an event which is late, doubled or of another claim
changes nothing.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.outcomes import Done, GiveUp, Outcome, Retry
from graphvine.records import Claim, Row, Step, Unit
from graphvine.window import spans
from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.batches import Batch
from graphvine.workers.scrape.events import (
    Event,
    ScrapeEvent,
    ScrapeFailed,
    ScrapeFinished,
    SummaryFailed,
    SummaryFinished,
    SummaryPartial,
)
from graphvine.workers.scrape.leadership import Leadership
from graphvine.workers.scrape.queue import Queue
from graphvine.workers.scrape.settings import ScrapeSettings

_ENDS = ScrapeFinished | ScrapeFailed | SummaryFinished | SummaryFailed


@dataclass(frozen=True, slots=True)
class Job:
    """A page for a worker: to be scraped, or, with its text saved, to be summarized."""

    claim: Claim
    url: str

    @property
    def scrapes(self) -> bool:
        return self.claim.state == "scraping"


@dataclass(slots=True)
class _Held:
    job: Job
    heard_ms: int
    saved_ms: int = -NEVER
    unsaved: SummaryPartial | None = None


class Manager:
    """Work on one batch; `lead()` first."""

    def __init__(self, graph: Graph, batch: Batch, settings: ScrapeSettings, worker: str | None = None) -> None:
        self._graph, self.batch, self._settings = graph, batch, settings
        self._claims = graph.claims(PIPELINE, worker)
        self.leadership = Leadership(graph, batch, self._claims.worker, settings.manager_seconds)
        self._queue = Queue(graph, batch, settings.per_host_concurrency)
        self._held: dict[int, _Held] = {}

    @property
    def active(self) -> int:
        """Pages in the hands of workers."""
        return len(self._held)

    @property
    def active_scrapes(self) -> int:
        return sum(held.job.scrapes for held in self._held.values())

    def holds(self, event: Event) -> bool:
        """Whether an event is of a claim that this manager holds, in the state that the event is about."""
        held = self._held.get(event.seq)
        scrapes = isinstance(event, ScrapeFinished | ScrapeFailed)
        return held is not None and held.job.claim.token == event.token and held.job.scrapes == scrapes

    def holds_claim(self, seq: int, token: int) -> bool:
        held = self._held.get(seq)
        return held is not None and held.job.claim.token == token

    # Events

    def apply(self, events: Iterable[Event]) -> list[ScrapeEvent]:
        """Handle events in order; what is stale is passed over. Returns what is now in the graph."""
        told: list[ScrapeEvent] = []
        ends: dict[int, Event] = {}
        for event in events:
            if not self.holds(event) or event.seq in ends:
                continue  # of a claim that is over, or the same news twice
            held = self._held[event.seq]
            held.heard_ms = self._now
            if isinstance(event, SummaryPartial):
                held.unsaved = event
            else:
                ends[event.seq] = event
        told += self._save_partials(but=ends)
        told += self._settle(list(ends.values()))
        return told

    def expire(self) -> list[ScrapeEvent]:
        """Pages whose worker has not been heard of for too long: what it had to say was lost."""
        before = self._now - int(self._settings.silent_seconds * 1000)
        silent = [held.job for held in self._held.values() if held.heard_ms <= before]
        reason = f"nothing was heard of its worker for {self._settings.silent_seconds:g} s"
        return self.apply(
            ScrapeFailed(job.claim.seq, job.claim.token, reason)
            if job.scrapes
            else SummaryFailed(job.claim.seq, job.claim.token, reason)
            for job in silent
        )

    def _save_partials(self, but: Iterable[int] = ()) -> list[ScrapeEvent]:
        """Summaries as far as they are written, each at most every so often."""
        now, left_out = self._now, set(but)
        due = [
            held
            for seq, held in self._held.items()
            if held.unsaved is not None and seq not in left_out and now - held.saved_ms >= self._settings.partial_ms
        ]
        if not due:
            return []
        saving = [(held, held.unsaved) for held in due if held.unsaved is not None]
        steps = [
            Step(
                f"{PIPELINE}.apply_partial",
                {
                    "key": held.job.claim.key, "seq": event.seq, "token": event.token, "summary": event.text,
                    "summarizer": event.summarizer,
                },
            )
            for held, event in saving
        ]  # fmt: skip
        kept = self._graph.run(Unit.of(steps)).held
        told = []
        for held, event in saving:
            held.unsaved, held.saved_ms = None, now
            if event.seq in kept:
                told.append(
                    self._event(
                        "summary_partial", held.job, "summarizing", text=event.text, summarizer=event.summarizer
                    )
                )
            else:
                self._drop(event.seq)
        return told

    def _settle(self, events: Sequence[Event]) -> list[ScrapeEvent]:
        if not events:
            return []
        outcomes = [self._outcome(event, self._held[event.seq].job) for event in events]
        lost: set[int] = set()
        try:
            self._claims.settle(outcomes)
        except ClaimLost as error:
            lost = {claim.seq for claim in error.claims}
        told = []
        for event, outcome in zip(events, outcomes, strict=True):
            held = self._drop(event.seq)
            if event.seq not in lost:
                told.append(self._told(event, outcome, held.job))
        return told

    def _outcome(self, event: Event, job: Job) -> Outcome:
        claim = job.claim
        row = {"seq": claim.seq, "key": claim.key}
        if isinstance(event, ScrapeFinished):
            page = event.page
            scraped = json.dumps({"url": job.url, **event.facts, **page.as_dict()}, ensure_ascii=False)
            saved = {**row, "scraped": scraped, "title": page.title, "words": page.words}
            return Done(claim, [Step(f"{PIPELINE}.save_page", saved)])
        if isinstance(event, SummaryFinished):
            saved = {**row, "summary": event.text, "summarizer": event.summarizer}
            return Done(claim, [Step(f"{PIPELINE}.save_summary", saved)])
        assert isinstance(event, ScrapeFailed | SummaryFailed)
        if event.permanent:
            return GiveUp(claim, event.reason, event.trace)
        return Retry(claim, event.reason, event.retry_after_seconds, event.trace)

    def _told(self, event: Event, outcome: Outcome, job: Job) -> ScrapeEvent:
        if isinstance(event, ScrapeFinished):
            return self._event("scrape_finished", job, "scraped", title=event.page.title)
        if isinstance(event, SummaryFinished):
            return self._event("summary_finished", job, "completed", text=event.text, summarizer=event.summarizer)
        assert isinstance(event, ScrapeFailed | SummaryFailed)
        over = isinstance(outcome, GiveUp) or job.claim.retry_count + 1 >= self._graph.settings.max_retries
        state = "failed" if over else "idle" if job.scrapes else "scraped"
        name = "scrape_failed" if job.scrapes else "summary_failed"
        return self._event(name, job, state, error=event.reason)

    # Claims

    def claim(self) -> list[Job]:
        """Take all that can be taken; it is persisted when this returns."""
        return [*self.claim_scrapes(), *self.claim_summaries()]

    def claim_scrapes(self) -> list[Job]:
        """Take pages into the slots that are free in the whole graph."""
        if self.active_scrapes >= self._settings.max_scrapes or self._paused:
            return []
        rows = self._queue.take(self._settings.max_scrapes - self.active_scrapes, self._hosts(), self._now)
        if not rows:
            return []
        taken = {row["slot"] for row in self._graph.read(f"{PIPELINE}.slots")}
        free = [slot for slot in range(1, self._settings.max_scrapes + 1) if slot not in taken]
        self._queue.put_back(rows[len(free) :])
        token = _new_token()
        pairs = list(zip(rows, free, strict=False))
        if not pairs:
            return []
        given = {**self._given(token), "batch": self.batch.name, "manager": self.leadership.lease}
        steps = [
            Step(f"{PIPELINE}.start_scrape", {"key": row["key"], "seq": row["seq"], "slot": slot, **given})
            for row, slot in pairs
        ]
        answers = self._graph.run(Unit.of(steps)).rows
        return [self._hold(row, token, "scraping") for (row, _), rows in zip(pairs, answers, strict=True) if rows]

    def claim_summaries(self) -> list[Job]:
        """Take scraped pages whose summary is to be written."""
        room = self._settings.max_summaries - (self.active - self.active_scrapes)
        rows = self._queue.scraped(room, self._now) if room > 0 and not self._paused else []
        if not rows:
            return []
        token = _new_token()
        steps = [
            Step(f"{PIPELINE}.start_summary", {**span, **self._given(token)})
            for span in spans([row["seq"] for row in rows])
        ]
        answers = self._graph.run(Unit.of(steps)).rows
        taken = {row["seq"] for answer in answers for row in answer}
        return [self._hold(row, token, "summarizing") for row in rows if row["seq"] in taken]

    def beat(self) -> list[Job]:
        """Say that this manager and its work go on; BatchLost when another has taken over. Returns lost jobs."""
        self.leadership.renew()
        held = [one.job for one in self._held.values()]
        try:
            self._claims.heartbeat(job.claim for job in held)
        except ClaimLost as error:
            lost = {claim.seq for claim in error.claims}
            return [self._drop(job.claim.seq).job for job in held if job.claim.seq in lost]
        return []

    def release(self) -> None:
        """Give everything back, on a stop."""
        held = [self._drop(seq).job for seq in list(self._held)]
        try:
            self._claims.release(job.claim for job in held)
        except ClaimLost:
            return  # what was taken away needs no giving back

    def left_over(self) -> int:
        """Pages of the batch that are not at rest."""
        rows = self._graph.read(f"{PIPELINE}.left_over", batch_seq=self.batch.seq, never=NEVER)
        return int(rows[0]["left_over"])

    def _hold(self, row: Row, token: int, state: str) -> Job:
        claim = Claim(
            PIPELINE, row["key"], row["seq"], token, state, 0, row["retry_count"], row["lost_claims"],
            row["failure_count"],
        )  # fmt: skip
        job = Job(claim, row["url"])
        self._held[claim.seq] = _Held(job, self._now)
        return job

    def _drop(self, seq: int) -> _Held:
        return self._held.pop(seq)

    def _hosts(self) -> list[str]:
        return [held.job.url for held in self._held.values() if held.job.scrapes]

    def _given(self, token: int) -> dict[str, Any]:
        now = self._now
        return {"worker": self._claims.worker, "token": token, "now": now, "at": moment(now), "never": NEVER}

    def _event(self, name: str, job: Job, state: str, **more: str) -> ScrapeEvent:
        return replace(ScrapeEvent(name, self.batch.name, job.url, state), **more)

    @property
    def _paused(self) -> bool:
        return self._graph.door.paused(PIPELINE) is not None

    @property
    def _now(self) -> int:
        return self._graph.clock.now_ms()


def _new_token() -> int:
    return secrets.randbits(62) | 1 << 61
