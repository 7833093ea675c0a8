"""The commands of this pipeline: graphvine news ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.opening import opened

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.workers.news.face import News

app = new_app()
news = new_app("News of a topic: found, fetched, summarized and judged.")
app.add_typer(news, name="news")

_JSON = typer.Option("--json", help="Print JSON.")
_TOPIC = typer.Option("--topic", metavar="NAME", help="Another topic than the setting news.topic.")


@news.command("list")
def list_articles(
    context: typer.Context,
    state: Annotated[str, typer.Option("--state", metavar="STATE", help="pending, processed, failed, ...")] = "",
    source: Annotated[str, typer.Option("--source", metavar="NAME", help="Published by them.")] = "",
    sentiment: Annotated[str, typer.Option("--sentiment", metavar="WORD", help="positive, neutral or negative.")] = "",
    contains: Annotated[str, typer.Option("--contains", metavar="TEXT", help="With this in the title.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="Most to show.")] = 20,
    topic: Annotated[str | None, _TOPIC] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """List articles, the newest first.

        graphvine news list --sentiment negative --limit 5

    In Python: graph.news.list(sentiment="negative", limit=5)
    """
    from graphvine.workers.news.showing import show_list

    with opened(context) as graph:
        found = _news(graph, topic).list(
            state=state, source=source, sentiment=sentiment, contains=contains, limit=limit
        )
    show_list(found, as_json)


@news.command()
def show(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="The article: its id, or its address.")],
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Show one article: its text, summary and sentiment, who tells the same story, what went wrong.

        graphvine news show news-1a38cc07de3844d7a27d

    In Python: graph.news.show("news-1a38cc07de3844d7a27d")
    """
    from graphvine.workers.news.showing import show_article

    with opened(context) as graph:
        found = _news(graph, None).show(id)
    show_article(found, as_json)


@news.command()
def queue(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="Most entries to show.")] = 20,
    topic: Annotated[str | None, _TOPIC] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Show the queue, the log of additions, the checkpoints, the providers, and what the last runs did.

        graphvine news queue

    In Python: graph.news.queue()
    """
    from graphvine.workers.news.showing import show_queue

    with opened(context) as graph:
        found = _news(graph, topic).queue(limit)
    show_queue(found, as_json)


@news.command()
def update(
    context: typer.Context,
    feeds: Annotated[
        list[str] | None, typer.Option("--feed", metavar="URL", help="A feed to read besides those of the settings.")
    ] = None,
    topic: Annotated[str | None, _TOPIC] = None,
    query: Annotated[str | None, typer.Option("--query", metavar="WORDS", help="What to ask providers for.")] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Ask the providers for new articles, once.

    Providers are NewsData.io and APITube, each where its key is set (NEWSDATA_API_KEY, APITUBE_API_KEY), and the feeds
    of the setting news.feeds. A daemon or worker does this each hour. What a provider refuses is told, and the others
    go on.

        graphvine news update --feed https://example.org/rss

    In Python: graph.news.update(feeds=["https://example.org/rss"])
    """
    from graphvine.workers.news.showing import show_run

    with opened(context, create=True, door=True) as graph:
        run = _news(graph, topic, query).update(feeds=feeds or ())
    show_run(run, as_json)
    if run.errors and not run.pages:
        raise typer.Exit(1)


@news.command()
def process(
    context: typer.Context,
    until_empty: Annotated[
        bool, typer.Option("--until-empty", help="Run after run, until the queue is empty; waits for what backs off.")
    ] = False,
    batch: Annotated[
        int | None,
        typer.Option("--batch", metavar="N", min=1, max=1000, help="Articles a run (setting max_articles_per_run)."),
    ] = None,
    topic: Annotated[str | None, _TOPIC] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Work on the front of the queue, once: fetch pages, summarize them, judge their sentiment.

    A daemon or worker does this each minute. Each phase is saved when it is done; Ctrl-C gives the rest back.

        graphvine news process --until-empty

    In Python: graph.news.process(until_empty=True)
    """
    from graphvine.workers.cli.working import signals
    from graphvine.workers.news.showing import show_run

    with opened(context, door=True) as graph, signals() as ended:
        if graph.door.paused("news_article") is not None:
            typer.echo("news_article is paused: 'graphvine resume news_article' lets it go on", err=True)
        chosen = _news(graph, topic)
        chosen.process(
            until_empty=until_empty, batch=batch, stop=ended.stop, each=lambda run: show_run(run, as_json, many=True)
        )
    if ended.by is not None:
        raise typer.Exit(130)


@news.command()
def retry(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="The articles.")] = None,
    contains: Annotated[
        str, typer.Option("--contains", metavar="TEXT", help="Failed ones with this in id, title, address or error.")
    ] = "",
    everything: Annotated[bool, typer.Option("--all", help="All that failed.")] = False,
    first: Annotated[bool, typer.Option("--first", help="Before all others of the queue.")] = False,
) -> None:
    """Put failed articles back into the queue; articles that back off need not wait any longer.

        graphvine news retry --contains "429"
        graphvine news retry news-1a38cc07de3844d7a27d --first

    In Python: graph.news.retry(["news-1a38cc07de3844d7a27d"], first=True)
    """
    if sum([bool(ids), bool(contains), everything]) != 1:
        context.fail("say what to try again, in one way: ids, --contains TEXT, or --all")
    with opened(context) as graph:
        moved = _news(graph, None).retry(ids or (), contains=contains, everything=everything, first=first)
    print(f"{moved} to be tried again")


def _news(graph: Graph, topic: str | None, query: str | None = None) -> News:
    from graphvine.verbs import news as face

    found = face(graph)
    return found.topic(topic, query) if topic or query else found
