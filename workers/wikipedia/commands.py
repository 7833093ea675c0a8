"""The commands of this pipeline: grow, refresh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.opening import opened

if TYPE_CHECKING:
    from graphvine.workers.wikipedia.grow import GrowSummary

app = new_app()
_SOURCE = "wiki, sample, or the path of a MediaWiki XML dump (.xml, .gz, .bz2). Otherwise the setting says."


@app.command()
def grow(
    context: typer.Context,
    titles: Annotated[list[str] | None, typer.Argument(metavar="TITLE", help="Where to start from.")] = None,
    depth: Annotated[int, typer.Option("--depth", min=0, help="Links away from a seed that are worked on.")] = 2,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Articles to work on at most.")] = None,
    source: Annotated[str | None, typer.Option("--source", metavar="SOURCE", help=_SOURCE)] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, max=32, help="Workers side by side.")] = None,
    category_filter: Annotated[
        str, typer.Option("--category-filter", metavar="TEXT", help="Follow links only of articles in such a category.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Grow the graph from these titles: fetch, parse, embed, link.

    Ctrl-C stops it cleanly; the same command goes on where it was, after a kill too. Without titles it works on what
    waits in the graph. All links are recorded; --depth says how far they are followed.

        graphvine grow "Vine" --source sample --depth 3
        graphvine grow "Graph theory" --depth 1 --limit 500

    In Python: graph.grow(["Vine"], source="sample", depth=3)
    """
    from graphvine.workers.cli.output import show_json
    from graphvine.workers.cli.working import signals
    from graphvine.workers.wikipedia.growing import progress

    with opened(context, create=True) as graph, signals() as ended, progress(graph, depth) as tell:
        summary = graph.grow(
            titles or (), depth=depth, limit=limit, source=source, workers=workers, category_filter=category_filter,
            on_event=tell, stop=ended.stop,
        )  # fmt: skip
    if as_json:
        show_json(summary)
    else:
        _tell(summary)
    if ended.by is not None:
        raise typer.Exit(130)


@app.command()
def refresh(
    context: typer.Context,
    source: Annotated[str | None, typer.Option("--source", metavar="SOURCE", help=_SOURCE)] = None,
) -> None:
    """Put articles back into the queue whose page was revised since.

    Compares the revision of each processed article with the source's; 'graphvine grow' then expands what changed.

        graphvine refresh && graphvine grow

    In Python: graph.refresh()
    """
    from graphvine.workers.cli.progress import activity

    with opened(context) as graph, activity("comparing revisions") as told:
        summary = graph.refresh(
            source=source, progress=None if told is None else lambda checked: told(f"{checked:,} checked")
        )
    print(f"{summary.checked:,} articles checked, {summary.changed:,} back in the queue")


def _tell(summary: GrowSummary) -> None:
    from graphvine.workers.cli.working import described

    states = ", ".join(f"{count:,} {state}" for state, count in sorted(summary.states.items()))
    print(f"{described(summary.counts)} in {summary.seconds:.1f} s" + (" (stopped)" if summary.stopped else ""))
    print(f"the graph now: {states}")
    if summary.states.get("failed"):
        print("'graphvine failed article' says why some failed")
