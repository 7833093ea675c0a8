"""graphvine machine"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.output import show, show_json

app = new_app()


class Format(StrEnum):
    table = "table"
    mermaid = "mermaid"
    json = "json"


@app.command()
def machine(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A pipeline; without it, all are listed.")] = None,
    format: Annotated[
        Format, typer.Option("--format", metavar="table|mermaid|json", help="How to print it.")
    ] = Format.table,
) -> None:
    """Print a pipeline's states and the moves between them.

    They come from the query files, which are proved when they are loaded: what is printed is what runs. A graph is not
    needed. The column "beyond" says why a move is there that the pipeline's document does not have.

        graphvine machine
        graphvine machine article --format mermaid > article.mmd

    In Python: graph.library.machines["article"]
    """
    from graphvine.queries import library, render
    from graphvine.workers.cli.machine_tables import moves, overview, states

    machines = library().machines
    if name is None:
        if format is Format.mermaid:
            context.fail("a diagram shows one pipeline: name it")
        if format is Format.json:
            show_json([render.as_json(one) for one in machines.values()])
        else:
            show(overview(machines))
        return
    if name not in machines:
        from graphvine.errors import UnknownPipeline

        raise UnknownPipeline(name, list(machines))
    chosen = machines[name]
    if format is Format.mermaid:
        print(render.as_mermaid(chosen), end="")
    elif format is Format.json:
        show_json(render.as_json(chosen))
    else:
        show(states(chosen))
        show(moves(chosen))
