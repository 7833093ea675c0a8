"""graphvine export"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.output import plural

app = new_app()


@app.command()
def export(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The folder to make.")],
) -> None:
    """Write the whole graph into a folder that any engine can load.

    Nodes, relationships, states, embeddings: a Parquet file for each table, with checksums that 'graphvine load'
    compares. Nobody may write to a Neo4j server meanwhile.

        graphvine --graph wiki.kuzu export moving/

    In Python: graph.export("moving/")
    """
    from graphvine.workers.cli.progress import counting

    with opened(context) as graph, counting("exporting") as progress:
        made = graph.export(target, progress)
    print(f"{target}: {plural(len(made.tables), 'table')}, {plural(made.rows, 'row')}")
    if made.left_out:
        names = ", ".join(made.left_out)
        print(f"left out, since no other engine has a place for it: {names}", file=sys.stderr)
