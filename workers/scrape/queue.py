"""What a manager takes next of its batch: known in memory, read again whenever it runs low.

It is a hint: the statement that claims guards itself, and an entry that is stale claims nothing.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

from graphvine.graph import Graph
from graphvine.records import Row
from graphvine.workers.parts.fetching.urls import host_of
from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.batches import Batch

_AHEAD = 500
# A page whose host is busy lets others pass; looking further than this for one costs more than it gains.
_LOOKED_AT = 200
# When all that waits is known, what comes due later is seen after this long.
_LOOK_AGAIN_MS = 100


class Queue:
    def __init__(self, graph: Graph, batch: Batch, per_host: int) -> None:
        self._graph, self._batch, self._per_host = graph, batch, per_host
        self._idle: deque[Row] = deque()
        self._scraped: deque[Row] = deque()
        self._looked_at = {0: -_LOOK_AGAIN_MS, -1: -_LOOK_AGAIN_MS}

    def take(self, count: int, at_work: Iterable[str], now: int) -> list[Row]:
        """The next pages to scrape in the order of arrival, those first whose host has room for another request."""
        if len(self._idle) < count:
            self._idle = self._read(0, self._idle, now)
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
            self._scraped = self._read(-1, self._scraped, now)
        return [self._scraped.popleft() for _ in range(min(count, len(self._scraped)))]

    def look_again(self) -> None:
        """Something that was thought free was not: what is known is out of date."""
        self._idle.clear()
        self._looked_at[0] = -_LOOK_AGAIN_MS

    def note_scraped(self) -> None:
        """There is a page more to summarize."""
        self._looked_at[-1] = -_LOOK_AGAIN_MS

    def _next(self, busy: Counter[str]) -> Row:
        for place in range(min(len(self._idle), _LOOKED_AT)):
            if busy[_host(self._idle[place]["url"])] < self._per_host:
                row = self._idle[place]
                del self._idle[place]
                return row
        return self._idle.popleft()  # all hosts are busy: it waits for its turn in its slot

    def _read(self, lease: int, known: deque[Row], now: int) -> deque[Row]:
        """What waits, in place of what was known to; not again within a moment in which nothing can have changed."""
        if 0 <= now - self._looked_at[lease] < _LOOK_AGAIN_MS:
            return known
        rows = self._graph.read(f"{PIPELINE}.ready_in", batch_seq=self._batch.seq, now=now, lease=lease, limit=_AHEAD)
        if len(rows) < _AHEAD:
            self._looked_at[lease] = now
        return deque(rows)


def _host(url: str) -> str:
    try:
        return host_of(url)
    except ValueError:
        return url  # no address: its worker will say so
