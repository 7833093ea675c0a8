"""Move a graph to another model while it is in use: fill a second generation of vectors, then switch at once.

What is done so far stands in the graph: killed anywhere, the same command goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from graphvine.clock import NEVER, moment
from graphvine.dispatch import Run
from graphvine.graph import Graph
from graphvine.index_sync import index_folder
from graphvine.ready_cache import spans
from graphvine.records import Step, Unit
from graphvine.search import remove_index
from graphvine.search.row_vectors import RowVectors, index_name
from graphvine.search.server_index import ServerSections
from graphvine.workers import scheduler
from graphvine.workers.counts import Counts
from graphvine.workers.loop import Loop
from graphvine.workers.search.row_jobs import KINDS
from graphvine.workers.search.settings import load as load_search
from graphvine.workers.search.vector_queue import fill_queue
from graphvine.workers.wikipedia.boilerplate import is_boilerplate
from graphvine.workers.wikipedia.embedding_queue import BATCH, QUEUES
from graphvine.workers.wikipedia.models import Model, current_model, models, open_embedder
from graphvine.workers.wikipedia.requests import ModelSwitchRequest
from graphvine.workers.wikipedia.resources import settings_for
from graphvine.workers.wikipedia.search import ArticleSearch
from graphvine.workers.worker_pool import WorkerPool

_ROWS_AT_ONCE = 2_000
# Articles that are written during the switch may bring vectors of the model in use: so often they are swept up.
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class SwitchEvent:
    """How many texts have their new vector, and how many wait for it."""

    done: int
    waiting: int


@dataclass(frozen=True, slots=True)
class SwitchSummary:
    """The model in use afterwards; `switched` is False where the work was stopped before the end."""

    model: str
    embedded: int
    failed: int
    switched: bool


def run_switch(graph: Graph, request: ModelSwitchRequest, run: Run[SwitchEvent]) -> SwitchSummary:
    model = _plan(graph, request)
    current = current_model(graph)
    assert current is not None
    # News whose own vectors, of their processor, take part in searches, get vectors of the next model from the queue.
    with_own = ["news"] if graph.read("news_article.embedded", model=current.name) else []
    total = Counts()
    for number in range(_ROUNDS):
        fill_queue(graph, sorted({*load_search().vector_kinds, *with_own}))
        for queue in QUEUES:
            _sweep(graph, queue, model, again=number > 0)
            total += _work(graph, queue, run, total)
        if run.stop.is_set() or not any(_waiting(graph, queue, model) for queue in QUEUES):
            break
    if model.role == "next":
        if run.stop.is_set() or any(graph.store.paused(queue) is not None for queue in QUEUES):
            return SwitchSummary(current.name, total.done, total.failed, switched=False)
        # The new indexes are made first, so that search goes over to them at once. A server's follow by themselves.
        beside = not ServerSections.serves(graph)
        if beside:
            _index(graph, model)
        graph.run(Unit.of([Step("section.switch_model", {"generation": model.generation})]))
        graph.store.publish("model_switched", model=model.name)
        if beside and not run.in_daemon:  # the daemon's own search has them open until its next question
            old = f"article-{current.generation}" if current.generation else "article"
            for name in (old, *(index_name(kind, current.generation) for kind in KINDS)):
                remove_index(index_folder(graph.engine.where) / name)
    return SwitchSummary(model.name, total.done, total.failed, switched=not run.stop.is_set())


def _index(graph: Graph, model: Model) -> None:
    given = {"name": model.name, "dimension": model.dimension, "generation": model.generation}
    every: list[ArticleSearch | RowVectors] = [
        ArticleSearch(graph, model=model), *(RowVectors(graph, kind, given) for kind in KINDS)
    ]  # fmt: skip
    for made in every:
        try:
            made.catch_up()
        finally:
            made.close()


def _plan(graph: Graph, request: ModelSwitchRequest) -> Model:
    """The model to move to, as the graph knows it: the one in use, one that a switch was begun for, or a new one."""
    settings = settings_for(graph)
    kind = request.embedder or ("light" if settings.embedder == "none" else settings.embedder)
    where = Path(request.model).expanduser()
    location = str(where.absolute()) if where.is_dir() else request.model
    embedder = open_embedder(msgspec.structs.replace(settings, embedder=kind, model=location))
    try:
        name, dimension = embedder.name, embedder.dimension
    finally:
        embedder.close()
    found = models(graph)
    current = current_model(graph)
    pending = next((model for model in found if model.role == "next"), None)
    if pending is not None and pending.name == name:
        return pending
    steps = [] if pending is None else [Step("section.abandon_model", {})]
    if current is not None and current.name == name:
        if steps:
            graph.run(Unit.of(steps))
        return current
    # Beyond every generation there was, and in the column that search does not read.
    generation = max((model.generation for model in found), default=0) + 1
    if current is not None and (generation - current.generation) % 2 == 0:
        generation += 1
    given: dict[str, Any] = {"name": name, "dimension": dimension, "embedder": kind, "location": location}
    at = moment(graph.clock.now_ms())
    steps.append(Step("section.plan_model", {**given, "generation": generation, "at": at}))
    if current is None:  # nothing to answer from meanwhile
        steps.append(Step("section.switch_model", {"generation": generation}))
    graph.run(Unit.of(steps))
    return next(model for model in models(graph) if model.name == name)


def _sweep(graph: Graph, queue: str, model: Model, *, again: bool) -> None:
    """Put everything into the queue that has no vector of this model, references and the like aside."""
    block, after = f"{queue}.renew_{'odd' if model.generation % 2 else 'even'}", 0
    while rows := graph.read(f"{queue}.without_vector", after=after, generation=model.generation, limit=_ROWS_AT_ONCE):
        after = rows[-1]["seq"]
        seqs = [
            row["seq"]
            for row in rows
            if not is_boilerplate((row["path"] or "").split(" / ")) and not (again and row["state"] == "failed")
        ]
        now = graph.clock.now_ms()
        if seqs:
            graph.run(Unit.of([Step(block, {**span, "now": now}) for span in spans(seqs)]))


def _work(graph: Graph, queue: str, run: Run[SwitchEvent], before: Counts) -> Counts:
    def tell(counts: Counts) -> None:
        nonlocal before
        before += counts
        waiting = [one.ready + one.claimed for one in graph.status() if one.pipeline in QUEUES]
        run.publish(SwitchEvent(before.done, sum(waiting)))

    (handler,) = QUEUES[queue](graph, 1)
    try:
        with scheduler.running(graph, [scheduler.reaper(graph)]):
            loop = Loop(graph, queue, handler, batch=BATCH, stop=run.stop)
            return WorkerPool(graph, queue, [loop], run.stop).run(tell)
    finally:
        handler.close()


def _waiting(graph: Graph, queue: str, model: Model) -> int:
    return int(graph.read(f"{queue}.unembedded", generation=model.generation, never=NEVER)[0]["count"])
