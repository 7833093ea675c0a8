"""The commands of this pipeline: graphvine upload FILE, graphvine upload show ID and the others, graphvine uploads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.options import common, lists, reports

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphvine.workers.uploads.api import Uploads
    from graphvine.workers.uploads.record import Upload

_TAKES_A_VALUE = ("--graph", "-g")


class FileFirst(TyperGroup):
    """`upload FILE` is `upload add FILE`, unless the first word is a command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words = iter(args)
        first = next((w for w in words if not w.startswith("-") or w == "-" or self._passed(w, words)), None)
        if first not in self.commands and not {"--help", "-h"} & set(args):
            args = ["add", *args]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def _passed(self, word: str, words: Any) -> bool:
        """Pass over the value of an option that has one."""
        if word in _TAKES_A_VALUE:
            next(words, None)
        return False


app = new_app()
upload = new_app("Upload files of Hacker News items: graphvine upload FILE")
app.add_typer(upload, name="upload", cls=FileFirst)

_ID = typer.Argument(metavar="ID", help="The upload, as 'graphvine uploads' names it.")


@upload.command()
@reports
def add(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="JSON or JSON Lines, plain, gzip or zstd; - for standard input."),
    ],
    auto: Annotated[
        bool, typer.Option("--auto/--no-auto", help="Run all steps in a row, or only take the file.")
    ] = True,
    again: Annotated[bool, typer.Option("--again", help="Another upload of a file that was uploaded before.")] = False,
) -> None:
    """Upload files of items: JSON or JSON Lines, also packed.

    A JSON array, one object, or an object a line, in every form that 'hn add' takes. The word 'add' may be left out.
    Each file is an upload of its own, one after another. What was interrupted, by Ctrl-C or a kill, goes on when the
    same file is uploaded again, behind the last item that was written. A file that is done is recognised. The status is
    0 when all items are in the graph.

        graphvine upload add items.json
        graphvine upload items.jsonl.gz more.json
        zcat items.gz | graphvine upload -

    In Python: graph.upload("items.json")
    """
    import sys

    from graphvine.workers.cli.run_worker import signals
    from graphvine.workers.uploads.files import there
    from graphvine.workers.uploads.output import bar

    found: list[Upload] = []
    with opened(context, create=True, share=True) as graph, signals(graph) as ended, bar(graph):
        uploads = graph.uploads

        def watch(done: int, total: int) -> None:
            graph.store.publish("upload", upload="", phase="reading", done=done, total=total)
            if ended.stop.is_set():
                raise KeyboardInterrupt

        # All are looked at before the first is worked on: a name that is wrong costs nothing then.
        for file in files:
            if str(file) != "-":
                there(file)
        for file in files:
            source: Any = sys.stdin.buffer if str(file) == "-" else file
            known = uploads.take(source, auto=auto, again=again, watch=watch)
            if known.state in ("completed", "partial_success", "failed"):
                print(_recognised(known), file=sys.stderr)
            elif auto:
                known = uploads.bring_on(known.upload_id, stop=ended.stop)
            found.append(known)
            if ended.stop.is_set():
                break
    _finish(context, found, ended)


@upload.command()
@lists
def show(
    context: typer.Context,
    id: Annotated[str, _ID],
    errors: Annotated[bool, typer.Option("--errors", help="The items that failed, and why.")] = False,
) -> None:
    """Show an upload: its state, counts, reports and errors.

        graphvine upload show 8847f63317ac
        graphvine upload show 8847f63317ac --errors --json

    In Python: graph.uploads.show("8847f63317ac"), graph.uploads.errors("8847f63317ac")
    """
    from graphvine.workers.cli.output import listed, respond
    from graphvine.workers.uploads.output import show_errors, show_upload, upload_json

    form = common(context).form
    if form in ("jsonl", "csv") and not errors:
        context.fail(f"--{form} goes with --errors")
    with opened(context) as graph:
        found = graph.uploads.show(id)
        if errors:
            failed = graph.uploads.errors(id)
            if not listed(context, "errors", failed):
                show_errors(failed, found.failed_items, "line" if found.format == "lines" else "item")
        elif form:
            respond(context, **upload_json(found))
        else:
            show_upload(found)


