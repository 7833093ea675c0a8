"""Where things stand: status, failed, stats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphvine.core_requests import FailedRequest
from graphvine.dispatch import dispatch
from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened
from graphvine.workers.cli.options import common, lists
from graphvine.workers.cli.output import listed, local_time, one_line, plain, plural, printable, show, show_json, table
from graphvine.workers.cli.pager import paged
from graphvine.workers.cli.request_arguments import takes

if TYPE_CHECKING:
    from graphvine.records import FailedRow

app = new_app()


@app.command()
def status(
    context: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show it again and again, with rates, until Ctrl-C.")] = False,
    every: Annotated[
        float, typer.Option("--every", metavar="SECONDS", min=0.1, max=3600, help="With --watch: how often.")
    ] = 2.0,
    samples: Annotated[
        int | None, typer.Option("--samples", metavar="N", min=1, help="With --watch: stop after so many.")
    ] = None,
) -> None:
    """Show where every pipeline stands.

    The totals, then for each pipeline with rows how many are in each state, ready to be claimed, backing off after a
    failure, claimed or failed, and whether it is paused. What is zero is left out; --json has everything. With --watch
    and --json, each sample is one line.

        graphvine status
        graphvine status --json | jq '.pipelines[] | {pipeline, ready, failed}'

    In Python: graph.status()
    """
    if samples is not None and not watch:
        context.fail("--samples goes with --watch")
    from graphvine.workers.search.requests import StatusReportRequest

    with opened(context) as graph:
        if watch:
            from graphvine.workers.cli.status_output import watch as watch_status

            watch_status(graph, every_seconds=every, samples=samples, as_lines=json)
        elif json:
            found = dispatch(graph, StatusReportRequest())
            show_json({"graph": graph.where, "pipelines": found.pipelines, "edges": found.edges})
        else:
            from graphvine.workers.cli.status_output import edge_lines, status_view

            found = dispatch(graph, StatusReportRequest())
            show(status_view(graph.where, found.pipelines))
            for line in edge_lines(found.edges):
                print(line)


@app.command()
@lists
@takes(FailedRequest)
def failed(
    context: typer.Context,
    request: FailedRequest,
    trace: Annotated[bool, typer.Option("--trace", help="Show every attempt with its traceback.")] = False,
) -> None:
    """Show what failed, and why.

    The newest come first. Up to ten failures are kept of each row; --trace shows them all. With --skipped it shows what
    was skipped instead: titles without a page, disambiguation pages. --json and --jsonl have every failure that was
    kept, --csv the last reason.

        graphvine failed article
        graphvine failed article --contains timeout --trace

    In Python: graph.failed("article", contains="timeout")
    """
    form = common(context).form
    if form and trace:
        context.fail(f"choose one of --{form} and --trace")
    with opened(context) as graph:
        found = dispatch(graph, request)
    rows = [{"pipeline": name, **plain(row)} for name, several in found.items() for row in several]
    what = "skipped" if request.skipped else "failed"
    for row in rows if form == "csv" else ():
        row.pop("failures")
    if listed(context, what, rows):
        pass
    elif not rows:
        print(
            f"nothing {'was skipped' if request.skipped else what}"
            + (f" with {printable(request.contains)!r} in it" if request.contains else "")
        )
    elif trace:
        _print_attempts(found)
    else:
        _print_table(found, what)
    cut = [name for name, several in found.items() if len(several) == request.limit]
    if cut:
        shown = ", ".join(cut)
        typer.echo(f"only the newest {plural(request.limit, 'row')} of {shown} shown: see more with --limit", err=True)


def _print_table(found: dict[str, list[FailedRow]], what: str) -> None:
    several = len([name for name, rows in found.items() if rows]) > 1
    print(", ".join(f"{len(rows):,} {what} in {name}" for name, rows in found.items() if rows) + "\n")
    rows: list[tuple[Any, ...]] = [
        (
            *((name,) if several else ()),
            row.key,
            row.retry_count,
            local_time(row.failed_at),
            one_line(row.reason or "", 200),
        )
        for name, failures in found.items()
        for row in failures
    ]
    columns = (*(("pipeline",) if several else ()), "key", "attempts", f"{what} at", "reason")
    show(table(columns, rows, right=["attempts"]))


def _print_attempts(found: dict[str, list[FailedRow]]) -> None:
    for name, several in found.items():
        for row in several:
            print(f"{name}  {printable(row.key)}  ({plural(row.retry_count, 'attempt')}, {local_time(row.failed_at)})")
            for failure in row.failures:
                head = f"attempt {failure.attempt}, {local_time(failure.at)}, {failure.kind}"
                print(f"    {head}: {one_line(failure.message)}")
                for line in (failure.trace or "").splitlines():
                    print(f"        {printable(line)}")


@app.command()
@paged()
def stats(
    context: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the plots as SVG into this file.")
    ] = None,
) -> None:
    """Show how large the graph is and what shape it has.

    Nodes and relationships by kind; articles by depth, by day, by links and by sections; items by type, news by
    sentiment. Counting a large graph takes a while.

        graphvine stats
        graphvine stats -o stats.svg

    In Python: graphvine.stats.stats(graph)
    """
    from graphvine.stats import stats as count
    from graphvine.workers.cli.progress import activity

    with opened(context) as graph, activity("counting"):
        found, where = count(graph), graph.where
    if output is not None:
        output.write_text(found.svg(), "utf-8")
    if json:
        plots = [{"title": one.title, "counts": dict(one.bars)} for one in found.distributions]
        show_json({"graph": where, "nodes": found.nodes, "relationships": found.relationships, "distributions": plots})
        return
    kinds = [("node", found.nodes), ("relationship", found.relationships)]
    print(", ".join(plural(sum(counts.values()), name) for name, counts in kinds) + "\n")
    show(table(("kind", "rows"), [pair for _, counts in kinds for pair in _counted(counts)], right=["rows"]))
    for one in found.distributions:
        print(f"\n{one.title}")
        most, widest = max(count for _, count in one.bars), max(len(name) for name, _ in one.bars)
        for name, count_ in one.bars:
            print(f"  {printable(name):>{widest}}  {'█' * max(1, round(30 * count_ / most))} {count_:,}")
    if output is not None:
        print(f"\n{output}: the same as SVG")


def _counted(counts: dict[str, int]) -> list[tuple[str, str]]:
    return [(name, f"{count:,}") for name, count in sorted(counts.items(), key=lambda pair: -pair[1])]
