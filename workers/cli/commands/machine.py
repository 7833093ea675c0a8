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


class Dialect(StrEnum):
    kuzu = "kuzu"
    neo4j = "neo4j"


@app.command()
def machine(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="A pipeline; without it, all are listed.")] = None,
    format: Annotated[
        Format, typer.Option("--format", metavar="table|mermaid|json", help="How to print it.")
    ] = Format.table,
    statements: Annotated[bool, typer.Option("--statements", help="Print the statements that run instead.")] = False,
    dialect: Annotated[
        Dialect, typer.Option("--dialect", metavar="kuzu|neo4j", help="With --statements: for which engine.")
    ] = Dialect.kuzu,
    block: Annotated[
        str | None, typer.Option("--block", metavar="BLOCK", help="With --statements: this one alone.")
    ] = None,
) -> None:
    """Print a pipeline's states and moves, or its statements.

    They come from the query files: what is printed is what runs. A graph is not needed. The column "beyond" says why a
    move is there that the pipeline's document does not have.

    With --statements every block is printed as it is sent to the engine, those that all pipelines share included. Where
    the text depends on the values of a call, each form is printed.

        graphvine machine
        graphvine machine article --format mermaid > article.mmd
        graphvine machine article --statements --dialect neo4j --block claim

    In Python: graph.library.machines["article"], graph.library.statements["article.claim"].text
    """
    from graphvine.pipelines import folder_setting, library
    from graphvine.queries import render
    from graphvine.workers.cli.machine_tables import moves, overview, states

    if statements or block is not None:
        _statements(context, name, dialect, block, as_json=format is Format.json)
        return
    machines = library("kuzu", folder_setting()).machines
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


def _statements(context: typer.Context, name: str | None, dialect: str, block: str | None, *, as_json: bool) -> None:
    from graphvine.errors import UnknownPipeline
    from graphvine.pipelines import folder_setting, library
    from graphvine.queries import render

    blocks = library(dialect, folder_setting())
    if name is None:
        context.fail("statements are printed of one pipeline: name it")
    if name not in blocks.entities:
        raise UnknownPipeline(name, list(blocks.entities))
    wanted = list(blocks.entities[name].blocks.values()) if block is None else [blocks.block(f"{name}.{block}")]
    found = render.as_statements(blocks, wanted)
    if as_json:
        show_json(found)
    else:
        print(render.as_cypher(found), end="")
