"""graphvine exclude"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.output import plural

app = new_app()


@app.command()
def exclude(
    context: typer.Context,
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="The pipeline of the rows.")],
    keys: Annotated[list[str], typer.Argument(metavar="KEY", help="The rows, by their keys.")],
) -> None:
    """Take rows out of the queue for good.

    Rows that wait or failed are never claimed again. What is being worked on, or is done, is left alone.

        graphvine exclude article "List of lists of lists"

    In Python: graph.exclude("article", ["List of lists of lists"])
    """
    with opened(context) as graph:
        moved = graph.exclude(pipeline, keys)
    print(f"{plural(moved, 'row')} of {pipeline} excluded")
    left = len(set(keys)) - moved
    if left > 0:
        typer.echo(f"{plural(left, 'row was', 'rows were')} left alone: in work, done or excluded already", err=True)