@upload.command()
@reports
def validate(context: typer.Context, id: Annotated[str, _ID]) -> None:
    """Validate an upload that was taken with --no-auto.

    Is the file sound, and how many items has it?

        graphvine upload validate 8847f63317ac

    In Python: graph.uploads.validate("8847f63317ac")
    """
    _step(context, lambda uploads, stop: uploads.validate(id, stop=stop))


@upload.command()
@reports
def start(context: typer.Context, id: Annotated[str, _ID]) -> None:
    """Process the items of a validated upload.

        graphvine upload start 8847f63317ac

    In Python: graph.uploads.start("8847f63317ac")
    """
    _step(context, lambda uploads, stop: uploads.start(id, stop=stop))


@upload.command()
@reports
def retry(context: typer.Context, id: Annotated[str, _ID]) -> None:
    """Process the failed items of an upload again.

    No others; an upload may be retried three times.

        graphvine upload retry 8847f63317ac

    In Python: graph.uploads.retry("8847f63317ac")
    """
    _step(context, lambda uploads, stop: uploads.retry(id, stop=stop))


@upload.command()
@reports
def reset(
    context: typer.Context,
    id: Annotated[str, _ID],
    auto: Annotated[bool, typer.Option("--auto/--no-auto", help="Run all steps in a row, or stop at uploaded.")] = True,
) -> None:
    """Put a failed upload back to the start, and run it again.

    Resets count as retries.

        graphvine upload reset 8847f63317ac

    In Python: graph.uploads.reset("8847f63317ac")
    """

    def again(uploads: Uploads, stop: Any) -> Upload:
        found = uploads.reset(id)
        return uploads.bring_on(id, stop=stop) if auto else found

    _step(context, again)


@upload.command()
@reports
def remove(context: typer.Context, ids: Annotated[list[str], _ID]) -> None:
    """Take uploads out of the lists; their items stay.

    The copies of their files that were kept go with them.

        graphvine upload remove 8847f63317ac

    In Python: graph.uploads.remove("8847f63317ac")
    """
    from graphvine.workers.cli.output import plural, report

    with opened(context) as graph:
        for one in ids:
            graph.uploads.show(one)
        removed = [graph.uploads.remove(one).upload_id for one in ids]
    report(context, f"{plural(len(removed), 'upload')} removed", removed=removed)


@app.command()
@lists
def uploads(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="Most uploads to list.")] = 50,
) -> None:
    """List the uploads, the newest first.

        graphvine uploads

    In Python: graph.uploads.list()
    """
    from graphvine.workers.uploads.output import show_uploads

    with opened(context) as graph:
        show_uploads(context, graph.uploads.list(limit))


def _step(context: typer.Context, run: Callable[[Uploads, Any], Upload]) -> None:
    from graphvine.workers.cli.run_worker import signals
    from graphvine.workers.uploads.output import bar

    with opened(context) as graph, signals(graph) as ended, bar(graph):
        found = run(graph.uploads, ended.stop)
    _finish(context, [found], ended)


def _finish(context: typer.Context, found: list[Upload], ended: Any) -> None:
    from graphvine.workers.cli.output import respond
    from graphvine.workers.uploads.output import describe, describe_form, upload_json

    if common(context).json:
        respond(context, uploads=[upload_json(one) for one in found])
    else:
        for one in found:
            print(describe(one) + describe_form(one))
    if ended.by is not None:
        raise typer.Exit(130)
    if any(one.state in ("failed", "partial_success") for one in found):
        raise typer.Exit(1)


def _recognised(found: Upload) -> str:
    from graphvine.workers.cli.output import local_time
    from graphvine.workers.uploads.settings import load

    next_step = {
        "completed": "--again uploads it once more",
        "partial_success": f"'graphvine upload retry {found.upload_id}' tries the failed items again",
        "failed": f"'graphvine upload reset {found.upload_id}' starts it again",
    }[found.state]
    if found.retry_count >= load().max_retries:  # what would be refused is not offered
        next_step = "it was retried as often as is allowed; --again uploads it once more"
    when = f" on {local_time(found.uploaded_at)[:10]}" if found.uploaded_at else ""
    return f"this file was uploaded before{when}, as {found.upload_id}: {next_step}"
