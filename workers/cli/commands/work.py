"""graphvine work"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.opening import opened
from graphvine.workers.cli.pipelines import check_pipeline

app = new_app()


@app.command()
def work(
    context: typer.Context,
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="The pipeline to work on.")],
    batch: Annotated[
        int | None,
        typer.Option("--batch", metavar="N", min=1, max=100_000, help="Rows to claim at once (setting batch_size)."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Work on one batch, then end.")] = False,
    until_empty: Annotated[
        bool, typer.Option("--until-empty", help="End when nothing is left to claim, now or after a wait.")
    ] = False,
) -> None:
    """Work on a pipeline in this process.

    Claims rows, hands them to the pipeline's handler, writes its results, again and again. Ctrl-C ends it after what is
    done is written, and gives the rest back; so does SIGTERM. What was in work when a worker was killed is taken up
    again by the next. Beside a daemon this adds a worker: for hn_item and upload in the daemon itself, since items are
    taken in by one process.

        graphvine work article
        graphvine work article --batch 50 --until-empty

    In Python: graphvine.workers.loop.Loop(graph, "article", handler).run()
    """
    if once and until_empty:
        context.fail("--once or --until-empty, not both")
    check_pipeline(pipeline)
    from graphvine.workers.cli.working import work_on

    with opened(context, create=True, door=True) as graph:
        interrupted = work_on(graph, pipeline, batch=batch, once=once, until_empty=until_empty)
    if interrupted:
        raise KeyboardInterrupt
