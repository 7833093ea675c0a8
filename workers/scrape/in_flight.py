"""The pages that a manager has in flight, and the queue of its batch."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from graphvine.clock import NEVER
from graphvine.graph import Graph
from graphvine.records import Claim, Row
from graphvine.workers.common.fetching.addresses import host_of
from graphvine.workers.scrape import NAME
from graphvine.workers.scrape.batches import Batch
from graphvine.workers.scrape.events import Event, ScrapeFailed, ScrapeFinished, SummaryPartial

_PREFETCH = 500
# A page whose host is busy lets others pass; searching further than this for one costs more than it gains.
_SEARCHED = 200
# When the whole queue is known, pages that come due later are seen after this long.
_REFRESH_MS = 100
_IDLE, _SCRAPED = 0, -1


class BatchQueue:
    """The pages of a batch that are ready, prefetched in the order of arrival."""

    def __init__(self, graph: Graph, batch: Batch, per_host: int) -> None:
        self._graph, self._batch, self._per_host = graph, batch, per_host
        self._idle: deque[Row] = deque()
        self._scraped: deque[Row] = deque()
        self._read_at = {_IDLE: -_REFRESH_MS, _SCRAPED: -_REFRESH_MS}

    def take(self, count: int, at_work: Iterable[str], now: int) -> list[Row]:
        """The next pages to scrape, those first whose host may get another request."""
        if len(self._idle) < count:
            self._idle = self._read(_IDLE, self._idle, now)
        busy = Counter(_host(url) for url in at_work)
        taken: list[Row] = []
        while self._idle and len(taken) < count:
            row = self._next(busy)
            busy[_host(row["url"])] += 1
            taken.append(row)
        return taken

    def put_back(self, rows: list[Row]) -> None:
        self._idle.extendleft(reversed(rows))

    def scraped(self, count: int, now: int) -> list[Row]:
        """The next pages to summarize."""
        if len(self._scraped) < count:
            self._scraped = self._read(_SCRAPED, self._scraped, now)
        return [self._scraped.popleft() for _ in range(min(count, len(self._scraped)))]

    def refresh(self) -> None:
        """A page that was thought to be free was not: read the queue again."""
        self._idle.clear()
        self._read_at[_IDLE] = -_REFRESH_MS

    def refresh_scraped(self) -> None:
        """There is another page to summarize."""
        self._read_at[_SCRAPED] = -_REFRESH_MS

    def _next(self, busy: Counter[str]) -> Row:
        for place in range(min(len(self._idle), _SEARCHED)):
            if busy[_host(self._idle[place]["url"])] < self._per_host:
                row = self._idle[place]
                del self._idle[place]
                return row
        return self._idle.popleft()  # all hosts are busy: it waits in its slot

    def _read(self, lease: int, known: deque[Row], now: int) -> deque[Row]:
        """Read the queue, unless it was just read to its end."""
        if 0 <= now - self._read_at[lease] < _REFRESH_MS:
            return known
        given = {"batch_seq": self._batch.seq, "now": now, "lease": lease, "limit": _PREFETCH}
        rows = self._graph.read(f"{NAME}.ready_in", **given)
        if len(rows) < _PREFETCH:
            self._read_at[lease] = now
        return deque(rows)


def _host(url: str) -> str:
    try:
        return host_of(url)
    except ValueError:
        return url  # not an address: its worker will say so


@dataclass(frozen=True, slots=True)
class PageJob:
    """A page for a worker: to be scraped, or, with its text saved, to be summarized."""

    claim: Claim
    url: str

    @property
    def scrapes(self) -> bool:
        return self.claim.state == "scraping"


@dataclass(slots=True)
class InFlightPage:
    """A page that a worker has: the time of its last event, and the part of its summary that is not saved."""

    job: PageJob
    slot: int
    seen_ms: int
    saved_ms: int = -NEVER
    unsaved: SummaryPartial | None = None


class InFlight(dict[int, InFlightPage]):
    """Claimed pages by the seq of their row."""

    def add(self, claim: Claim, url: str, slot: int, now: int) -> PageJob:
        job = PageJob(claim, url)
        self[claim.seq] = InFlightPage(job, slot, now)
        return job

    def scrapes(self) -> list[InFlightPage]:
        return [page for page in self.values() if page.job.scrapes]

    def holds(self, event: Event) -> bool:
        """Whether an event is of a claim in flight, in the state that the event is about."""
        page = self.get(event.seq)
        scrapes = isinstance(event, ScrapeFinished | ScrapeFailed)
        return page is not None and page.job.claim.token == event.token and page.job.scrapes == scrapes

    def take_in(self, events: Iterable[Event], now: int) -> list[Event]:
        """Of these events, those that end a claim in flight; a partial summary is kept until it is saved."""
        ends: dict[int, Event] = {}
        for event in events:
            if not self.holds(event) or event.seq in ends:
                continue  # of a claim that is over, or a duplicate
            page = self[event.seq]
            page.seen_ms = now
            if isinstance(event, SummaryPartial):
                page.unsaved = event
            else:
                ends[event.seq] = event
        return list(ends.values())

    def unsaved(self, saved_before_ms: int, but: Collection[int]) -> list[SummaryPartial]:
        """Partial summaries to be saved, of pages whose last one was saved before then."""
        return [
            page.unsaved
            for seq, page in self.items()
            if page.unsaved is not None and seq not in but and page.saved_ms <= saved_before_ms
        ]

    def silent(self, since_ms: int) -> list[PageJob]:
        """Pages whose worker has sent no event since then."""
        return [page.job for page in self.values() if page.seen_ms <= since_ms]
