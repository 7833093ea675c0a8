"""Which model makes a graph's vectors: the one in use, and the one that a switch brings in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.workers.pipeline import CannotWork
from graphvine.workers.wikipedia.settings import WikipediaSettings


class OtherModel(CannotWork):
    """The graph holds vectors of another model; the two can't be compared."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model as the graph knows it. Vectors of even and of odd generations stand in columns of their own."""

    name: str
    dimension: int
    generation: int
    role: str  # current, next, former
    embedder: str | None = None  # how it is opened; None where 0.1.0 wrote it
    location: str | None = None


def models(graph: Graph) -> list[Model]:
    return [Model(**row) for row in graph.read("section.models")]


def current_model(graph: Graph) -> Model | None:
    """The model whose vectors search uses; None where there are no vectors yet."""
    return next((model for model in models(graph) if model.role == "current"), None)


def wanted_model(graph: Graph) -> Model | None:
    """The model that new vectors are made by: the next one while the graph moves to it, otherwise the one in use."""
    found = models(graph)
    return next((model for role in ("next", "current") for model in found if model.role == role), None)


def open_embedder(settings: WikipediaSettings, model: Model | None = None) -> Any:
    """A model with a cache before it, so that a text is paid for once: this one, or the one that the settings name.

    None where the settings want no vectors and no model is given.
    """
    kind, location = settings.embedder, settings.model
    if model is not None and model.embedder:
        kind, location = model.embedder, model.location or ""  # type: ignore[assignment]  # a kind that was once a setting
    if kind == "none":
        if model is None:
            return None
        kind = "light"
    from graphvine.workers.common.embedding import open_embedder as open_model
    from graphvine.workers.common.embedding.vector_cache import CachedEmbedder

    return CachedEmbedder(open_model(kind, location or None, settings.threads or None))


def settle_model(graph: Graph, settings: WikipediaSettings, embedder: Any) -> Model:
    """The model in use, which must be this one; noted in a graph that has none."""
    known = current_model(graph)
    if known is None:
        given = {"embedder": settings.embedder, "location": settings.model, "at": moment(graph.clock.now_ms())}
        model = {"name": embedder.name, "dimension": embedder.dimension}
        graph.run(Unit.of([Step("article.use_model", {**model, **given})]))
        known = current_model(graph)
        assert known is not None
    check_model(known, embedder)
    return known


def check_model(known: Model, embedder: Any) -> None:
    if (known.name, known.dimension) != (embedder.name, embedder.dimension):
        raise OtherModel(
            f"this graph holds vectors of {known.name} ({known.dimension} numbers), not of {embedder.name}"
            f" ({embedder.dimension}): set wikipedia.model to that model, or run 'graphvine model switch'"
        )


def embedded_text(article: str, path: str, text: str) -> str:
    """What is embedded of a section: its text, behind the names of the sections that it stands in."""
    return " - ".join(filter(None, (article, path))) + "\n" + text


class OpenModel:
    """The model that new vectors are made by: opened when it is needed, and again when the graph wants another."""

    def __init__(self, graph: Graph, settings: WikipediaSettings, open_one: Callable[..., Any] = open_embedder) -> None:
        self._graph, self._settings, self._open = graph, settings, open_one
        self._embedder: Any = None
        self._model: Model | None = None

    def get(self) -> tuple[Any, Model]:
        wanted = wanted_model(self._graph)
        if self._embedder is not None and wanted == self._model and wanted is not None:
            return self._embedder, wanted
        self.close()
        self._embedder = self._open(self._settings, wanted)
        if self._embedder is None:
            raise CannotWork("the setting wikipedia.embedder is none: set it to light, so that sections get vectors")
        if wanted is None:
            wanted = settle_model(self._graph, self._settings, self._embedder)
        check_model(wanted, self._embedder)
        self._model = wanted
        return self._embedder, wanted

    def close(self) -> None:
        if self._embedder is not None:
            self._embedder.close()
            self._embedder = None
