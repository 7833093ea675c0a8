"""graphvine console"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
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
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Print results as JSON Lines, a line a row.")] = False,
    vertical: Annotated[bool, typer.Option("--vertical", help="Print each row as lines of its own.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Append the results to this file.")
    ] = None,
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
    when standard input is not a terminal, it runs what it is given and ends; the first error ends it with status 1, and
    names the line of the script.
    Without --write, a statement that would change something is refused before it reaches the engine.

        graphvine console
        graphvine console --csv -c "MATCH (a:Article) RETURN a.title, a.expansion_state" > articles.csv
        graphvine console --param title='"Vine"' -c 'MATCH (a:Article {title: $title}) RETURN a'
        graphvine console < report.cypher

    In Python: graph.query("MATCH (a:Article) RETURN count(*)"), and graph.execute(...) for what writes
    """
    formats = [name for name, on in {"csv": csv, "json": json, "jsonl": jsonl, "vertical": vertical}.items() if on]
    if len(formats) > 1:
        context.fail("choose one of --csv, --json, --jsonl and --vertical")
    from graphvine.errors import GraphvineError, QueryError
    from graphvine.workers.cli.console.meta_commands import BadMeta, Leave, parameter, run
    from graphvine.workers.cli.console.session import LONGEST, Session, numbered

    try:
        given = dict(parameter(text) for text in parameters or ())
    except BadMeta as error:
        context.fail(f"--param: {error}")
    with opened(context) as graph:
        session = Session(graph, formats[0] if formats else "table", write, given, max_rows, timeout, output)
        if not commands and sys.stdin.isatty():
            from graphvine.workers.cli.console.prompt import converse

            converse(session)
            return
        typed: Iterator[tuple[int, str]]
        if commands:
            typed = (one for text in commands for one in numbered([text]))
        else:
            # Whatever the locale says: in the C locale Python would let any byte through.
            script = io.TextIOWrapper(sys.stdin.buffer, "utf-8")
            typed = numbered(iter(lambda: script.readline(LONGEST + 1), ""))
        line = 0
        try:
            for line, one in typed:  # noqa: B007  the line is for the error
                run(one, session)
        except Leave:
            return
        except UnicodeDecodeError:
            raise QueryError("standard input is not UTF-8 text") from None
        except GraphvineError as error:
            if commands or not line:
                raise
            raise QueryError(f"line {line}: {error}") from error
