"""The commands of this pipeline: grow, titles, refresh, map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphvine.dispatch import dispatch
from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.options import common, lists, reports
from graphvine.workers.cli.request_arguments import takes
from graphvine.workers.wikipedia.requests import GrowRequest, MapRequest, RefreshRequest

if TYPE_CHECKING:
    from graphvine.workers.wikipedia.grow import GrowSummary

app = new_app()


@app.command()
@reports
@takes(GrowRequest)
def grow(
    context: typer.Context,
    request: GrowRequest,
    from_file: Annotated[
        str | None, typer.Option("--from", metavar="FILE", help="More titles, one a line; - reads standard input.")
    ] = None,
) -> None:
    """Grow the graph from these titles: fetch, parse, embed, link.

    Ctrl-C stops it cleanly; the same command goes on where it was, after a kill too. Without titles it works on what
    waits in the graph. All links are recorded; --depth says how far they are followed. A category stands for the
    articles in it. Ends with status 1 when a title gave no article, or when the dump is cut: what lies behind the cut
    waits for a whole file.

        graphvine grow "Vine" --source sample --depth 3
        graphvine grow "Category:Vines" --source sample
        graphvine grow "Graph theory" --depth 1 --limit 500
        graphvine grow --all --source notes/ --embed later

    In Python: graph.grow(["Vine"], source="sample", depth=3)
    """
    from dataclasses import asdict

    from graphvine.workers.cli.output import respond
    from graphvine.workers.cli.run_worker import signals
    from graphvine.workers.wikipedia.output import growth_bar

    _check_source(context, request)
    if from_file is not None:
        request = request.replace(titles=(*request.titles, *_titles_in(from_file)))
    with (
        opened(context, create=True, share=True) as graph,
        signals(graph) as ended,
        growth_bar(graph, request.depth) as on_event,
    ):
        summary = dispatch(graph, request, on_event=on_event, stop=ended.stop)
    if common(context).json:
        respond(context, **asdict(summary))
    else:
        _print_summary(summary)
    if ended.by is not None:
        raise typer.Exit(130)
    if summary.failed_seeds or summary.cut or summary.skipped:
        _print_trouble(summary)
        raise typer.Exit(1)


@app.command()
@lists
def titles(
    context: typer.Context,
    contains: Annotated[
        str, typer.Option("--contains", metavar="TEXT", help="Only those with this text, in any case.")
    ] = "",
    source: Annotated[
        str | None, typer.Option("--source", metavar="SOURCE", help="wiki, sample, or the path of a dump.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many to show.")] = 100,
    categories: Annotated[bool, typer.Option("--categories", help="Categories rather than articles.")] = False,
) -> None:
    """Show the titles that a source has.

    Needs no graph. The first look at a large dump takes a while: it is read once, and its index kept beside it.

        graphvine titles --source sample --contains vine
        graphvine titles --source enwiki-latest-pages-articles.xml.bz2 --categories --limit 20

    In Python: graphvine.workers.wikipedia.resources.open_source(settings).titles("vine")
    """
    import sys
    from contextlib import closing

    from graphvine.workers.cli.output import listed, printable
    from graphvine.workers.cli.progress import activity
    from graphvine.workers.wikipedia.resources import open_source
    from graphvine.workers.wikipedia.settings import load
    from graphvine.workers.wikipedia.site import CATEGORY, MAIN

    with activity("reading the dump") as show:

        def progress(read: int, size: int) -> None:
            if show is not None:
                show(f"{100 * read // max(size, 1)} %")

        settings = load(source=source)
        opened_source = open_source(settings, progress)
    with closing(opened_source):
        found = opened_source.titles(contains, limit, namespace=CATEGORY if categories else MAIN)
        if not listed(context, "titles", ({"title": title} for title in found), source=settings.source):
            for title in found:
                print(printable(title))
        if opened_source.cut:
            print(opened_source.cut, file=sys.stderr)
    if not found:
        print("no such title", file=sys.stderr)
        raise typer.Exit(1)


@app.command()
@reports
@takes(RefreshRequest)
def refresh(context: typer.Context, request: RefreshRequest) -> None:
    """Put articles back into the queue whose page was revised since.

    Compares the revision of each processed article with the source's; 'graphvine grow' then expands what changed.

        graphvine refresh && graphvine grow

    In Python: graph.refresh()
    """
    from graphvine.workers.cli.output import plural, report
    from graphvine.workers.cli.progress import activity

    with opened(context) as graph, activity("comparing revisions") as show:
        progress = None if show is None else lambda checked: show(f"{checked:,} checked")
        summary = dispatch(graph, request, on_event=progress)
    said = f"{plural(summary.checked, 'article')} checked, {summary.changed:,} back in the queue"
    report(context, said, checked=summary.checked, changed=summary.changed)


def _check_source(context: typer.Context, request: GrowRequest) -> None:
    """Before a graph is made: a source that is not there makes none."""
    from pathlib import Path

    from graphvine.workers.cli.open_graph import place
    from graphvine.workers.wikipedia.resources import check_there

    where = place(context)
    if request.source is not None and "://" not in where and not Path(where).exists():
        check_there(request.source)


def _titles_in(file: str) -> list[str]:
    """The lines of a file, or of standard input, that are not empty."""
    import sys
    from pathlib import Path

    from graphvine.errors import SettingsError

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"--from {file}: it can't be read: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def _print_summary(summary: GrowSummary) -> None:
    from graphvine.workers.cli.run_worker import described

    states = ", ".join(f"{count:,} {state}" for state, count in sorted(summary.states.items()))
    print(f"{described(summary.counts)} in {summary.seconds:.1f} s" + (" (stopped)" if summary.stopped else ""))
    print(f"the graph now: {states}")
    if summary.states.get("failed"):
        print("'graphvine failed article' says why some failed")
    if summary.states.get("skipped"):
        print("'graphvine failed article --skipped' says why some gave no article")


def _print_trouble(summary: GrowSummary) -> None:
    """What the caller asked for and did not get."""
    import sys

    from graphvine.workers.cli.output import plural

    for seed in summary.failed_seeds:
        meant = " or ".join(repr(title) for title in seed.like)
        hint = f"; did you mean {meant}?" if meant else ""
        print(f"error: the seed {seed.title!r} gave no article: {seed.reason}{hint}", file=sys.stderr)
    for line in summary.skipped:
        print(f"error: left out: {line}", file=sys.stderr)
    if summary.cut:
        print(f"error: {summary.cut}", file=sys.stderr)
    if summary.behind_cut:
        wait = plural(summary.behind_cut, "article") + (" waits" if summary.behind_cut == 1 else " wait")
        print(f"{wait} for what is missing: run this again with a whole file", file=sys.stderr)


@app.command(name="map")
@reports
@takes(MapRequest)
def draw_map(
    context: typer.Context,
    request: MapRequest,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="The file: .svg, .html or .png; - prints SVG.")
    ] = None,
    png: Annotated[bool, typer.Option("--png", help="Write PNG, into map.png unless -o names a .png.")] = False,
    html: Annotated[bool, typer.Option("--html", help="Write a page, into map.html unless -o names a .html.")] = False,
) -> None:
    """Draw the neighbourhood that grew: SVG, a page, or PNG.

    Colours show the depth; what waits is hollow, what failed is dashed. A browser shows it in light or dark, and a
    name that found no room when the mouse is over its circle. The ending of FILE says what is written: .html is a page
    that zooms and pans, one file that needs no network; .png needs the extra 'pictures'.

        graphvine map -o graph.svg
        graphvine map -o vine.html --around Vine --limit 40
        graphvine map --png

    In Python: graph.map(around="Vine", limit=40).svg
    """
    from graphvine.workers.cli.output import plural, report

    output = _map_file(context, output, [ending for ending, on in ((".png", png), (".html", html)) if on])
    with opened(context) as graph:
        picture = dispatch(graph, request)
    if output == "-":
        print(picture.svg, end="")
        return
    picture.save(output)
    said = f"{output}: {plural(picture.articles, 'article')}, {plural(picture.links, 'link')}"
    report(context, said, output=output, articles=picture.articles, links=picture.links)


def _map_file(context: typer.Context, output: str | None, asked: list[str]) -> str:
    """Where the map goes: what -o says, or a name by the format that an option asks for."""
    from pathlib import Path

    from graphvine.workers.wikipedia.map_files import FORMATS

    ending = "" if output is None else Path(output).suffix.lower()
    if len(asked) > 1:
        context.fail("choose one of --png and --html")
    if asked and output is not None and ending != asked[0]:
        context.fail(f"--{asked[0][1:]} writes a file that ends in {asked[0]}, not {output}")
    if output is None and not asked:
        context.fail("say where to: -o FILE, or --png or --html")
    if output is not None and output != "-" and ending and ending not in FORMATS:
        context.fail(f"a map is written as {', '.join(FORMATS)}, not {ending}: name the file so")
    return output if output is not None else f"map{asked[0]}"
