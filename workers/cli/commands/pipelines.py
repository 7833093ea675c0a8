"""graphvine pipelines"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.output import show, show_json, table

app = new_app()


@app.command()
def pipelines(
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the pipelines, their hooks and where they come from.

    Those of this package, those of installed distributions (by an entry point of the group graphvine.pipelines), and
    those in the folder that the setting pipelines_folder names. A graph is not needed.

        graphvine pipelines
        GRAPHVINE_PIPELINES_FOLDER=~/pipelines graphvine pipelines

    In Python: graphvine.workers.registry.pipelines()
    """
    from graphvine.workers.hooks import FUNCTIONS
    from graphvine.workers.registry import declarations

    rows = [
        {
            "name": one.name, "title": one.title, "found in": place.by,
            "hooks": [hook for hook in FUNCTIONS if getattr(one, hook) is not None],
        }
        for place, one in declarations()
    ]  # fmt: skip
    if json:
        show_json(rows)
    else:
        cells = [(row["name"], row["title"], ", ".join(row["hooks"]), row["found in"]) for row in rows]
        show(table(("pipeline", "what it does", "hooks", "found in"), cells))
