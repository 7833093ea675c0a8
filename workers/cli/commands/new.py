"""graphvine new"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app

app = new_app()
new = new_app("Write the beginnings of something of your own.")
app.add_typer(new, name="new")


@new.command()
def pipeline(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits and '_', such as 'notes'.")],
    folder: Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="Where to make its folder.")] = Path(),
) -> None:
    """Write a pipeline of your own: a folder NAME with everything that it takes, and a test.

    It works as it is: go into the folder, seed it and let it work. docs/pipelines.md goes on from there.

        graphvine new pipeline notes
        graphvine new pipeline notes --folder ~/pipelines

    In Python: graphvine.workers.cli.new_pipeline.write("notes", Path("."))
    """
    from graphvine.workers.cli.new_pipeline import write

    made = write(name, folder)
    print(f"{made}: the pipeline {name!r}. Next:")
    print(f"  cd {made}")
    print(f"  graphvine seed {name} one two three")
    print(f"  graphvine work {name} --until-empty")
