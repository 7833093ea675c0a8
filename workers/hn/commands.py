"""The commands of this pipeline: graphvine hn ..."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.opening import opened

if TYPE_CHECKING:
    from graphvine.graph import Graph
    from graphvine.workers.hn.face import HackerNews

app = new_app()
hn = new_app("Items, threads and search of Hacker News.")
app.add_typer(hn, name="hn")

_ID = typer.Argument(metavar="ID", min=1, help="The item.")
_JSON = typer.Option("--json", help="Print JSON.")


@hn.command()
def pull(
    context: typer.Context,
    ids: Annotated[str | None, typer.Option("--ids", metavar="ID,ID", help="These items.")] = None,
    top: Annotated[int | None, typer.Option("--top", metavar="N", min=1, max=500, help="The top stories.")] = None,
    new: Annotated[int | None, typer.Option("--new", metavar="N", min=1, max=500, help="The newest stories.")] = None,
    first: Annotated[int | None, typer.Option("--from", metavar="ID", min=1, help="Every id from here ...")] = None,
    last: Annotated[int | None, typer.Option("--to", metavar="ID", min=1, help="... to here.")] = None,
    since_last: Annotated[bool, typer.Option("--since-last", help="Everything since the last time.")] = False,
    updates: Annotated[bool, typer.Option("--updates", help="Items that changed lately.")] = False,
    thread: Annotated[int | None, typer.Option("--thread", metavar="ID", min=1, help="An item and its thread.")] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Fetch items from the API of Hacker News.

    A walk from one id to another goes on where it was when it is called again, after a kill too. What can't be had now
    waits in the queue for 'graphvine work hn_item'. After the first --since-last, a daemon keeps the graph current.

        graphvine hn pull --top 30
        graphvine hn pull --thread 8863
        graphvine hn pull --from 1 --to 10000

    In Python: graph.hn.pull(top=30)
    """
    from graphvine.workers.cli.progress import activity
    from graphvine.workers.cli.working import signals
    from graphvine.workers.hn.showing import told_of_pull

    wanted = _numbers(context, ids) if ids is not None else []
    asked = (ids, top, new, since_last or None, updates or None, thread, first if first is not None else last)
    if sum(one is not None for one in asked) != 1:
        context.fail(
            "say what to pull, in one way: --ids, --top, --new, --from with --to, --since-last, --updates, --thread"
        )
    if (first is None) != (last is None):
        context.fail("--from and --to belong together")
    with opened(context, create=True, door=True) as graph, signals() as ended, activity("pulling") as told:
        summary = _hn(graph).pull(
            ids=wanted, top=top, new=new, first=first, last=last, since_last=since_last, updates=updates, thread=thread,
            on_progress=None if told is None else lambda so_far: told(told_of_pull(so_far)), stop=ended.stop,
        )  # fmt: skip
    _show(summary, told_of_pull(summary), as_json)
    if ended.by is not None:
        raise typer.Exit(130)


