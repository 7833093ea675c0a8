"""Copies of a graph: backup, restore, export, load."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened, place
from graphvine.workers.cli.output import plural, report, size

app = new_app()


class ExportFormat(StrEnum):
    parquet = "parquet"
    csv = "csv"
    jsonl = "jsonl"
    graphml = "graphml"
    gexf = "gexf"


@app.command()
def backup(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The folder to create.")],
) -> None:
    """Copy the graph into a new folder, while it is being used.

    The copy is whole or not there, and carries checksums that 'graphvine restore' compares.

        graphvine backup backups/monday

    In Python: graph.backup("backups/monday")
    """
    from graphvine.workers.cli.progress import bar

    with opened(context) as graph, bar("copying") as progress:
        made = graph.backup(target, progress)
    said = f"{target}: {plural(len(made.files), 'file')}, {size(made.size_bytes)}"
    report(context, said, target=str(target), files=len(made.files), bytes=made.size_bytes)


@app.command()
def restore(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder made by 'graphvine backup'.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the graph that is there.")] = False,
) -> None:
    """Restore a graph from a backup.

    Every file is checked first. A graph that is there is replaced only with --force.

        graphvine --graph wiki.kuzu restore backups/monday

    In Python: graphvine.restore("backups/monday", "wiki.kuzu")
    """
    import graphvine
    from graphvine.workers.cli.progress import bar

    where = place(context)
    with bar("restoring") as progress:
        made = graphvine.restore(source, where, force=force, progress=progress)
    said = f"{where}: restored as of {made.made_at}, {size(made.size_bytes)}"
    report(context, said, made_at=made.made_at, bytes=made.size_bytes)


@app.command()
def export(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The folder or file to create.")],
    format: Annotated[
        ExportFormat | None,
        typer.Option("--format", metavar="parquet|csv|jsonl|graphml|gexf", help="Otherwise the ending of TARGET says."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label", metavar="LABEL", help="Only these kinds of nodes and what joins them; not for parquet."
        ),
    ] = None,
) -> None:
    """Write the graph into files for engines and other programs.

    A folder of Parquet files with checksums holds everything and is what 'graphvine load' reads. GraphML and GEXF are
    single files for Gephi, yEd or networkx; JSON Lines a single file with one node or relationship a line; CSV a folder
    with a file for each kind. These leave embeddings and the columns of the queue out. Nobody may write to a Neo4j
    server meanwhile.

        graphvine --graph wiki.kuzu export moving/
        graphvine export wiki.graphml --label Article

    In Python: graph.export("moving/"), graphvine.graph_files.write(graph, "wiki.graphml")
    """
    from graphvine.workers.cli.progress import counting

    ending = target.suffix.lower().removeprefix(".")
    if format is None and ending.isalpha() and ending not in ExportFormat.__members__:
        known = ", ".join(f".{one}" for one in ExportFormat if one not in ("parquet", "csv"))
        context.fail(f"a file is written as {known}, not .{ending}; for a folder say --format parquet or csv")
    chosen = format or (ExportFormat(ending) if ending in ExportFormat.__members__ else ExportFormat.parquet)
    if chosen is ExportFormat.parquet:
        if label:
            context.fail("--label goes with csv, jsonl, graphml and gexf: Parquet holds the whole graph")
        with opened(context) as graph, counting("exporting") as progress:
            made = graph.export(target, progress)
        said = f"{target}: {plural(len(made.tables), 'table')}, {plural(made.rows, 'row')}"
        report(context, said, target=str(target), format="parquet", tables=len(made.tables), rows=made.rows)
        if made.left_out:
            print(f"left out, since no other engine can hold it: {', '.join(made.left_out)}", file=sys.stderr)
        return
    from graphvine.graph_files import write

    with opened(context) as graph:
        nodes, edges = write(graph, target, chosen.value, labels=label)
    said = f"{target}: {plural(nodes, 'node')}, {plural(edges, 'relationship')}"
    report(context, said, target=str(target), format=chosen.value, nodes=nodes, relationships=edges)


@app.command()
def load(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder made by 'graphvine export'.")],
) -> None:
    """Load an exported graph into an empty one, on any engine.

    Every row is read back at the end and compared with the export, by counts and checksums. On a server all pipelines
    are paused while it is loaded.

        graphvine --graph neo4j://localhost:7687 load moving/

    In Python: graph.load("moving/")
    """
    from graphvine.workers.cli.progress import counting

    with opened(context, create=True) as graph, counting("loading") as progress:
        made = graph.load(source, progress)
        where = graph.where
    said = f"{where}: {plural(len(made.tables), 'table')}, {plural(made.rows, 'row')}, equal to the export"
    report(context, said, tables=len(made.tables), rows=made.rows)
