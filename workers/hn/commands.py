"""The commands of this pipeline: graphvine hn ..."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphvine.dispatch import dispatch
from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.options import common, lists, reports
from graphvine.workers.cli.pager import paged
from graphvine.workers.cli.request_arguments import takes
from graphvine.workers.hn.requests import HNSearchRequest, PullRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphvine.workers.hn.api import HackerNews
    from graphvine.workers.hn.ingest.ingest import Taken
    from graphvine.workers.hn.pull import Pulled
    from graphvine.workers.hn.threads import Item

app = new_app()
hn = new_app("Items, threads and search of Hacker News.")
app.add_typer(hn, name="hn")

Id = Annotated[int, typer.Argument(metavar="ID", min=1, help="The item.")]


@hn.command()
@reports
@takes(PullRequest)
def pull(context: typer.Context, request: PullRequest) -> None:
    """Fetch items from the API of Hacker News.

    A walk from one id to another goes on where it was when it is called again, after a kill too. What can't be had now
    waits in the queue for 'graphvine work hn_item'. After the first --since-last, a daemon keeps the graph current.

        graphvine hn pull --top 30
        graphvine hn pull --thread 8863
        graphvine hn pull --user pg
        graphvine hn pull --from 1 --to 10000

    In Python: graph.hn.pull(top=30)
    """
    from graphvine.workers.cli.progress import counting
    from graphvine.workers.cli.run_worker import signals
    from graphvine.workers.hn.output import pull_line

    with opened(context, create=True, share=True) as graph, signals(graph) as ended, counting("pulling") as show:
        progress = None if show is None else lambda so_far: show(so_far.asked, so_far.total)
        summary = dispatch(graph, request, on_event=progress, stop=ended.stop)
    _show(context, summary, pull_line(summary))
    if ended.by is not None:
        raise typer.Exit(130)


@hn.command()
@reports
def add(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="JSON or JSON Lines, plain, gzip or zstd; - or none for standard input."),
    ] = None,
) -> None:
    """Take in items from JSON or JSON Lines.

    One object, an array, or an object a line. Items may come as the API gives them, as Algolia's hits or trees, as rows
    of a database, or under their ids; a line says which form was seen. What is refused is printed with its reason,
    'graphvine failed hn_item' lists it, and the status is 1.

        echo '{"id": 1, "type": "story", "title": "Hello", "by": "pg"}' | graphvine hn add
        graphvine hn add items.jsonl

    In Python: graph.hn.add({"id": 1, "type": "story", "title": "Hello"})
    """
    from graphvine.workers.cli.progress import activity
    from graphvine.workers.hn.item_files import read_items
    from graphvine.workers.hn.output import items_line, show_refusals

    with opened(context, create=True, share=True) as graph, activity("adding") as show:
        summary = graph.hn.add(
            read_items(files or [Path("-")]),
            progress=None if show is None else lambda so_far: show(items_line(so_far)),
        )
    _show(context, summary, items_line(summary))
    show_refusals(summary)
    if summary.failed or summary.rejected:
        raise typer.Exit(1)


@hn.command()
@reports
@paged()
def show(context: typer.Context, id: Id) -> None:
    """Print everything that is known of an item.

        graphvine hn show 8863

    In Python: graph.hn.item(8863)
    """
    from graphvine.workers.hn.output import show_item

    with opened(context) as graph:
        found = graph.hn.item(id)
    show_item(context, found)


@hn.command()
@lists
def thread(
    context: typer.Context, id: Id,
    depth: Annotated[int | None, typer.Option("--depth", metavar="N", min=0, help="Levels to show.")] = None,
) -> None:  # fmt: skip
    """Print an item and everything below it.

        graphvine hn thread 8863 --depth 2

    In Python: graph.hn.thread(8863, depth=2)
    """
    from graphvine.workers.hn.output import show_tree

    with opened(context) as graph:
        top = graph.hn.thread(id, depth)
    show_tree(context, top)


@hn.command()
@lists
def ancestors(context: typer.Context, id: Id) -> None:
    """Print what stands above an item, the nearest first.

        graphvine hn ancestors 2921983

    In Python: graph.hn.ancestors(2921983)
    """
    _show_items(context, lambda items: items.ancestors(id))


@hn.command()
@lists
def descendants(context: typer.Context, id: Id) -> None:
    """Print everything below an item, from top to bottom.

        graphvine hn descendants 8863

    In Python: graph.hn.descendants(8863)
    """
    _show_items(context, lambda items: items.descendants(id))


@hn.command()
@lists
def siblings(context: typer.Context, id: Id) -> None:
    """Print what stands below the same parent as an item.

        graphvine hn siblings 2921983

    In Python: graph.hn.siblings(2921983)
    """
    _show_items(context, lambda items: items.siblings(id))


@hn.command()
@lists
def story(context: typer.Context, id: Id) -> None:
    """Print the story that a comment belongs to.

        graphvine hn story 2921983

    In Python: graph.hn.story(2921983)
    """
    from graphvine.workers.hn.output import show_list

    with opened(context) as graph:
        found = graph.hn.story(id)
    if found is None and not common(context).form:
        print(f"no story is known for item {id}: something between them is missing")
        return
    show_list(context, [found] if found is not None else [])


@hn.command()
@lists
@takes(HNSearchRequest)
def search(context: typer.Context, request: HNSearchRequest) -> None:
    """Search items by words, fields and threads.

        graphvine hn search graph database --type story --min-score 100
        graphvine hn search --story-by pg --author sama lisp
        graphvine hn search --under 8863 --sort date

    In Python: graph.hn.search("graph database", type="story", min_score=100)
    """
    from graphvine.workers.hn.output import show_page

    with opened(context) as graph:
        page = dispatch(graph, request)
    show_page(context, page, request.offset)


@hn.command()
@reports
def transitions(
    context: typer.Context, id: Id,
    take: Annotated[str | None, typer.Option("--take", metavar="NAME", help="Go through this one.")] = None,
) -> None:  # fmt: skip
    """Show where an item can go from the state that it is in.

        graphvine hn transitions 8863
        graphvine hn transitions 8863 --take validate_item

    In Python: graph.hn.transitions(8863), graph.hn.advance(8863, "validate_item")
    """
    from graphvine.workers.hn.output import show_ways

    with opened(context) as graph:
        if take is not None:
            graph.hn.advance(id, take)
        ways = graph.hn.transitions(id)
        state = graph.read("hn_item.item", hnId=id)[0]["state"]
    show_ways(context, id, state, ways)


@hn.command("mark-failed")
@reports
def mark_failed(
    context: typer.Context, id: Id,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")] = "marked as failed by hand",
) -> None:  # fmt: skip
    """Mark an item as failed.

        graphvine hn mark-failed 8863 --reason "the text is cut"

    In Python: graph.hn.mark_failed(8863, "the text is cut")
    """
    from graphvine.workers.cli.output import report

    with opened(context) as graph:
        graph.hn.mark_failed(id, reason)
    report(context, f"item {id} is failed", id=id, state="failed")


@hn.command()
@reports
def retry(
    context: typer.Context,
    ids: Annotated[list[int], typer.Argument(metavar="ID", min=1, help="The items.")],
) -> None:
    """Process failed items again.

    At most three tries, within 24 hours of the failure. They go back to 'ingested'; 'graphvine work hn_item' takes them
    from there. To try without these limits, use 'graphvine requeue hn_item ID'.

        graphvine hn retry 8863

    In Python: graph.hn.retry([8863])
    """
    from graphvine.workers.cli.output import plural, report

    with opened(context) as graph:
        moved = graph.hn.retry(ids)
    report(context, f"{plural(moved, 'item')} to be processed again", retried=moved)


def _show_items(context: typer.Context, read: Callable[[HackerNews], list[Item]]) -> None:
    from graphvine.workers.hn.output import show_list

    with opened(context) as graph:
        found = read(graph.hn)
    show_list(context, found)


def _show(context: typer.Context, summary: Pulled | Taken, told: str) -> None:
    from dataclasses import asdict

    from graphvine.workers.cli.output import report

    report(context, told, **asdict(summary))
