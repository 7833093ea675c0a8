"""Grow the graph from seed titles: the main job, in one call that can be killed and called again."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graphvine.clock import NEVER
from graphvine.dispatch import Run
from graphvine.errors import GraphvineError, StoreFull
from graphvine.graph import Graph
from graphvine.ready_cache import spans
from graphvine.reaper import process_is_gone
from graphvine.records import Row, Step, Unit
from graphvine.workers import scheduler
from graphvine.workers.counts import Allowance, Counts
from graphvine.workers.loop import Loop
from graphvine.workers.wikipedia.documents import Documents
from graphvine.workers.wikipedia.dump import DumpSource
from graphvine.workers.wikipedia.handler import ArticleHandler, Resources
from graphvine.workers.wikipedia.requests import GrowRequest
from graphvine.workers.wikipedia.resources import remember_source, settings_for
from graphvine.workers.wikipedia.site import CATEGORY
from graphvine.workers.wikipedia.sources import Failed, Source, read_title
from graphvine.workers.wikipedia.titles import Title
from graphvine.workers.worker_pool import WorkerPool

_ROWS_AT_ONCE = 20_000
_LOOK_SECONDS = 0.2
_HINTS = 20


class BadSeed(GraphvineError):
    """A title to start from that no article can come of."""


def lower(graph: Graph, keys: list[str], depth: int) -> int:
    """These lie at this depth at most. Returns how many lay deeper."""
    rows = [{"key": key, "depth": depth} for key in keys]
    return _lower(graph, rows) if rows else 0


def pass_on(graph: Graph) -> int:
    """Let no article lie deeper than one step behind those that link to it. Returns how many were moved.

    Safe to be killed anywhere: each step is right by itself, and the next run goes on.
    """
    moved = 0
    while True:
        rows = [
            *graph.read("article.too_deep", limit=_ROWS_AT_ONCE),
            *graph.read("article.redirects_too_deep", limit=_ROWS_AT_ONCE),
        ]
        if not rows:
            return moved
        nearest: dict[str, int] = {}
        for row in rows:
            nearest[row["key"]] = min(row["depth"], nearest.get(row["key"], row["depth"]))
        step = _lower(graph, [{"key": key, "depth": depth} for key, depth in nearest.items()])
        if not step:
            return moved
        moved += step


def _lower(graph: Graph, rows: list[dict[str, object]]) -> int:
    result = graph.run(Unit.of([Step("article.lower_depth", {"rows": rows})]))
    lowered = len(result.rows[0])
    if lowered:
        graph.store.ready_cache("article").invalidate()
    return lowered


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
class FailedSeed:
    """A title that was asked for and gave no article; `like` are titles that may have been meant."""

    title: str
    reason: str
    like: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class GrowSummary:
    """What growing did, and how many articles are in each state now."""

    seeds: int
    counts: Counts
    seconds: float
    stopped: bool
    states: dict[str, int] = field(default_factory=dict)
    failed_seeds: list[FailedSeed] = field(default_factory=list)
    cut: str = ""  # where the source ends before its end
    behind_cut: int = 0  # articles that wait for a source that is whole
    skipped: list[str] = field(default_factory=list)  # what the source holds and nobody can read, the first of it


def seed_titles(graph: Graph, titles: Sequence[str]) -> int:
    return graph.seed("article", titles)


def run_grow(graph: Graph, request: GrowRequest, run: Run[GrowEvent]) -> GrowSummary:
    """Grow; in the daemon also wait for what its workers, and those of other processes, have in hand of it."""
    summary = _grow(graph, request, run)
    while run.in_daemon and not summary.cut and request.limit is None and not run.stop.is_set():
        if graph.store.paused("article") is not None:
            break
        reach = _reach(graph, request.depth)
        if reach["waiting"]:
            more = _grow(graph, request.replace(titles=()), run)
            summary = replace(summary, counts=summary.counts + more.counts, seconds=summary.seconds + more.seconds)
        elif reach["claimed"]:
            run.stop.wait(_LOOK_SECONDS)
        else:
            break
    states = {row["state"]: row["count"] for row in graph.read("article.counts")}
    return replace(summary, states=states, stopped=run.stop.is_set())


def _grow(graph: Graph, request: GrowRequest, run: Run[GrowEvent]) -> GrowSummary:
    """`depth` limits what is worked on, not which links are recorded. Called again after a kill, it goes on."""
    started, stop, depth = time.monotonic(), run.stop, request.depth
    settings = settings_for(
        graph, request.settings, source=request.source, workers=request.workers, embed=request.embed,
        other_source=request.other_source,
    )  # fmt: skip
    resources = Resources(graph, settings, request.opened)
    try:
        seeds = find_seeds(resources.source, request.titles)
        if request.opened is None:
            remember_source(
                graph, settings, resources.source, embed=request.embed, other_source=request.other_source
            )  # fmt: skip
        new = graph.seed("article", seeds)
        lower(graph, seeds, 0)
        if request.all:
            new += _seed_all(graph, resources.source, stop)
        _take_up_loaded(graph, set(seeds))
        pass_on(graph)
        allowance = None if request.limit is None else Allowance(request.limit)
        total = Counts()

        def emit(name: str, counts: Counts, reason: str = "") -> None:
            if name != "article" or not run.in_daemon:  # too many to send
                run.publish(GrowEvent(name, counts, total, time.monotonic() - started, reason), name)

        def batch(counts: Counts) -> None:
            nonlocal total
            total += counts
            emit("batch", counts)

        def note(name: str, reason: str) -> None:
            emit(name, Counts(), reason)

        def within_reach() -> bool:
            waiting = _reach(graph, depth)["waiting"] or 0
            return bool(waiting > len(resources.behind_cut))

        emit("started", Counts())
        with scheduler.running(graph, [scheduler.reaper(graph)]):
            while True:
                loops = [
                    Loop(
                        graph, "article", ArticleHandler(graph, resources, request.category_filter, note),
                        batch=settings.batch_size, stop=stop, max_depth=depth, allowance=allowance,
                        gather_seconds=_GATHER_SECONDS,
                    )
                    for _ in range(request.workers or settings.workers)
                ]  # fmt: skip
                WorkerPool(graph, "article", loops, stop, within_reach).run(batch)
                if not stop.is_set() and (full := graph.store.shortage()) is not None and within_reach():
                    raise StoreFull(full)
                # What was worked on side by side may have found a shorter way late: then there may be more to do.
                if stop.is_set() or not pass_on(graph):
                    break
        emit("finished", Counts())
        failed, cut = _failed_seeds(graph, resources.source, seeds), resources.source.cut
    finally:
        _due_again(graph, resources.behind_cut)
        resources.close()
    seconds = time.monotonic() - started
    return GrowSummary(
        new,
        total,
        seconds,
        stop.is_set(),
        failed_seeds=failed,
        cut=cut,
        behind_cut=len(resources.behind_cut),
        skipped=list(getattr(resources.source, "skipped", ())),
    )


def _reach(graph: Graph, depth: int) -> Row:
    """What waits and what is worked on within this depth."""
    return graph.read("article.reach", depth=depth, now=graph.clock.now_ms(), never=NEVER)[0]


def _take_up_loaded(graph: Graph, seeds: set[str]) -> None:
    """Articles that somebody loaded without discovering their links: ours if we were asked for them, or he is gone."""
    now = graph.clock.now_ms()
    left = graph.read("article.left_loaded", now=now, never=NEVER, limit=_ROWS_AT_ONCE)
    seqs = [row["seq"] for row in left if row["key"] in seeds or process_is_gone(row["claimed_by"])]
    if seqs:
        graph.run(Unit.of([Step("article.resume_now", {**span, "now": now}) for span in spans(seqs)]))


def find_seeds(source: Source, titles: Sequence[str]) -> list[str]:
    """The titles as the source spells them, each once; for a category, the articles in it."""
    rules, seeds = source.rules(), dict[str, None]()
    for asked in titles:
        title = read_title(asked, rules)
        if isinstance(source, Documents) and isinstance(title, Title):
            seeds[source.find(title.full) or title.full] = None
            continue
        if isinstance(title, Failed):
            raise BadSeed(f"{asked!r} can't be a seed: {title.reason}")
        members = source.members(title.full) if title.namespace == CATEGORY else [title.full]
        if not members:
            raise BadSeed(f"{source.name} has no article in {title.full!r}" + (f": {source.cut}" if source.cut else ""))
        seeds |= dict.fromkeys(members)
    return list(seeds)


def _seed_all(graph: Graph, source: Source, stop: threading.Event) -> int:
    """Every title of a source becomes a seed. Killed in the middle, the same call goes on."""
    if not isinstance(source, DumpSource | Documents):
        raise BadSeed(f"{source.name} can't be grown whole: --all needs a dump, a folder or a file of JSON lines")
    new, after = 0, ""
    while not stop.is_set() and (titles := source.titles("", _ROWS_AT_ONCE, after=after)):
        after = titles[-1]
        new += graph.seed("article", titles)
        lower(graph, titles, 0)
    return new


def _failed_seeds(graph: Graph, source: Source, seeds: list[str]) -> list[FailedSeed]:
    found = []
    for start in range(0, len(seeds), _ROWS_AT_ONCE):
        keys = seeds[start : start + _ROWS_AT_ONCE]
        rows = [*graph.read("article.failed_named", keys=keys), *graph.read("article.skipped_named", keys=keys)]
        found += [(row["key"], row["reason"] or "") for row in rows]
    # To look for what was meant takes a while: for the few that a person typed.
    hints = {title: source.like(title) for title, _ in found[:_HINTS]}
    return [FailedSeed(title, reason, hints.get(title, [])) for title, reason in found]


def _due_again(graph: Graph, seqs: set[int]) -> None:
    """What was put off need not wait once the work has ended: the next run may have a better source."""
    now = graph.clock.now_ms()
    for start in range(0, len(seqs), _ROWS_AT_ONCE):
        some = sorted(seqs)[start : start + _ROWS_AT_ONCE]
        steps = [Step("article.due_again", {**span, "now": now, "never": NEVER}) for span in spans(some)]
        graph.run(Unit.of(steps))
