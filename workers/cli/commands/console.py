"""graphvine console"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened

app = new_app()


@app.command()
def console(
    context: typer.Context,
    commands: Annotated[
        list[str] | None,
        typer.Option("-c", "--command", metavar="QUERY", help="Run this and end; may be given several times."),
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=JSON", help="A parameter, $NAME in a statement that reads."),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print results as CSV.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print results as JSON, a list a statement.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Allow statements that change the graph.")] = False,
    max_rows: Annotated[
        int | None,
        typer.Option("--max-rows", metavar="N", min=1, help="Most rows of a result (setting query_max_rows)."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout", metavar="SECONDS", min=0.001, help="Longest time for a read (setting query_timeout_seconds)."
        ),
    ] = None,
) -> None:
    """Ask the graph in Cypher.

    At a prompt with history (Up), completion (Tab) and statements over several lines, each ended by ';'. With -c, or
    when standard input is not a terminal, it runs what it is given and ends; the first error ends it with status 1.
    Without --write, a statement that would change something is refused before it reaches the engine.

        graphvine console
        graphvine console --csv -c "MATCH (a:Article) RETURN a.title, a.expansion_state" > articles.csv
        graphvine console --param title='"Vine"' -c 'MATCH (a:Article {title: $title}) RETURN a'
        graphvine console < report.cypher

    In Python: graph.query("MATCH (a:Article) RETURN count(*)"), and graph.execute(...) for what writes
    """
    if csv and json:
        context.fail("--csv or --json, not both")
    from graphvine.errors import QueryError
    from graphvine.workers.cli.console.meta_commands import BadMeta, Leave, parameter, run
    from graphvine.workers.cli.console.session import LONGEST, Session, from_lines

    try:
        given = dict(parameter(text) for text in parameters or ())
    except BadMeta as error:
        context.fail(f"--param: {error}")
    with opened(context) as graph:
        session = Session(graph, "csv" if csv else "json" if json else "table", write, given, max_rows, timeout)
        if not commands and sys.stdin.isatty():
            from graphvine.workers.cli.console.prompt import converse

            converse(session)
            return
        typed: Iterator[str]
        if commands:
            typed = (one for text in commands for one in from_lines([text]))
        else:
            # Whatever the locale says: in the C locale Python would let any byte through.
            script = io.TextIOWrapper(sys.stdin.buffer, "utf-8")
            typed = from_lines(iter(lambda: script.readline(LONGEST + 1), ""))
        try:
            for one in typed:
                run(one, session)
        except Leave:
            return
        except UnicodeDecodeError:
            raise QueryError("standard input is not UTF-8 text") from None
