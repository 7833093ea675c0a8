"""Opens what the pipeline works with: a source by name, a parser for it, a model for its texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphvine import __version__
from graphvine.clock import moment
from graphvine.errors import GraphvineError, SettingsError
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.workers.wikipedia.settings import WikipediaSettings
from graphvine.workers.wikipedia.sources import Source


class OtherModel(GraphvineError):
    """The graph holds vectors of another model; the two can't be compared."""


def open_source(settings: WikipediaSettings, progress: Callable[[int, int], None] | None = None) -> Source:
    """The source that the settings name: the API of a wiki, the sample, or a dump."""
    if settings.source == "sample":
        from graphvine.workers.wikipedia.dump import SampleSource

        return SampleSource()
    if settings.source == "wiki":
        from graphvine.workers.wikipedia.api import MediaWikiSource
        from graphvine.workers.wikipedia.api_connection import CallLimits

        return MediaWikiSource(
            settings.api_url,
            contact=settings.contact,
            version=__version__,
            maxlag_seconds=settings.maxlag_seconds,
            with_links=settings.links == "all",
            limits=CallLimits(read_seconds=settings.read_timeout_seconds, call_seconds=settings.call_timeout_seconds),
        )
    path = Path(settings.source).expanduser()
    if not path.is_file():
        raise SettingsError(f"the source {settings.source!r} is neither wiki, nor sample, nor a dump that is there")
    from graphvine.workers.wikipedia.dump import DumpSource

    folder = Path(settings.dump_index_folder).expanduser() if settings.dump_index_folder else None
    return DumpSource(path, index_folder=folder, progress=progress)


def open_embedder(settings: WikipediaSettings) -> Any:
    """The model with a cache before it, so that a text is paid for once; None where the settings want no vectors."""
    if settings.embedder == "none":
        return None
    from graphvine.workers.common.embedding import open_embedder as open_model
    from graphvine.workers.common.embedding.vector_cache import CachedEmbedder

    return CachedEmbedder(open_model(settings.embedder, settings.model or None, settings.threads or None))


def settle_model(graph: Graph, name: str, dimension: int) -> None:
    """Note the model in a graph that has none; refuse another than the one it has."""
    known = graph.read("article.models")
    for model in known:
        if (model["name"], model["dimension"]) != (name, dimension):
            raise OtherModel(
                f"this graph holds vectors of {model['name']} ({model['dimension']} numbers),"
                f" not of {name} ({dimension}):"
                " use that model, or grow a new graph with this one"
            )
    if not known:
        given = {"name": name, "dimension": dimension, "at": moment(graph.clock.now_ms())}
        graph.run(Unit.of([Step("article.use_model", given)]))
