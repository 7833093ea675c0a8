"""graphvine restore"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import place
from graphvine.workers.cli.output import plural

app = new_app()


@app.command()
def restore(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="A folder made by 'graphvine backup'.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the graph that is there.")] = False,
) -> None:
    """Put a backup in the place of a graph.

    Every file is checked first. A graph that is there is replaced only with --force.

        graphvine --graph wiki.kuzu restore backups/monday

    In Python: graphvine.restore("backups/monday", "wiki.kuzu")
    """
    import graphvine
    from graphvine.workers.cli.progress import bar

    where = place(context)
    with bar("restoring") as progress:
        made = graphvine.restore(source, where, force=force, progress=progress)
    print(f"{where}: as it was at {made.made_at}, {plural(made.size_bytes, 'byte')}")
