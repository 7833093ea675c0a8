"""graphvine doctor"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.output import plural, printable, show, show_json, table

app = new_app()


@app.command()
def doctor(
    context: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="List the checks that are well, too.")] = False,
) -> None:
    """Check the whole graph.

    Counts every table, looks every key up, compares states and numbers. One line when all is well; otherwise the checks
    that failed, each with advice, and exit status 1.

        graphvine doctor
        graphvine doctor --json | jq '.findings[] | select(.ok | not)'

    In Python: graph.doctor()
    """
    from graphvine.workers.cli.progress import activity

    with opened(context) as graph:
        with activity("checking") as progress:
            findings = graph.doctor(progress)
        where = graph.where
    healthy = all(finding.ok for finding in findings)
    if json:
        show_json({"graph": where, "ok": healthy, "findings": findings})
    else:
        failed = sum(not finding.ok for finding in findings)
        said = "all ok" if healthy else f"{failed} failed"
        print(f"{printable(where)}: {plural(len(findings), 'check')}, {said}")
        shown = [f for f in findings if everything or not f.ok]
        if shown:
            rows = [(f.check, "ok" if f.ok else "FAILED", f.detail, f.advice) for f in shown]
            wanted = 4 if any(f.advice for f in shown) else 3  # no empty column
            show(table(("check", "result", "detail", "advice")[:wanted], [row[:wanted] for row in rows]))
    if not healthy:
        raise typer.Exit(1)
