"""The manager: the single owner of all state of a batch.

It is told events one at a time and answers with what it wrote; it claims, and returns jobs for workers. It knows no
event loop and starts nothing by itself: run.py does. What it holds in memory is a copy of what it has claimed; every
write is guarded by the claim's token in the statement, so that an event which is late, doubled or of another claim
changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.outcomes import GiveUp, Outcome, Retry
from graphvine.records import Row, Step, Unit
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
)
from graphvine.workers.scrape.holdings import Holdings
from graphvine.workers.scrape.jobs import Job, new_token, page_row, save, summary_row
from graphvine.workers.scrape.leadership import Leadership
from graphvine.workers.scrape.queue import Queue
from graphvine.workers.scrape.settings import ScrapeSettings


class Manager:
    """Work on one batch; `leadership.take()` first."""

    def __init__(self, graph: Graph, batch: Batch, settings: ScrapeSettings, worker: str | None = None) -> None:
        self._graph, self.batch, self._settings = graph, batch, settings
        self._claims = graph.claims(PIPELINE, worker)
        self.leadership = Leadership(graph, batch, self._claims.worker, settings.manager_seconds)
        self._queue = Queue(graph, batch, settings.per_host_concurrency)
        self._held = Holdings()
        # As far as is known; looked at when a claim meets one that is taken, and from then on while there are any.
        self._slots_of_others: set[int] = set()

    @property
    def active(self) -> int:
        """Pages in the hands of workers."""
        return len(self._held)

    @property
    def active_scrapes(self) -> int:
        return len(self._held.scrapes())

    def holds(self, event: Event) -> bool:
        """Whether an event is of a claim that this manager holds, in the state that the event is about."""
        return self._held.holds(event)

    def holds_claim(self, seq: int, token: int) -> bool:
        return seq in self._held and self._held[seq].job.claim.token == token

    # Events

    def apply(self, events: Iterable[Event]) -> list[ScrapeEvent]:
        """Handle events in order; what is stale is passed over. Returns what is now in the graph."""
        ends = self._held.take_in(events, self._now)
        told = self._save_partials(but=[event.seq for event in ends])
        told += self._save_summaries([event for event in ends if isinstance(event, SummaryFinished)])
        told += self._fail([event for event in ends if isinstance(event, ScrapeFailed | SummaryFailed)])
        return told + self._move_on([event for event in ends if isinstance(event, ScrapeFinished)], [])[0]

    def turn(self, events: Iterable[Event]) -> tuple[list[ScrapeEvent], list[Job]]:
        """Handle events that free slots, and fill the slots at once: as `apply` does, with `claim_scrapes` after it.

        Partial summaries wait for the next `apply`: nothing is written here that does not free or fill a slot.
        """
        ends = self._held.take_in(events, self._now)
        told = self._fail([event for event in ends if isinstance(event, ScrapeFailed | SummaryFailed)])
        told += self._save_summaries([event for event in ends if isinstance(event, SummaryFinished)])
        finished = [event for event in ends if isinstance(event, ScrapeFinished)]
        more, jobs = self._move_on(finished, self._next_scrapes(finished))
        return told + more, jobs

    def expire(self) -> list[ScrapeEvent]:
        """Pages whose worker has not been heard of for too long: what it had to say was lost."""
        before = self._now - int(self._settings.silent_seconds * 1000)
        silent = self._held.silent(before)
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
        step = save("apply_partials", [summary_row(event) for _, event in saving])
        kept = self._graph.run(Unit.of([step])).held
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
                self._held.pop(event.seq)
        return told

    def _save_summaries(self, events: Sequence[SummaryFinished]) -> list[ScrapeEvent]:
        """The final summaries, and their pages' last state."""
        if not events:
            return []
        step = save("save_summaries", [summary_row(event) for event in events], at=moment(self._now))
        kept = self._graph.run(Unit.of([step])).held
        dropped = [(event, self._held.pop(event.seq).job) for event in events]
        return [
            self._event("summary_finished", job, "completed", text=event.text, summarizer=event.summarizer)
            for event, job in dropped
            if event.seq in kept
        ]

    def _fail(self, events: Sequence[ScrapeFailed | SummaryFailed]) -> list[ScrapeEvent]:
        """Failures: tried again later, or for good, as for every pipeline."""
        if not events:
            return []
        outcomes: list[Outcome] = []
        for event in events:
            claim = self._held[event.seq].job.claim
            if event.permanent:
                outcomes.append(GiveUp(claim, event.reason, event.trace))
            else:
                outcomes.append(Retry(claim, event.reason, event.retry_after_seconds, event.trace))
        lost: set[int] = set()
        try:
            self._claims.settle(outcomes)
        except ClaimLost as error:
            lost = {claim.seq for claim in error.claims}
        told = []
        for event in events:
            job = self._held.pop(event.seq).job
            over = event.permanent or job.claim.retry_count + 1 >= self._graph.settings.max_retries
            state = "failed" if over else "idle" if job.scrapes else "scraped"
            if event.seq not in lost:
                name = "scrape_failed" if job.scrapes else "summary_failed"
                told.append(self._event(name, job, state, error=event.reason))
        return told

    # Claims

    def claim_scrapes(self) -> list[Job]:
        """Take pages into the slots that are free in the whole graph."""
        return self._move_on([], self._next_scrapes([]))[1]

    def _next_scrapes(self, finished: Sequence[ScrapeFinished]) -> list[tuple[Row, int]]:
        """The next pages, each with a slot that is free once these are finished."""
        over = {event.seq for event in finished}
        at_work = [held for held in self._held.scrapes() if held.job.claim.seq not in over]
        room = self._settings.max_scrapes - len(at_work)
        if room <= 0 or self._paused:
            return []
        rows = self._queue.take(room, [held.job.url for held in at_work], self._now)
        if not rows:
            return []
        if self._slots_of_others:
            self._look_at_slots()  # they may have been freed since
        taken = {held.slot for held in at_work} | self._slots_of_others
        free = [slot for slot in range(1, self._settings.max_scrapes + 1) if slot not in taken]
        self._queue.put_back(rows[len(free) :])
        return list(zip(rows, free, strict=False))

    def _move_on(
        self, finished: Sequence[ScrapeFinished], nexts: Sequence[tuple[Row, int]]
    ) -> tuple[list[ScrapeEvent], list[Job]]:
        """Save what was scraped, and start the next scrapes, in one unit: a slot is not free for longer than that."""
        token = new_token()
        jobs = {event.seq: self._held[event.seq].job for event in finished}
        steps = []
        if finished:
            rows = [page_row(event, jobs[event.seq]) for event in finished]
            steps.append(save("save_pages", rows, at=moment(self._now)))
        if nexts:
            seqs = [row["seq"] for row, _ in nexts]
            given = self._given(token)
            places = [{"seq": row["seq"], "slot": slot} for row, slot in nexts]
            steps.append(Step(f"{PIPELINE}.start_scrapes", {"rows": places, "lo": min(seqs), "hi": max(seqs), **given}))
        if not steps:
            return [], []
        result = self._graph.run(Unit.of(steps))
        told = []
        for event in finished:
            held = self._held.pop(event.seq)
            if event.seq in result.held:
                told.append(self._event("scrape_finished", held.job, "scraped", title=event.page.title))
                self._queue.note_scraped()
        taken = {row["seq"] for row in result.rows[-1]} if nexts else set()
        if len(taken) < len(nexts):
            self._look_at_slots()
            self._queue.look_again()
        return told, [
            self._held.hold(row, token, "scraping", self._now, slot) for row, slot in nexts if row["seq"] in taken
        ]

    def _look_at_slots(self) -> None:
        """A slot, or a page, was not free: other batches of this graph are at work too."""
        ours = {held.slot for held in self._held.values()}
        self._slots_of_others = {row["slot"] for row in self._graph.read(f"{PIPELINE}.slots")} - ours

    def claim_summaries(self) -> list[Job]:
        """Take scraped pages whose summary is to be written."""
        room = self._settings.max_summaries - (self.active - self.active_scrapes)
        rows = self._queue.scraped(room, self._now) if room > 0 and not self._paused else []
        if not rows:
            return []
        token = new_token()
        given = self._given(token)
        steps = [Step(f"{PIPELINE}.start_summaries", {**span, **given}) for span in spans([row["seq"] for row in rows])]
        answers = self._graph.run(Unit.of(steps)).rows
        taken = {row["seq"] for answer in answers for row in answer}
        return [self._held.hold(row, token, "summarizing", self._now) for row in rows if row["seq"] in taken]

    def beat(self) -> list[Job]:
        """Say that this manager and its work go on; BatchLost when another has taken over. Returns lost jobs."""
        self.leadership.renew()
        held = [one.job for one in self._held.values()]
        try:
            self._claims.heartbeat(job.claim for job in held)
        except ClaimLost as error:
            lost = {claim.seq for claim in error.claims}
            return [self._held.pop(job.claim.seq).job for job in held if job.claim.seq in lost]
        return []

    def release(self) -> None:
        """Give everything back, on a stop."""
        held = [self._held.pop(seq).job for seq in list(self._held)]
        try:
            self._claims.release(job.claim for job in held)
        except ClaimLost:
            return  # what was taken away needs no giving back

    def left_over(self) -> int:
        """Pages of the batch that are not at rest."""
        rows = self._graph.read(f"{PIPELINE}.left_over", batch_seq=self.batch.seq, never=NEVER)
        return int(rows[0]["left_over"])

    def _given(self, token: int) -> dict[str, Any]:
        """What every claim is made with; the batch and its lease keep out a manager that was replaced."""
        now = self._now
        return {
            "batch": self.batch.name, "manager": self.leadership.lease, "worker": self._claims.worker, "token": token,
            "now": now, "at": moment(now), "never": NEVER,
        }  # fmt: skip

    def _event(self, name: str, job: Job, state: str, **more: Any) -> ScrapeEvent:
        return replace(ScrapeEvent(name, self.batch.name, job.url, state), **more)

    @property
    def _paused(self) -> bool:
        return self._graph.door.paused(PIPELINE) is not None

    @property
    def _now(self) -> int:
        return self._graph.clock.now_ms()