@hn.command()
def add(
    context: typer.Context,
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="JSON or JSON Lines; - or none for standard input.")
    ] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Take in items from JSON: one object, an array, or an object a line.

    Each item goes through the whole workflow; what is refused is failed with its reason ('graphvine failed hn_item').

        echo '{"id": 1, "type": "story", "title": "Hello", "by": "pg"}' | graphvine hn add
        graphvine hn add items.jsonl

    In Python: graph.hn.add({"id": 1, "type": "story", "title": "Hello"})
    """
    from graphvine.workers.cli.progress import activity
    from graphvine.workers.hn.reading import read_items
    from graphvine.workers.hn.showing import told_of_items

    with opened(context, create=True) as graph, activity("adding") as told:
        summary = _hn(graph).add(
            read_items(files or [Path("-")]),
            progress=None if told is None else lambda so_far: told(told_of_items(so_far)),
        )
    _show(summary, told_of_items(summary), as_json)


@hn.command()
def thread(
    context: typer.Context, id: Annotated[int, _ID],
    depth: Annotated[int | None, typer.Option("--depth", metavar="N", min=0, help="Levels to show.")] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:  # fmt: skip
    """Print an item and everything below it.

        graphvine hn thread 8863 --depth 2

    In Python: graph.hn.thread(8863, depth=2)
    """
    from graphvine.workers.hn.showing import show_tree

    with opened(context) as graph:
        top = _hn(graph).thread(id, depth)
    show_tree(top, as_json)


@hn.command()
def ancestors(context: typer.Context, id: Annotated[int, _ID], as_json: Annotated[bool, _JSON] = False) -> None:
    """Print what stands above an item, the nearest first.

        graphvine hn ancestors 2921983

    In Python: graph.hn.ancestors(2921983)
    """
    from graphvine.workers.hn.showing import show_list

    with opened(context) as graph:
        found = _hn(graph).ancestors(id)
    show_list(found, as_json)


@hn.command()
def descendants(context: typer.Context, id: Annotated[int, _ID], as_json: Annotated[bool, _JSON] = False) -> None:
    """Print everything below an item, from top to bottom.

        graphvine hn descendants 8863

    In Python: graph.hn.descendants(8863)
    """
    from graphvine.workers.hn.showing import show_list

    with opened(context) as graph:
        found = _hn(graph).descendants(id)
    show_list(found, as_json)


@hn.command()
def siblings(context: typer.Context, id: Annotated[int, _ID], as_json: Annotated[bool, _JSON] = False) -> None:
    """Print what stands below the same parent as an item.

        graphvine hn siblings 2921983

    In Python: graph.hn.siblings(2921983)
    """
    from graphvine.workers.hn.showing import show_list

    with opened(context) as graph:
        found = _hn(graph).siblings(id)
    show_list(found, as_json)


@hn.command()
def story(context: typer.Context, id: Annotated[int, _ID], as_json: Annotated[bool, _JSON] = False) -> None:
    """Print the story that a comment belongs to.

        graphvine hn story 2921983

    In Python: graph.hn.story(2921983)
    """
    from graphvine.workers.hn.showing import show_list

    with opened(context) as graph:
        found = _hn(graph).story(id)
    if found is None and not as_json:
        print(f"no story is known for item {id}: something between them is missing")
        return
    show_list([found] if found is not None else [], as_json)


@hn.command()
def search(
    context: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(metavar="WORDS", help='Words, "phrases", -exclusions.')] = None,
    author: Annotated[str | None, typer.Option("--author", metavar="NAME", help="By this user.")] = None,
    type: Annotated[str | None, typer.Option("--type", metavar="TYPE", help="story, comment, job, ...")] = None,
    min_score: Annotated[int | None, typer.Option("--min-score", metavar="N", help="At least this score.")] = None,
    max_score: Annotated[int | None, typer.Option("--max-score", metavar="N", help="At most this score.")] = None,
    after: Annotated[str | None, typer.Option("--after", metavar="TIME", help="Since 2012-01-31, or seconds.")] = None,
    before: Annotated[str | None, typer.Option("--before", metavar="TIME", help="Up to that time.")] = None,
    under: Annotated[int | None, typer.Option("--under", metavar="ID", min=1, help="Below this item.")] = None,
    story_by: Annotated[str | None, typer.Option("--story-by", metavar="NAME", help="Below stories by them.")] = None,
    reply_to: Annotated[str | None, typer.Option("--reply-to", metavar="NAME", help="In reply to this user.")] = None,
    sort: Annotated[str, typer.Option("--sort", metavar="ORDER", help="relevance, date or score.")] = "relevance",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="Most items to show.")] = 10,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, max=100_000, help="Items to pass over.")] = 0,
    as_json: Annotated[bool, _JSON] = False,
) -> None:  # fmt: skip
    """Search items by words, by their fields, and by the thread that they stand in.

        graphvine hn search graph database --type story --min-score 100
        graphvine hn search --story-by pg --author sama lisp
        graphvine hn search --under 8863 --sort date

    In Python: graph.hn.search("graph database", type="story", min_score=100)
    """
    from graphvine.workers.hn.showing import seconds_of, show_page

    span = {"after": seconds_of(after, "--after"), "before": seconds_of(before, "--before")}
    with opened(context) as graph:
        page = _hn(graph).search(
            " ".join(words or ()), author=author, type=type, min_score=min_score, max_score=max_score, under=under,
            story_by=story_by, reply_to=reply_to, sort=sort, limit=limit, offset=offset, **span,
        )  # fmt: skip
    show_page(page, offset, as_json)


@hn.command()
def transitions(
    context: typer.Context, id: Annotated[int, _ID],
    take: Annotated[str | None, typer.Option("--take", metavar="NAME", help="Go through this automatic one.")] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:  # fmt: skip
    """Show where an item can go from the state that it is in.

        graphvine hn transitions 8863
        graphvine hn transitions 8863 --take validate_item

    In Python: graph.hn.transitions(8863), graph.hn.advance(8863, "validate_item")
    """
    from graphvine.workers.hn.showing import show_ways

    with opened(context) as graph:
        if take is not None:
            _hn(graph).advance(id, take)
        ways = _hn(graph).transitions(id)
        state = graph.read("hn_item.item", hnId=id)[0]["state"]
    show_ways(id, state, ways, as_json)


@hn.command("mark-failed")
def mark_failed(
    context: typer.Context, id: Annotated[int, _ID],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")] = "marked as failed by hand",
) -> None:  # fmt: skip
    """Mark an item as failed.

        graphvine hn mark-failed 8863 --reason "the text is cut"

    In Python: graph.hn.mark_failed(8863, "the text is cut")
    """
    with opened(context) as graph:
        _hn(graph).mark_failed(id, reason)
    print(f"item {id} is failed")


@hn.command()
def retry(
    context: typer.Context,
    ids: Annotated[list[int], typer.Argument(metavar="ID", min=1, help="The items.")],
) -> None:
    """Process failed items again: at most three tries, within 24 hours of the failure.

    They go back to 'ingested'; 'graphvine work hn_item' takes them from there. To try without these limits, use
    'graphvine requeue hn_item ID'.

        graphvine hn retry 8863

    In Python: graph.hn.retry([8863])
    """
    with opened(context) as graph:
        moved = _hn(graph).retry(ids)
    print(f"{moved} to be processed again")


def _hn(graph: Graph) -> HackerNews:
    from graphvine.verbs import hn as face

    return face(graph)


def _numbers(context: typer.Context, text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() and len(part) <= 15 and int(part) > 0 for part in parts):
        context.fail(f"--ids takes ids with commas between them, such as 1,2,3, not {text!r}")
    return [int(part) for part in parts]


def _show(summary: object, told: str, as_json: bool) -> None:
    if as_json:
        from graphvine.workers.cli.output import show_json

        show_json(summary)
    else:
        print(told)
