"""graphvine load"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.output import plural

app = new_app()


@app.command()
def load(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="A folder made by 'graphvine export'.")],
) -> None:
    """Load an exported graph into an empty one, on any engine.

    Every row is read back at the end and compared with the export, by counts and checksums. On a server all pipelines
    rest while it is loaded.

        graphvine --graph neo4j://localhost:7687 load moving/

    In Python: graph.load("moving/")
    """
    from graphvine.workers.cli.progress import counting

    with opened(context, create=True) as graph, counting("loading") as progress:
        made = graph.load(source, progress)
        where = graph.where
    print(f"{where}: {plural(len(made.tables), 'table')}, {plural(made.rows, 'row')}, equal to the export")
