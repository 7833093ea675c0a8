"""graphvine failed"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphvine.core_requests import FailedRequest
from graphvine.dispatch import dispatch
from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.output import one_line, plain, plural, printable, show, show_json, table
from graphvine.workers.cli.request_arguments import takes

if TYPE_CHECKING:
    from graphvine.records import FailedRow

app = new_app()


@app.command()
@takes(FailedRequest)
def failed(
    context: typer.Context,
    request: FailedRequest,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, with every failure that was kept.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show every attempt with its traceback.")] = False,
) -> None:
    """Show what failed, and why.

    The newest come first. Up to ten failures are kept of each row; --trace shows them all.

        graphvine failed article
        graphvine failed article --contains timeout --trace

    In Python: graph.failed("article", contains="timeout")
    """
    with opened(context) as graph:
        found, where = dispatch(graph, request), graph.where
    if json:
        rows = [{"pipeline": name, **plain(row)} for name, several in found.items() for row in several]
        show_json({"graph": where, "failed": rows})
    elif not any(found.values()):
        print("nothing failed" + (f" with {printable(request.contains)!r} in it" if request.contains else ""))
    elif trace:
        _print_attempts(found)
    else:
        _print_table(found)
    cut = [name for name, several in found.items() if len(several) == request.limit]
    if cut:
        shown = ", ".join(cut)
        typer.echo(f"only the newest {plural(request.limit, 'row')} of {shown} shown: see more with --limit", err=True)


def _print_table(found: dict[str, list[FailedRow]]) -> None:
    rows: list[tuple[Any, ...]] = [
        (name, row.key, row.retry_count, _when(row.failed_at), one_line(row.reason or "", 200))
        for name, several in found.items()
        for row in several
    ]
    show(table(("pipeline", "key", "attempts", "failed at", "reason"), rows, right=["attempts"]))


def _print_attempts(found: dict[str, list[FailedRow]]) -> None:
    for name, several in found.items():
        for row in several:
            print(f"{name}  {printable(row.key)}  ({plural(row.retry_count, 'attempt')}, {_when(row.failed_at)})")
            for failure in row.failures:
                head = f"attempt {failure.attempt}, {_when(failure.at)}, {failure.kind}"
                print(f"    {head}: {one_line(failure.message)}")
                for line in (failure.trace or "").splitlines():
                    print(f"        {printable(line)}")


def _when(moment: Any) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment is not None else ""
