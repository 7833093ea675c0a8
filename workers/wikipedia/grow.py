"""Grow the graph from seed titles: the main job, in one call that can be killed and called again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from graphvine.clock import NEVER
from graphvine.graph import Graph
from graphvine.workers import scheduler
from graphvine.workers.crew import Crew
from graphvine.workers.loop import Allowance, Counts, Loop
from graphvine.workers.wikipedia.depths import lower, pass_on
from graphvine.workers.wikipedia.handler import ArticleHandler, Workshop
from graphvine.workers.wikipedia.settings import WikipediaSettings, load
from graphvine.workers.wikipedia.sources import Source
from graphvine.workers.wikipedia.titles import normalise_title

# A batch is written when all of it is ready; only a source that crawls makes it wait this long.
_GATHER_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class GrowEvent:
    """An article is ready, a batch was written, the source is away for a while, or the job began or ended."""

    name: str  # started, article, batch, away, finished
    counts: Counts
    total: Counts
    seconds: float
    reason: str = ""  # why the source is away, and for how long it is left alone


@dataclass(frozen=True, slots=True)
class GrowSummary:
    seeds: int
    counts: Counts
    seconds: float
    stopped: bool
    states: dict[str, int] = field(default_factory=dict)


def grow(
    graph: Graph,
    titles: Sequence[str] = (),
    *,
    depth: int = 2,
    limit: int | None = None,
    source: str | Source | None = None,
    workers: int | None = None,
    category_filter: str = "",
    settings: WikipediaSettings | None = None,
    on_event: Callable[[GrowEvent], None] | None = None,
    stop: threading.Event | None = None,
) -> GrowSummary:
    """Expand from these titles, and from whatever waits in the graph, up to `depth` links away from a seed.

    `depth` limits what is worked on, not which links are recorded. Called again after a kill, it goes on.
    """
    started = time.monotonic()
    settings = settings or load(source=source if isinstance(source, str) else None, workers=workers)
    stop = stop or threading.Event()
    shop = Workshop(graph, settings, source if not isinstance(source, str) else None)
    try:
        rules = shop.source.rules()
        seeds = list(dict.fromkeys(normalise_title(title, rules) for title in titles))
        new = graph.seed("article", seeds)
        lower(graph, seeds, 0)
        pass_on(graph)
        allowance = None if limit is None else Allowance(limit)
        total = Counts()

        def tell(name: str, counts: Counts, reason: str = "") -> None:
            if on_event is not None:
                on_event(GrowEvent(name, counts, total, time.monotonic() - started, reason))

        def batch(counts: Counts) -> None:
            nonlocal total
            total += counts
            tell("batch", counts)

        def note(name: str, reason: str) -> None:
            tell(name, Counts(), reason)

        def within_reach() -> bool:
            return bool(graph.read("article.reach", depth=depth, never=NEVER)[0]["waiting"])

        tell("started", Counts())
        with scheduler.running(graph, [scheduler.reaper(graph)]):
            while True:
                loops = [
                    Loop(
                        graph, "article", ArticleHandler(graph, shop, category_filter, note), batch=settings.batch_size,
                        stop=stop, max_depth=depth, allowance=allowance, gather_seconds=_GATHER_SECONDS,
                    )
                    for _ in range(workers or settings.workers)
                ]  # fmt: skip
                Crew(graph, "article", loops, stop, within_reach).run(batch)
                # What was worked on side by side may have found a shorter way late: then there may be more to do.
                if stop.is_set() or not pass_on(graph):
                    break
        tell("finished", Counts())
    finally:
        shop.close()
    states = {row["state"]: row["count"] for row in graph.read("article.counts")}
    return GrowSummary(new, total, time.monotonic() - started, stop.is_set(), states)


def grow_events(graph: Graph, titles: Sequence[str] = (), **options: object) -> Iterator[GrowEvent]:
    """The same, as an iterator of events; leaving it early stops the work cleanly."""
    if graph.door.served is not None:
        from graphvine.workers.wikipedia.submitting import grow as run
    else:
        run = grow
    stop = threading.Event()
    events: SimpleQueue[GrowEvent] = SimpleQueue()
    errors: list[BaseException] = []

    def work() -> None:
        try:
            run(graph, titles, on_event=events.put, stop=stop, **options)  # type: ignore[arg-type]
        except BaseException as error:  # raised again where the events are read
            errors.append(error)

    thread = threading.Thread(target=work, name="graphvine-grow")
    thread.start()
    try:
        while thread.is_alive() or not events.empty():
            try:
                yield events.get(timeout=0.2)
            except Empty:
                continue
    finally:
        stop.set()
        thread.join()
    if errors:
        raise errors[0]
