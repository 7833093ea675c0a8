"""graphvine demo"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
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
    from graphvine.workers.cli.output import plain, printable, show, show_json
    from graphvine.workers.cli.run_worker import described, signals
    from graphvine.workers.cli.status_output import status_view
    from graphvine.workers.search.commands import show_hits
    from graphvine.workers.wikipedia.output import growth_bar

    options = common(context)
    options.graph = where = options.graph or PLACE
    known = Path(where).exists()
    with opened(context, create=True) as graph:
        if not options.json:
            print(f"{where} exists: continuing" if known else f"{where}: growing from {SEED!r}, {DEPTH} links deep")
        with signals(graph) as ended, growth_bar(graph, DEPTH) as bar:
            summary = graph.grow([SEED], source="sample", depth=DEPTH, on_event=bar, stop=ended.stop)
        if ended.by is not None:
            raise typer.Exit(130)
        status, hits = graph.status(), graph.search(QUESTION, limit=_HITS)
    if options.json:
        show_json({"graph": where, "grown": summary, "pipelines": status, "hits": plain(hits)})
        return
    print(f"{described(summary.counts)} in {summary.seconds:.1f} s")
    show(status_view(where, status))
    print(f"\nsearching for {QUESTION!r}:\n")
    show_hits(hits)
    tries = (
        "search 'plants that strangle trees'", f"map -o {shlex.quote(Path(where).stem + '.svg')} --around {SEED}",
        "failed --skipped", "stats", "serve",
        'console -c "MATCH (a)-[:LINKS_TO]->(b) RETURN b.title, count(*) AS links ORDER BY links DESC LIMIT 5"',
    )  # fmt: skip
    command = _command()
    print("\nLook around:")
    for one in tries:
        print(printable(f"  {command} --graph {shlex.quote(where)} {one}"))


def _command() -> str:
    """How the reader can call this program again: by its name where the shell finds it, otherwise by its path."""
    here = Path(sys.argv[0])
    found = shutil.which("graphvine")
    same = found is not None and here.exists() and Path(found).resolve() == here.resolve()
    return "graphvine" if same or here.name != "graphvine" else shlex.quote(os.path.relpath(here))
