"""graphvine config"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.options import common
from graphvine.workers.cli.output import show, show_json, table

app = new_app()


@app.command()
def config(
    context: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show every setting, and where its value comes from.

    A value comes from an option, then from a GRAPHVINE_* variable, then from graphvine.toml in the current folder (a
    pipeline's under a table of its own), then from the default.

        GRAPHVINE_BATCH_SIZE=50 graphvine config
        graphvine config --json | jq '.settings[] | select(.source != "default")'

    In Python: graphvine.settings.load()
    """
    from graphvine.workers.cli.settings_listing import listing, unknown_variables

    rows = listing(common(context).graph)
    if json:
        show_json({"settings": rows})
    else:
        columns = "setting", "value", "from", "default", "meaning"
        cells = [(row["name"], row["value"], row["source"], row["default"], row["help"]) for row in rows]
        show(table(columns, cells))
    for sentence in unknown_variables(rows):
        typer.echo(f"note: {sentence}", err=True)
