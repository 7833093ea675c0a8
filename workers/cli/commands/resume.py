"""graphvine resume"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened

app = new_app()


@app.command()
def resume(
    context: typer.Context,
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="The pipeline that is to go on.")],
) -> None:
    """Let a paused pipeline go on.

        graphvine resume article

    In Python: graph.resume("article")
    """
    with opened(context) as graph:
        graph.resume(pipeline)
    print(f"{pipeline} goes on")
