"""Gives texts that wait for it their vectors: the handlers of the pipelines `section` and `vector`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from graphvine.graph import Graph
from graphvine.outcomes import Done, Outcome
from graphvine.ready_cache import spans
from graphvine.records import Claim, Row, Step
from graphvine.vectors import as_stored
from graphvine.workers.pipeline import Context
from graphvine.workers.search.row_jobs import KINDS, read_texts
from graphvine.workers.search.vector_queue import fill_queue
from graphvine.workers.wikipedia.boilerplate import is_boilerplate
from graphvine.workers.wikipedia.models import OpenModel, embedded_text
from graphvine.workers.wikipedia.settings import load

# Claimed and written together; and embedded together, between two looks at whether to stop.
BATCH, _TEXTS_AT_ONCE = 256, 64
# More than any model reads of a text; the rest need not be split into words.
MAX_CHARACTERS = 10_000


class EmbeddingHandler:
    """Gives the rows of one queue their vectors."""

    batch_size = BATCH
    pipeline = ""

    def __init__(self, graph: Graph, model: OpenModel, lock: threading.Lock) -> None:
        """Handlers of one process share a model, which one of them opens at a time."""
        self._graph, self._model, self._lock = graph, model, lock

    def texts(self, rows: Sequence[Row]) -> dict[int, str]:
        """What is embedded of each of these rows, by its number; '' for what gets no vector."""
        raise NotImplementedError

    def handle(self, claims: Sequence[Claim], context: Context) -> Iterator[Outcome]:
        groups = spans([claim.seq for claim in claims])
        found = self.texts([row for span in groups for row in self._graph.read(f"{self.pipeline}.texts", **span)])
        to_embed: list[tuple[Claim, str]] = []
        for claim in claims:
            text = found.get(claim.seq)
            if text is None:
                context.lose([claim])  # its text was written again: it has another number now
            elif not text:
                yield Done(claim, ending="leave_plain")
            else:
                to_embed.append((claim, text))
        if not to_embed:
            return
        with self._lock:
            embedder, model = self._model.get()
        block = f"{self.pipeline}.embed_{'odd' if model.generation % 2 else 'even'}"
        for start in range(0, len(to_embed), _TEXTS_AT_ONCE):
            some = to_embed[start : start + _TEXTS_AT_ONCE]
            if context.stopping:
                return
            vectors = as_stored(embedder.embed([text for _, text in some]))
            for (claim, _), vector in zip(some, vectors, strict=True):
                row = {"claim": claim.seq, "embedding": vector, "seq": 0}
                given = {"rows": [row], "lo": claim.seq, "hi": claim.seq, "generation": model.generation}
                yield Done(claim, [Step(block, given)])

    def close(self) -> None:
        with self._lock:
            self._model.close()


class SectionHandler(EmbeddingHandler):
    """Sections, with the names of those that they stand in; references and the like get no vector."""

    pipeline = "section"

    def texts(self, rows: Sequence[Row]) -> dict[int, str]:
        return {
            row["seq"]: ""
            if row["gone"] or not row["text"] or is_boilerplate((row["path"] or "").split(" / "))
            else embedded_text(row["article"], row["path"], row["text"])
            for row in rows
        }


class TextHandler(EmbeddingHandler):
    """Items, news and pages: title and text, of which the model reads the beginning."""

    pipeline = "vector"

    def texts(self, rows: Sequence[Row]) -> dict[int, str]:
        found = dict.fromkeys([row["seq"] for row in rows], "")
        for kind in KINDS:
            seqs = {row["row"]: row["seq"] for row in rows if row["kind"] == kind}
            for key, text in read_texts(self._graph, kind, seqs).items():
                found[seqs[key]] = text.strip()[:MAX_CHARACTERS]
        return found


def build_sections(graph: Graph, count: int) -> list[SectionHandler]:
    model, lock = OpenModel(graph, load()), threading.Lock()
    return [SectionHandler(graph, model, lock) for _ in range(count)]


def build_texts(graph: Graph, count: int) -> list[TextHandler]:
    """Handlers of the queue `vector`, into which goes first what came since the last time."""
    fill_queue(graph)
    model, lock = OpenModel(graph, load()), threading.Lock()
    return [TextHandler(graph, model, lock) for _ in range(count)]


QUEUES: dict[str, Callable[[Graph, int], Sequence[EmbeddingHandler]]] = {
    "section": build_sections, "vector": build_texts,
}  # fmt: skip
