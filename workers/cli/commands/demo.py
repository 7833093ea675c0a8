"""graphvine demo"""

from __future__ import annotations

from pathlib import Path

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.options import common

app = new_app()
PLACE = "demo.kuzu"
SEED, DEPTH, QUESTION = "Vine", 3, "how do vines climb"
_HITS = 5


@app.command()
def demo(context: typer.Context) -> None:
    """Grow the sample wiki offline, and search it.

    Starts from one article on vines and follows its links: some 80 pages on climbing plants and gardens come with the
    package. The graph is demo.kuzu in the current folder unless --graph says otherwise; a second run goes on with it.

        graphvine demo
        graphvine --graph demo.kuzu search "plants that strangle trees"

    In Python: graph.grow(["Vine"], source="sample", depth=3), then graph.search("how do vines climb")
    """
    from graphvine.workers.cli.output import show
    from graphvine.workers.cli.run_worker import described, signals
    from graphvine.workers.cli.status_output import status_table
    from graphvine.workers.wikipedia.commands import show_hits
    from graphvine.workers.wikipedia.output import progress

    options = common(context)
    options.graph = where = options.graph or PLACE
    known = Path(where).exists()
    with opened(context, create=True) as graph:
        print(f"{where} is there: going on with it" if known else f"{where}: growing from {SEED!r}, {DEPTH} links deep")
        with signals(graph) as ended, progress(graph, DEPTH) as tell:
            summary = graph.grow([SEED], source="sample", depth=DEPTH, on_event=tell, stop=ended.stop)
        print(f"{described(summary.counts)} in {summary.seconds:.1f} s")
        if ended.by is not None:
            raise typer.Exit(130)
        show(status_table([one for one in graph.status() if one.total]))
        print(f"\nsearching for {QUESTION!r}:\n")
        show_hits(graph.search(QUESTION, limit=_HITS))
    tries = (
        f"search {'plants that strangle trees'!r}", f"map -o {Path(where).stem}.svg --around {SEED}", "failed",
        "console -c \"MATCH (a)-[:LINKS_TO]->(b) RETURN b.title, count(*) AS links ORDER BY links DESC LIMIT 5\"",
    )  # fmt: skip
    print("\nLook around:")
    for command in tries:
        print(f"  graphvine --graph {where} {command}")
