"""graphvine backup"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.output import plural

app = new_app()


@app.command()
def backup(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The folder to make.")],
) -> None:
    """Copy the graph into a new folder.

    The copy is whole or not there, and carries checksums that 'graphvine restore' looks at.

        graphvine backup backups/monday

    In Python: graph.backup("backups/monday")
    """
    from graphvine.workers.cli.progress import bar

    with opened(context) as graph, bar("copying") as progress:
        made = graph.backup(target, progress)
    print(f"{target}: {plural(len(made.files), 'file')}, {plural(made.size_bytes, 'byte')}")
