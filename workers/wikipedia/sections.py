"""Gives waiting sections their vectors: the handler of the pipeline `section`."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from graphvine.graph import Graph
from graphvine.outcomes import Done, Outcome
from graphvine.ready_cache import spans
from graphvine.records import Claim, Row, Step
from graphvine.workers.pipeline import Context
from graphvine.workers.wikipedia.boilerplate import is_boilerplate
from graphvine.workers.wikipedia.models import OpenModel, embedded_text
from graphvine.workers.wikipedia.settings import load

# Claimed and written together; and embedded together, between two looks at whether to stop.
BATCH, _TEXTS_AT_ONCE = 256, 64


class SectionHandler:
    batch_size = BATCH

    def __init__(self, graph: Graph, model: OpenModel, lock: threading.Lock) -> None:
        """Handlers of one process share a model, which one of them opens at a time."""
        self._graph, self._model, self._lock = graph, model, lock

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        found: dict[int, Row] = {
            row["seq"]: row
            for span in spans([claim.seq for claim in claims])
            for row in self._graph.read("section.texts", **span)
        }
        to_embed: list[tuple[Claim, str]] = []
        for claim in claims:
            row = found.get(claim.seq)
            if row is None:
                context.lose([claim])  # its article was written again: it has another number now
            elif row["gone"] or not row["text"] or is_boilerplate((row["path"] or "").split(" / ")):
                yield Done(claim, ending="leave_plain")
            else:
                to_embed.append((claim, embedded_text(row["article"], row["path"], row["text"])))
        if not to_embed:
            return
        with self._lock:
            embedder, model = self._model.get()
        block = f"section.embed_{'odd' if model.generation % 2 else 'even'}"
        for start in range(0, len(to_embed), _TEXTS_AT_ONCE):
            some = to_embed[start : start + _TEXTS_AT_ONCE]
            if context.stopping:
                return
            vectors = embedder.embed([text for _, text in some]).tolist()
            for (claim, _), vector in zip(some, vectors, strict=True):
                row = {"claim": claim.seq, "embedding": vector, "seq": 0}
                given = {"rows": [row], "lo": claim.seq, "hi": claim.seq, "generation": model.generation}
                yield Done(claim, [Step(block, given)])

    def close(self) -> None:
        with self._lock:
            self._model.close()


def build_several(graph: Graph, count: int) -> list[SectionHandler]:
    model, lock = OpenModel(graph, load()), threading.Lock()
    return [SectionHandler(graph, model, lock) for _ in range(count)]
