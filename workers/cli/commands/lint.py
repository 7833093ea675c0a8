"""graphvine lint"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.output import show_json

app = new_app()


@app.command()
def lint(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", exists=True, file_okay=False, help="The .cypher files of a pipeline.")
    ],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prove the query files of a pipeline.

    Every block does what its head says; every state can be reached and left; no claim is let go without its token; the
    claim contract is whole; no hint is missing. For Kuzu and for Neo4j. FOLDER holds the files, or has them in
    queries/; the tables are in schema/ beside them. A graph is not needed. The exit status is 1 when something does not
    hold.

        graphvine lint my_pipeline/
        graphvine lint my_pipeline/ --json | jq '.faults[]'

    In Python: graphvine.lint.lint(Path("my_pipeline"))
    """
    from graphvine.lint import lint as prove

    found = prove(folder)
    if json:
        faults = [{"file": fault.file, "line": fault.line, "message": fault.message} for fault in found.faults]
        show_json({"pipelines": found.pipelines, "blocks": found.blocks, "ok": not faults, "faults": faults})
    else:
        for fault in found.faults:
            print(fault)
        if not found.faults:
            print(f"{found.blocks} blocks of {len(found.pipelines)} files hold, for Kuzu and for Neo4j.")
    if found.faults:
        raise typer.Exit(1)
