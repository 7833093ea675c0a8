"""graphvine requeue"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.output import plural

app = new_app()


@app.command()
def requeue(
    context: typer.Context,
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="The pipeline of the rows.")],
    keys: Annotated[list[str] | None, typer.Argument(metavar="KEY", help="The rows, by their keys.")] = None,
    contains: Annotated[
        str | None, typer.Option("--contains", metavar="TEXT", help="Those with this in their key or their error.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything that failed.")] = False,
) -> None:
    """Put failed rows back into the queue, with a clean slate.

    Say which: by key, by a part of the key or of the error, or all.

        graphvine requeue article "Grape vine" Ivy
        graphvine requeue article --contains timeout

    In Python: graph.requeue("article", keys=["Ivy"])
    """
    if (bool(keys), contains is not None, everything).count(True) != 1:
        context.fail("say which rows: either keys, or --contains TEXT, or --all")
    with opened(context) as graph:
        moved = graph.requeue(pipeline, keys=keys or None, contains=contains, everything=everything)
    print(f"{plural(moved, 'row')} of {pipeline} back in the queue")
    left = len(set(keys or ())) - moved
    if left > 0:
        typer.echo(f"{plural(left, 'row was', 'rows were')} left alone: only what failed is put back", err=True)
