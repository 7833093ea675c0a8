"""graphvine doctor"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.output import show, show_json, table

app = new_app()


@app.command()
def doctor(
    context: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look the whole graph over.

    Counts every table, looks every key up, compares states and numbers. The exit status is 1 when a check fails; each
    that does comes with advice.

        graphvine doctor
        graphvine doctor --json | jq '.findings[] | select(.ok | not)'

    In Python: graph.doctor()
    """
    from graphvine.workers.cli.progress import activity

    with opened(context) as graph:
        with activity("looking") as progress:
            findings = graph.doctor(progress)
        where = graph.where
    healthy = all(finding.ok for finding in findings)
    if json:
        show_json({"graph": where, "ok": healthy, "findings": findings})
    else:
        rows = [(f.check, "ok" if f.ok else "FAILED", f.detail, f.advice) for f in findings]
        show(table(("check", "result", "detail", "advice"), rows))
    if not healthy:
        raise typer.Exit(1)
