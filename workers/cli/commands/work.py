"""graphvine work"""

from __future__ import annotations

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import check_pipeline, opened
from graphvine.workers.cli.request_arguments import takes
from graphvine.workers.requests import WorkRequest

app = new_app()


@app.command()
@takes(WorkRequest)
def work(context: typer.Context, request: WorkRequest) -> None:
    """Work on a pipeline in this process.

    Claims rows, hands them to the pipeline's handler, writes its results, again and again. Ctrl-C ends it after what is
    done is written, and gives the rest back; so does SIGTERM. What was in work when a worker was killed is taken up
    again by the next. Beside a daemon this adds a worker: for hn_item and upload in the daemon itself, since items are
    taken in by one process.

        graphvine work article
        graphvine work article --batch 50 --until-empty

    In Python: graphvine.workers.loop.Loop(graph, "article", handler).run()
    """
    check_pipeline(request.pipeline)
    from graphvine.workers.cli.run_worker import work_on

    with opened(context, create=True, share=True) as graph:
        interrupted = work_on(graph, request)
    if interrupted:
        raise KeyboardInterrupt
