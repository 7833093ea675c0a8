"""The commands of this pipeline: grow, refresh, search, reindex, map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.opening import opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphvine.workers.wikipedia.grow import GrowSummary
    from graphvine.workers.wikipedia.searching import SearchHit

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

    with opened(context, create=True, door=True) as graph, signals() as ended, progress(graph, depth) as tell:
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


@app.command()
def search(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for: words, or a question.")],
    mode: Annotated[
        str, typer.Option("--mode", metavar="hybrid|vector|text", help="By words and meaning, by meaning, or by words.")
    ] = "hybrid",
    near: Annotated[
        str | None, typer.Option("--near", metavar="TITLE", help="Prefer what lies few links from this article.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=100, help="How many sections to show.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print the hits as JSON.")] = False,
) -> None:
    """Find sections of articles by words and by meaning.

    What was grown before the search is found by it. The index beside the graph is a cache: 'graphvine reindex' makes it
    anew.

        graphvine search "how do vines climb"
        graphvine search trellis --mode text --near "Garden" --json

    In Python: graph.search("how do vines climb", mode="hybrid", near=None, limit=10)
    """
    from graphvine.workers.cli.output import show_json

    if mode not in ("hybrid", "vector", "text"):
        context.fail(f"--mode is hybrid, vector or text, not {mode!r}")
    with opened(context) as graph:
        hits = graph.search(text, mode=mode, near=near, limit=limit)
    if as_json:
        show_json(hits)
        return
    show_hits(hits)


@app.command()
def reindex(context: typer.Context) -> None:
    """Make the search index anew from the graph.

    The graph is the truth, the index a cache beside it; nothing is lost by deleting it.

        graphvine reindex

    In Python: graph.reindex()
    """
    from graphvine.workers.cli.progress import activity
    from graphvine.workers.cli.text import plural

    with opened(context) as graph, activity("indexing") as told:
        count = graph.reindex(None if told is None else lambda done: told(f"{done:,} rows"))
    print(f"{plural(count, 'row')} indexed")


@app.command(name="map")
def draw_map(
    context: typer.Context,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The SVG file to write; - prints it.")],
    around: Annotated[
        str | None, typer.Option("--around", metavar="TITLE", help="The article in the middle; otherwise the seeds.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=2, max=500, help="How many articles to draw.")] = 60,
) -> None:
    """Draw the neighbourhood that grew, as SVG.

    Colours tell the depth; what waits is hollow, what failed is dashed. A browser shows it in light or dark, and a
    name that found no room when the mouse is over its circle.

        graphvine map -o graph.svg
        graphvine map -o vine.svg --around Vine --limit 40

    In Python: graph.map(around="Vine", limit=40).svg
    """
    from graphvine.workers.cli.text import plural

    with opened(context) as graph:
        picture = graph.map(around=around, limit=limit)
    if output == "-":
        print(picture.svg, end="")
        return
    from pathlib import Path

    Path(output).write_text(picture.svg, encoding="utf-8")
    print(f"{output}: {plural(picture.articles, 'article')}, {plural(picture.links, 'link')}")


def show_hits(hits: Sequence[SearchHit]) -> None:
    """One paragraph for each hit: where it is, and a piece of it."""
    from graphvine.workers.cli.text import one_line

    for number, hit in enumerate(hits, 1):
        where = " / ".join(filter(None, (hit.article, hit.section)))
        distance = "" if hit.distance is None else f", {hit.distance} links away"
        print(f"{number:>2}. {one_line(where, 90)}  ({hit.score:.4f}{distance})\n    {one_line(hit.snippet, 160)}")
    if not hits:
        print("nothing found")
