"""The commands of this pipeline: graphvine news ..."""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.dispatch import dispatch
from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.options import common, lists, reports
from graphvine.workers.cli.pager import paged
from graphvine.workers.cli.request_arguments import takes
from graphvine.workers.news.requests import ProcessRequest, RetryArticlesRequest, UpdateRequest
from graphvine.workers.search.commands import FACETS
from graphvine.workers.search.requests import SearchRequest

app = new_app()
news = new_app("News of a topic: found, fetched, summarized and judged.")
app.add_typer(news, name="news")

_TOPIC = typer.Option("--topic", metavar="NAME", help="Another topic than the setting news.topic.")


@news.command("list")
@lists
def list_articles(
    context: typer.Context,
    state: Annotated[str, typer.Option("--state", metavar="STATE", help="pending, processed, failed, ...")] = "",
    source: Annotated[str, typer.Option("--source", metavar="NAME", help="Published by them.")] = "",
    sentiment: Annotated[str, typer.Option("--sentiment", metavar="WORD", help="positive, neutral or negative.")] = "",
    contains: Annotated[str, typer.Option("--contains", metavar="TEXT", help="With this in the title.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="Most to show.")] = 20,
    topic: Annotated[str | None, _TOPIC] = None,
) -> None:
    """List articles, the newest first.

        graphvine news list --sentiment negative --limit 5

    In Python: graph.news.list(sentiment="negative", limit=5)
    """
    from graphvine.workers.news.output import show_list

    with opened(context) as graph:
        found = graph.news.topic(topic).list(
            state=state, source=source, sentiment=sentiment, contains=contains, limit=limit
        )
    show_list(context, found)


@news.command()
@reports
@paged()
def show(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The article: its id, or its address.")],
) -> None:
    """Show one article: text, summary, sentiment, failures.

    Also who tells the same story, and what it mentions.

        graphvine news show news-1a38cc07de3844d7a27d

    In Python: graph.news.show("news-1a38cc07de3844d7a27d")
    """
    from graphvine.workers.news.output import show_article

    with opened(context) as graph:
        found = graph.news.show(id)
    show_article(context, found)


@news.command()
@lists
@takes(SearchRequest, "kind", "near", "type")
def search(
    context: typer.Context, request: SearchRequest, facets: Annotated[str, FACETS] = ""
) -> None:  # fmt: skip
    """Search news by words, meaning and shared stories.

    Each hit comes with a citation.

        graphvine news search "interest rates" --source reuters.com
        graphvine news search inflation --topic economy --after 2024-01-01 --sort date --facets source,year

    In Python: graph.search("interest rates", kind=["news"], source="reuters.com")
    """
    from graphvine.workers.search.commands import search_and_show

    search_and_show(context, request.replace(kind=["news"]), facets=facets)


@news.command()
@reports
@paged()
def queue(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="Most entries to show.")] = 20,
    topic: Annotated[str | None, _TOPIC] = None,
) -> None:
    """Show the queue, the providers and the last runs.

    Also the log of additions and the checkpoints.

        graphvine news queue

    In Python: graph.news.queue()
    """
    from graphvine.workers.news.output import show_queue

    with opened(context) as graph:
        found = graph.news.topic(topic).queue(limit)
    show_queue(context, found)


@news.command()
@reports
@takes(UpdateRequest)
def update(context: typer.Context, request: UpdateRequest) -> None:
    """Ask the providers for new articles, once.

    Providers are NewsData.io and APITube, each where its key is set (NEWSDATA_API_KEY, APITUBE_API_KEY), and the feeds
    of the setting news.feeds. A daemon or worker does this each hour. What a provider refuses is reported in its own
    words, the others are asked all the same, and the status is 1. After a passing error a provider is left alone for a
    while; --now asks it at once.

        graphvine news update --feed https://example.org/rss

    In Python: graph.news.update(feeds=["https://example.org/rss"])
    """
    from graphvine.workers.news.output import show_run

    with opened(context, create=True, share=True) as graph:
        run = graph.news.topic(request.topic, request.query).update(feeds=request.feeds, now=request.now)
    show_run(context, run)
    if run.errors:
        raise typer.Exit(1)


@news.command()
@reports
@takes(ProcessRequest, "query")
def process(context: typer.Context, request: ProcessRequest) -> None:
    """Fetch, summarize and judge the front of the queue, once.

    A daemon or worker does this each minute. Each phase is saved when it is done; Ctrl-C gives the rest back. The
    status is 1 when an article failed for good. Articles that back off are left alone until they are due, unless --now
    is given.

        graphvine news process --until-empty

    In Python: graph.news.process(until_empty=True)
    """
    from graphvine.workers.cli.output import plural
    from graphvine.workers.cli.run_worker import signals
    from graphvine.workers.news.output import show_run

    with opened(context, share=True) as graph, signals(graph) as ended:
        if graph.store.paused("news_article") is not None:
            typer.echo("news_article is paused: 'graphvine resume news_article' lets it go on", err=True)
        runs = graph.news.topic(request.topic).process(
            until_empty=request.until_empty, batch=request.batch, stop=ended.stop, now=request.now,
            each=lambda run: show_run(context, run, many=True),
        )  # fmt: skip
    if ended.by is not None:
        raise typer.Exit(130)
    if failed := sum(run.failed for run in runs):
        if not common(context).json:
            typer.echo(f"{plural(failed, 'article')} failed: 'graphvine failed news_article' says why", err=True)
        raise typer.Exit(1)


@news.command()
@reports
@takes(RetryArticlesRequest)
def retry(context: typer.Context, request: RetryArticlesRequest) -> None:
    """Put failed articles back into the queue.

    Articles that back off need not wait any longer.

        graphvine news retry --contains "429"
        graphvine news retry news-1a38cc07de3844d7a27d --first

    In Python: graph.news.retry(["news-1a38cc07de3844d7a27d"], first=True)
    """
    if sum([bool(request.ids), bool(request.contains), request.everything]) != 1:
        context.fail("say what to try again, in one way: ids, --contains TEXT, or --all")
    from graphvine.workers.cli.output import report

    with opened(context) as graph:
        moved = dispatch(graph, request)
    if moved or common(context).json:
        report(context, f"{moved} to be tried again", retried=moved)
    else:
        typer.echo("nothing to retry", err=True)
    if not moved:
        raise typer.Exit(3)
