"""graphvine demo"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.opening import opened
from graphvine.workers.cli.options import common
from graphvine.workers.cli.output import show

if TYPE_CHECKING:
    from graphvine.outcomes import Outcome
    from graphvine.records import Claim, Step

app = new_app()
PLACE = "demo.kuzu"
# A wiki in miniature: each page and what it links to. "Bunch" has no page.
PAGES = {
    "Vine": ("Grape", "Ivy", "Tendril", "Trellis"),
    "Grape": ("Vine", "Wine", "Raisin", "Bunch"),
    "Ivy": ("Vine", "Wall", "Leaf"),
    "Tendril": ("Vine", "Leaf", "Stem"),
    "Trellis": ("Garden", "Wall"),
    "Wine": ("Grape", "Barrel"),
    "Raisin": ("Grape",),
    "Wall": ("Garden",),
    "Leaf": ("Stem",),
    "Stem": ("Leaf",),
    "Garden": ("Trellis", "Wall"),
    "Barrel": ("Wine",),
}
# This page fails at the first attempt, as a busy site would, and is tried again.
BUSY = "Raisin"


@app.command()
def demo(context: typer.Context) -> None:
    """Grow a small graph offline, to look around in.

    Seeds one article of a wiki in miniature, follows its links by the real machinery, and shows where everything
    stands. One page fails once and is tried again, one is missing. The graph is demo.kuzu in the current folder unless
    --graph says otherwise; a second run goes on with it.

        graphvine demo
        graphvine --graph demo.kuzu console -c "MATCH (a)-[:LINKS_TO]->(b) RETURN a.title, b.title"

    In Python: graph.seed("article", ["Vine"]), then graphvine.workers.loop.Loop(graph, "article", handler).run()
    """
    import msgspec

    from graphvine.settings import load
    from graphvine.workers.cli.status_table import status_table
    from graphvine.workers.cli.working import described
    from graphvine.workers.loop import Loop

    options = common(context)
    options.graph = where = options.graph or PLACE
    known = Path(where).exists()
    # A short pause before the second attempt: somebody is watching.
    settings = msgspec.structs.replace(load(), backoff_seconds=0.1)
    with opened(context, create=True, settings=settings) as graph:
        new = graph.seed("article", ["Vine"])
        print(f"{where} is there: going on with it" if known and not new else f"{where}: seeded with Vine")
        counts = Loop(graph, "article", Miniature(), batch=4).run(until_empty=True)
        print(f"worked: {described(counts)}")
        show(status_table(graph.status()))
    print(f"Look around:\n  graphvine --graph {where} failed\n  graphvine --graph {where} console")


class Miniature:
    """The handler: an article's links become articles, one deeper."""

    def handle(self, claims: Sequence[Claim], context: Any) -> Iterator[Outcome]:
        from graphvine.outcomes import Done, GiveUp, Retry

        for claim in claims:
            if claim.key not in PAGES:
                yield GiveUp(claim, f"the miniature wiki has no page {claim.key!r}")
            elif claim.key == BUSY and claim.retry_count == 0:
                yield Retry(claim, "the miniature wiki is busy")
            else:
                yield Done(claim, _links(claim, PAGES[claim.key]))

    def close(self) -> None:
        """Holds nothing."""


def _links(claim: Claim, titles: Sequence[str]) -> list[Step]:
    from graphvine.clock import SystemClock
    from graphvine.records import Step

    found = [{"claim": claim.seq, "title": title, "depth": claim.depth + 1, "seq": 0} for title in titles]
    edges = [{"claim": claim.seq, "source": claim.key, "target": title} for title in titles]
    return [
        Step("article.discover", {"rows": found, "now": SystemClock().now_ms()}),
        Step("article.link", {"rows": edges}),
    ]
