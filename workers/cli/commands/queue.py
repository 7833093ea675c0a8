"""What people do to a queue: seed, requeue, exclude, prioritise, release, pause, resume, work."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from graphvine.errors import GraphvineError
from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import check_pipeline, opened
from graphvine.workers.cli.output import plural, report
from graphvine.workers.cli.request_arguments import takes
from graphvine.workers.requests import WorkRequest

app = new_app()
_LONGEST_LINE_BYTES = 10_000
Pipeline = Annotated[str, typer.Argument(metavar="PIPELINE", help="The pipeline of the rows.")]


class BadLine(GraphvineError):
    """A line in a file of keys that is not a key."""


@app.command()
def seed(
    context: typer.Context,
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="The pipeline to start.")],
    keys: Annotated[list[str] | None, typer.Argument(metavar="KEY", help="The rows to add.")] = None,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="A file with one key a line; - for standard input.")
    ] = None,
) -> None:
    """Add rows at the start of a pipeline.

    What is in the graph already stays as it is. Creates the graph if there is none.

        graphvine seed article Vine "Grape vine"
        graphvine seed article --from titles.txt

    In Python: graph.seed("article", ["Vine", "Grape vine"])
    """
    if bool(keys) == (source is not None):
        context.fail("say what to add: either keys, or --from FILE")
    # Before the graph is opened, so that a wrong name creates none.
    check_pipeline(pipeline)
    if source is None:
        _seed(context, pipeline, keys or ())
    else:
        with nullcontext(sys.stdin.buffer) if str(source) == "-" else source.open("rb") as file:
            _seed(context, pipeline, _lines(file, str(source)))


def _seed(context: typer.Context, pipeline: str, keys: Iterable[str]) -> None:
    given = 0

    def counted() -> Iterator[str]:
        nonlocal given
        for key in keys:
            given += 1
            yield key

    with opened(context, create=True) as graph:
        new = graph.seed(pipeline, counted())
    said = f"{plural(new, 'row')} of {pipeline} new, {given - new:,} known already"
    report(context, said, pipeline=pipeline, new=new, known=given - new)


def _lines(file: BinaryIO, name: str) -> Iterator[str]:
    number = 0
    while line := file.readline(_LONGEST_LINE_BYTES + 1):
        number += 1
        if len(line) > _LONGEST_LINE_BYTES:
            raise BadLine(f"{name}, line {number}: longer than {_LONGEST_LINE_BYTES} bytes, too long for a key")
        try:
            key = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError:
            raise BadLine(f"{name}, line {number}: not UTF-8 text") from None
        if key:
            yield key


@app.command()
def requeue(
    context: typer.Context,
    pipeline: Pipeline,
    keys: Annotated[list[str] | None, typer.Argument(metavar="KEY", help="The rows, by their keys.")] = None,
    contains: Annotated[
        str | None, typer.Option("--contains", metavar="TEXT", help="Those with this in their key or their error.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything that failed.")] = False,
    skipped: Annotated[
        bool, typer.Option("--skipped", help="With --contains or --all: what was skipped, not what failed.")
    ] = False,
) -> None:
    """Put failed rows back into the queue, with no attempts used.

    Say which: by key, by a part of the key or of the error, or all. What was skipped is put back by its key, or with
    --skipped.

        graphvine requeue article "Grape vine" Ivy
        graphvine requeue article --contains timeout
        graphvine requeue article --all --skipped

    In Python: graph.requeue("article", keys=["Ivy"])
    """
    if (bool(keys), contains is not None, everything).count(True) != 1:
        context.fail("say which rows: either keys, or --contains TEXT, or --all")
    with opened(context) as graph:
        moved = graph.requeue(pipeline, keys=keys or None, contains=contains, everything=everything, skipped=skipped)
    left = max(len(set(keys or ())) - moved, 0)
    said = f"{plural(moved, 'row')} of {pipeline} back in the queue"
    report(context, said, pipeline=pipeline, requeued=moved, left_alone=left)
    if left:
        typer.echo(
            f"{plural(left, 'row was', 'rows were')} left alone: only what failed or was skipped is put back", err=True
        )


@app.command()
def exclude(
    context: typer.Context,
    pipeline: Pipeline,
    keys: Annotated[list[str], typer.Argument(metavar="KEY", help="The rows, by their keys.")],
) -> None:
    """Take rows out of the queue for good.

    Rows that wait or failed are never claimed again. What is being worked on, or is done, is left alone.

        graphvine exclude article "List of lists of lists"

    In Python: graph.exclude("article", ["List of lists of lists"])
    """
    with opened(context) as graph:
        moved = graph.exclude(pipeline, keys)
    left = max(len(set(keys)) - moved, 0)
    report(
        context, f"{plural(moved, 'row')} of {pipeline} excluded", pipeline=pipeline, excluded=moved, left_alone=left
    )
    if left:
        typer.echo(f"{plural(left, 'row was', 'rows were')} left alone: in work, done or excluded already", err=True)


@app.command()
def prioritise(
    context: typer.Context,
    pipeline: Pipeline,
    keys: Annotated[list[str], typer.Argument(metavar="KEY", help="The rows, by their keys.")],
) -> None:
    """Let rows that wait be claimed before all others.

    Rows that back off wait no longer. It holds for one claim: a row that fails and comes back stands where it stood.

        graphvine prioritise article "Grape vine" Ivy

    In Python: graph.prioritise("article", ["Grape vine", "Ivy"])
    """
    with opened(context) as graph:
        moved = graph.prioritise(pipeline, keys)
    left = max(len(set(keys)) - moved, 0)
    said = f"{plural(moved, 'row')} of {pipeline} at the front of the queue"
    report(context, said, pipeline=pipeline, prioritised=moved, left_alone=left)
    if left:
        typer.echo(f"{plural(left, 'row was', 'rows were')} left alone: in work, at rest or at the front", err=True)


@app.command()
def release(
    context: typer.Context,
    pipeline: Pipeline,
    keys: Annotated[list[str], typer.Argument(metavar="KEY", help="The rows, by their keys.")],
) -> None:
    """Take rows from the workers that hold them.

    For a worker that hangs: what it writes about these rows afterwards is refused. No attempt is counted.

        graphvine release article Ivy

    In Python: graph.release("article", ["Ivy"])
    """
    with opened(context) as graph:
        moved = graph.release(pipeline, keys)
    left = max(len(set(keys)) - moved, 0)
    said = f"{plural(moved, 'row')} of {pipeline} released"
    report(context, said, pipeline=pipeline, released=moved, left_alone=left)
    if left:
        typer.echo(f"{plural(left, 'row was', 'rows were')} left alone: held by no worker", err=True)


@app.command()
def pause(
    context: typer.Context,
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="The pipeline to pause.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; 'graphvine status' shows it.")] = "",
) -> None:
    """Pause a pipeline: nothing more is claimed.

    What is in work is finished. The pause is stored in the graph and holds until 'graphvine resume'.

        graphvine pause article --reason "the wiki is in maintenance"

    In Python: graph.pause("article", "the wiki is in maintenance")
    """
    with opened(context) as graph:
        graph.pause(pipeline, reason)
    said = f"{pipeline} is paused: 'graphvine resume {pipeline}' continues it"
    report(context, said, pipeline=pipeline, paused=True, reason=reason)


@app.command()
def resume(
    context: typer.Context,
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="The pipeline to continue.")],
) -> None:
    """Continue a paused pipeline.

        graphvine resume article

    In Python: graph.resume("article")
    """
    with opened(context) as graph:
        graph.resume(pipeline)
    report(context, f"{pipeline} continues", pipeline=pipeline, paused=False)


@app.command()
@takes(WorkRequest)
def work(context: typer.Context, request: WorkRequest) -> None:
    """Work on a pipeline in this process.

    Claims rows, hands them to the pipeline's handler, writes its results, again and again. Ctrl-C or SIGTERM ends it
    after what is done is written, and gives the rest back. What was in work when a worker was killed is taken up again
    by the next. Beside a daemon this adds a worker: for hn_item and upload in the daemon itself, since one process
    takes items in.

        graphvine work article
        graphvine work article --batch 50 --until-empty

    In Python: graphvine.workers.loop.Loop(graph, "article", handler).run()
    """
    check_pipeline(request.pipeline)
    from graphvine.workers.cli.run_worker import described, work_on

    with opened(context, create=True, share=True) as graph:
        total, interrupted = work_on(graph, request)
    report(context, f"{request.pipeline}: {described(total)}", pipeline=request.pipeline, counts=total)
    if interrupted:
        raise KeyboardInterrupt
