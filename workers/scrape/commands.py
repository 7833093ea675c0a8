"""The command of this pipeline: scrape."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened

app = new_app()


@app.command()
def scrape(
    context: typer.Context,
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", help="The pages to scrape.")] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="A file with one address a line; - for standard input."),
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option("--batch", metavar="NAME", help="A name for the batch, to go on with it later."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Scrape pages again that are done.")] = False,
    now: Annotated[bool, typer.Option("--now", help="Do not wait for pages that back off after a failure.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each event as a line of JSON, then each page's result.")
    ] = False,
) -> None:
    """Scrape pages and summarize them, shown as it is written.

    At most eight pages are scraped at once. Ctrl-C stops it cleanly; the same command, or the batch's name alone, goes
    on where it was, after a kill too. A page that can't be had is tried again some times, then it has failed, and the
    status is 1; the rest goes on. The same command tries what failed again, and shows what is stored of the rest.
    Private addresses are not fetched unless the setting scrape.allowed_private_hosts names them.

        graphvine scrape https://example.org/ https://example.org/news
        graphvine scrape --from addresses.txt --batch monday --json

    In Python: graph.scrape(["https://example.org/"], batch="monday"), an iterator for "async for"
    """
    if (urls and source is not None) or not (urls or source is not None or batch is not None):
        context.fail("say what to scrape: addresses, or --from FILE, or the --batch NAME to go on with")
    import asyncio

    from graphvine.workers.cli.run_worker import signals
    from graphvine.workers.scrape.batches import check_addresses, check_name, read_addresses
    from graphvine.workers.scrape.output import show_lines, show_table

    # Before the graph, so that a wrong address makes none.
    addresses = read_addresses(source) if source is not None else check_addresses(urls or ())
    if batch is not None:
        check_name(batch)
    with opened(context, create=bool(addresses), share=True) as graph, signals(graph) as ended:
        pages = graph.scrape(addresses, batch=batch, standby=True, stop=ended.stop, again=again, now=now)
        last = asyncio.run((show_lines if as_json else show_table)(pages, graph))
    if last is None:
        raise typer.Exit(1 if ended.by is None else 130)
    if last.counts.get("failed"):
        raise typer.Exit(1)
