"""graphvine status"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.output import show, show_json

app = new_app()


@app.command()
def status(
    context: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show it again and again, with rates, until Ctrl-C.")] = False,
    every: Annotated[
        float, typer.Option("--every", metavar="SECONDS", min=0.1, max=3600, help="With --watch: how often.")
    ] = 2.0,
    samples: Annotated[
        int | None, typer.Option("--samples", metavar="N", min=1, help="With --watch: stop after so many.")
    ] = None,
) -> None:
    """Show where every pipeline stands.

    For each pipeline: how many rows are in each state, how many are ready to be claimed, backing off after a failure,
    claimed or failed, and whether it is paused. With --watch and --json, each sample is one line.

        graphvine status
        graphvine status --json | jq '.pipelines[] | {pipeline, ready, failed}'

    In Python: graph.status()
    """
    if samples is not None and not watch:
        context.fail("--samples goes with --watch")
    with opened(context) as graph:
        if watch:
            from graphvine.workers.cli.status_output import watch as watch_status

            watch_status(graph, every_seconds=every, samples=samples, as_lines=json)
        elif json:
            show_json({"graph": graph.where, "pipelines": graph.status()})
        else:
            from graphvine.workers.cli.status_output import status_table

            show(status_table(graph.status()))
