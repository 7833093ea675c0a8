"""graphvine machine"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.output import show, show_json, table

if TYPE_CHECKING:
    from rich.table import Table

    from graphvine.queries import Machine

app = new_app()


class Format(str, Enum):
    table = "table"
    mermaid = "mermaid"
    json = "json"


@app.command()
def machine(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A pipeline; without it, all are listed.")] = None,
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

    machines = library().machines
    if name is None:
        if format is Format.mermaid:
            context.fail("a diagram shows one pipeline: name it")
        if format is Format.json:
            show_json([render.as_json(one) for one in machines.values()])
        else:
            show(_overview(machines))
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
        show(_states(chosen))
        show(_moves(chosen))


def _overview(machines: dict[str, Machine]) -> Table:
    rows = [
        (name, f"{one.label}.{one.column}", one.key, ", ".join(_marked(one)), len(one.moves))
        for name, one in machines.items()
    ]
    return table(("pipeline", "state column", "key", "states (* first, ! may rest)", "moves"), rows, right=["moves"])


def _marked(one: Machine) -> list[str]:
    return [state.name + "*" * state.initial + "!" * state.final for state in one.states]


def _states(one: Machine) -> Table:
    rows = []
    for state in one.states:
        marks = [word for word in ("initial", "claimed", "final") if getattr(state, word)]
        rows.append((state.name, ", ".join(marks), state.beyond or ""))
    return table(("state", "is", "beyond"), rows, title=f"{one.label}.{one.column}")


def _moves(one: Machine) -> Table:
    from graphvine.queries import render

    rows = render.as_table(one)
    columns = [name for name in rows[0] if name == "from" or any(row[name] for row in rows)]
    return table(columns, [[row[name] for name in columns] for row in rows])
