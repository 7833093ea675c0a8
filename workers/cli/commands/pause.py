"""graphvine pause"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened

app = new_app()


@app.command()
def pause(
    context: typer.Context,
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="The pipeline to pause.")],
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why, for those who look at the status.")
    ] = "",
) -> None:
    """Let nothing more be claimed in a pipeline.

    What is in work is finished. The pause is stored in the graph and holds until 'graphvine resume'.

        graphvine pause article --reason "the wiki is in maintenance"

    In Python: graph.pause("article", "the wiki is in maintenance")
    """
    with opened(context) as graph:
        graph.pause(pipeline, reason)
    print(f"{pipeline} is paused: 'graphvine resume {pipeline}' lets it go on")
