"""There is no handler: one manager owns all pages of a batch, and the common loop would run beside it."""

from __future__ import annotations

from graphvine.graph import Graph
from graphvine.workers.pipeline import Handler
from graphvine.workers.scrape.errors import ManagerOnly

# The service starts managers for batches instead.
LOOPS = False


def build(graph: Graph) -> Handler:
    """Refused with a word about the command that does it."""
    raise ManagerOnly(
        "scrape_item has a manager of its own, which keeps the limit on scrapes: run 'graphvine scrape --batch NAME'"
    )
