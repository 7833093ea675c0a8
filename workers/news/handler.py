"""There is no handler: the processor takes from its queue, and the common loop would pass the queue by."""

from __future__ import annotations

from graphvine.graph import Graph
from graphvine.workers.news.errors import ProcessorOnly
from graphvine.workers.pipeline import Handler

# The scheduler runs the processor instead.
LOOPS = False


def build(graph: Graph) -> Handler:
    """Refused with a word about the command that does it."""
    raise ProcessorOnly(
        "news_article has a processor of its own, which keeps the queue: run 'graphvine news process --until-empty'"
    )
