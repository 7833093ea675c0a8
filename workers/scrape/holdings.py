"""What the manager holds: a copy in memory of its claims, and which events speak of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graphvine.clock import NEVER
from graphvine.records import Claim, Row
from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.events import Event, ScrapeFailed, ScrapeFinished, SummaryPartial
from graphvine.workers.scrape.jobs import Job


@dataclass(slots=True)
class Held:
    """A page in the hands of a worker: since when nothing was heard of it, and what of its summary is not saved."""

    job: Job
    slot: int
    heard_ms: int
    saved_ms: int = -NEVER
    unsaved: SummaryPartial | None = None


class Holdings(dict[int, Held]):
    """Claims by the number of their row."""

    def hold(self, row: Row, token: int, state: str, now: int, slot: int = 0) -> Job:
        """Remember a claim that was made."""
        counts = row["retry_count"], row["lost_claims"], row["failure_count"]
        job = Job(Claim(PIPELINE, row["key"], row["seq"], token, state, 0, *counts), row["url"])
        self[job.claim.seq] = Held(job, slot, now)
        return job

    def scrapes(self) -> list[Held]:
        return [held for held in self.values() if held.job.scrapes]

    def holds(self, event: Event) -> bool:
        """Whether an event is of a claim that is held, in the state that the event is about."""
        held = self.get(event.seq)
        scrapes = isinstance(event, ScrapeFinished | ScrapeFailed)
        return held is not None and held.job.claim.token == event.token and held.job.scrapes == scrapes

    def take_in(self, events: Iterable[Event], now: int) -> list[Event]:
        """Of these events, those that end a claim which is held; what a partial summary says is noted."""
        ends: dict[int, Event] = {}
        for event in events:
            if not self.holds(event) or event.seq in ends:
                continue  # of a claim that is over, or the same news twice
            held = self[event.seq]
            held.heard_ms = now
            if isinstance(event, SummaryPartial):
                held.unsaved = event
            else:
                ends[event.seq] = event
        return list(ends.values())

    def silent(self, since_ms: int) -> list[Job]:
        """Pages of whose worker nothing was heard since then."""
        return [held.job for held in self.values() if held.heard_ms <= since_ms]
