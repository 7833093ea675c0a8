"""A pool of loops in one process, until there is nothing left that any of them could do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from graphvine.graph import Graph
from graphvine.workers.counts import Counts
from graphvine.workers.loop import HELD_BACK_SECONDS, Loop

_LONGEST_WAIT_SECONDS = 0.5


class WorkerPool:
    """Loops of one pipeline that share a stop event. What one of them discovers, another may claim."""

    def __init__(
        self, graph: Graph, pipeline: str, loops: Sequence[Loop], stop: threading.Event,
        waits: Callable[[], bool] = lambda: True,
    ) -> None:  # fmt: skip
        """`waits` says whether a row that is backing off is one that these loops would claim."""
        self._graph, self._pipeline, self._loops, self._stop = graph, pipeline, loops, stop
        self._waits = waits
        self._change = threading.Condition()
        self._busy = 0
        self._finished = 0
        self._over = False
        self._error: BaseException | None = None
        self.total = Counts()

    def run(self, each: Callable[[Counts], None] | None = None) -> Counts:
        """Work until all is done or somebody says stop; `each` is called with every batch."""
        threads = [
            threading.Thread(target=self._work, args=(loop, each), name=f"graphvine-{self._pipeline}-{number}")
            for number, loop in enumerate(self._loops)
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():  # in short waits, so that a Ctrl-C is heard
                    thread.join(_LONGEST_WAIT_SECONDS)
        except BaseException:
            self._stop.set()
            for thread in threads:
                thread.join()
            raise
        if self._error is not None:
            raise self._error
        return self.total

    def _work(self, loop: Loop, each: Callable[[Counts], None] | None) -> None:
        try:
            with loop.heartbeats.running(), self._left(loop):
                while not self._stop.is_set() and not self._over:
                    with self._change:
                        self._busy += 1
                        finished = self._finished
                    counts = Counts()
                    try:
                        counts = loop.turn()
                    finally:
                        with self._change:
                            self._busy -= 1
                            if counts.claimed:
                                self._finished += 1
                                self.total += counts
                                self._change.notify_all()
                    if counts.claimed == 0:
                        self._wait(loop, finished)
                    elif each is not None:
                        each(counts)
        except BaseException as error:  # handed to whoever runs the pool
            self._error = error
            self._stop.set()

    @contextmanager
    def _left(self, loop: Loop) -> Iterator[None]:
        """What the loop has claimed ahead goes back at the end, however it comes; what it settled last is counted."""
        try:
            yield
        finally:
            counts = loop.leave()
            with self._change:
                self.total += counts

    def _wait(self, loop: Loop, finished: int) -> None:
        """Nothing to claim: wait for the others to discover something, or for a row that is backing off."""
        now = self._graph.clock.now_ms()
        due = self._graph.store.ready_cache(self._pipeline).next_due(now)
        if due is not None and (loop.spent or not self._waits()):
            due = None
        with self._change:
            if self._finished != finished:
                return  # a batch was finished since we looked: what it discovered was not there yet
            if loop.held_back:
                self._change.wait(HELD_BACK_SECONDS)
                return
            if self._busy == 0 and due is None and not any(other.holding for other in self._loops):
                self._over = True
                self._change.notify_all()
                return
            seconds = _LONGEST_WAIT_SECONDS if due is None else min(max(due - now, 10) / 1000, _LONGEST_WAIT_SECONDS)
            self._change.wait(seconds)
