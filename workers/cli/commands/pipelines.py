"""Pipelines and what they are made of: machine, pipelines, new, lint."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.options import lists
from graphvine.workers.cli.output import listed, plural, report, show, show_json, table
from graphvine.workers.cli.pager import paged

app = new_app()
new = new_app("Write the beginnings of something of your own.")
app.add_typer(new, name="new")


class Format(StrEnum):
    table = "table"
    mermaid = "mermaid"
    json = "json"


class Dialect(StrEnum):
    kuzu = "kuzu"
    neo4j = "neo4j"


@app.command()
@paged()
def machine(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="PIPELINE", help="Which one; without it, all are listed.")
    ] = None,
    format: Annotated[
        Format, typer.Option("--format", metavar="table|mermaid|json", help="How to print it.")
    ] = Format.table,
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    statements: Annotated[bool, typer.Option("--statements", help="Print the statements that run instead.")] = False,
    dialect: Annotated[
        Dialect, typer.Option("--dialect", metavar="kuzu|neo4j", help="With --statements: for which engine.")
    ] = Dialect.kuzu,
    block: Annotated[
        str | None, typer.Option("--block", metavar="BLOCK", help="With --statements: this one alone.")
    ] = None,
) -> None:
    """Print a pipeline's states and moves, or its statements.

    They come from the query files: what is printed is what runs. A graph is not needed. The column "beyond" says why a
    move is there that the pipeline's document does not have.

    With --statements every block is printed as it is sent to the engine, those that all pipelines share included. Where
    the text depends on the values of a call, each form is printed.

        graphvine machine
        graphvine machine article --format mermaid > article.mmd
        graphvine machine article --statements --dialect neo4j --block claim

    In Python: graph.library.machines["article"], graph.library.statements["article.claim"].text
    """
    from graphvine.pipelines import folder_setting, library
    from graphvine.queries import render
    from graphvine.workers.cli.machine_tables import moves, overview, states

    format = Format.json if json else format
    if statements or block is not None:
        _statements(context, name, dialect, block, as_json=format is Format.json)
        return
    machines = library("kuzu", folder_setting()).machines
    if name is None:
        if format is Format.mermaid:
            context.fail("a diagram shows one pipeline: name it")
        if format is Format.json:
            show_json({"machines": [render.as_json(one) for one in machines.values()]})
        else:
            show(overview(machines))
        return
    if name not in machines:
        from graphvine.errors import UnknownPipeline

        raise UnknownPipeline(name, list(machines))
    chosen = machines[name]
    if format is Format.mermaid:
        print(render.as_mermaid(chosen), end="")
    elif format is Format.json:
        show_json(render.as_json(chosen))
    else:
        show(states(chosen))
        show(moves(chosen))


def _statements(context: typer.Context, name: str | None, dialect: str, block: str | None, *, as_json: bool) -> None:
    from graphvine.errors import UnknownPipeline
    from graphvine.pipelines import folder_setting, library
    from graphvine.queries import render

    blocks = library(dialect, folder_setting())
    if name is None:
        context.fail("statements are printed of one pipeline: name it")
    if name not in blocks.entities:
        raise UnknownPipeline(name, list(blocks.entities))
    wanted = list(blocks.entities[name].blocks.values()) if block is None else [blocks.block(f"{name}.{block}")]
    found = render.as_statements(blocks, wanted)
    if as_json:
        show_json({"statements": found})
    else:
        print(render.as_cypher(found), end="")


@app.command()
@lists
def pipelines(context: typer.Context) -> None:
    """List the pipelines, their hooks and where they come from.

    Those of this package, those of installed distributions (by an entry point of the group graphvine.pipelines), and
    those in the folder that the setting pipelines_folder names. A graph is not needed.

        graphvine pipelines
        GRAPHVINE_PIPELINES_FOLDER=~/pipelines graphvine pipelines

    In Python: graphvine.workers.registry.pipelines()
    """
    from graphvine.workers.hooks import FUNCTIONS
    from graphvine.workers.registry import declarations

    rows = [
        {
            "name": one.name, "title": one.title, "found_in": place.by,
            "hooks": [hook for hook in FUNCTIONS if getattr(one, hook) is not None],
        }
        for place, one in declarations()
    ]  # fmt: skip
    if not listed(context, "pipelines", rows):
        cells = [(row["name"], row["title"], ", ".join(row["hooks"]), row["found_in"]) for row in rows]
        show(table(("pipeline", "what it does", "hooks", "found in"), cells))


@new.command()
def pipeline(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits and '_', such as 'notes'.")],
    folder: Annotated[Path, typer.Option("--folder", metavar="FOLDER", help="Where to make its folder.")] = Path(),
) -> None:
    """Write a pipeline of your own into a folder NAME.

    With everything that it takes, and a test. It works as it is: go into the folder, seed it and let it work.
    docs/pipelines.md goes on from there.

        graphvine new pipeline notes
        graphvine new pipeline notes --folder ~/pipelines

    In Python: graphvine.workers.cli.new_pipeline.write("notes", Path("."))
    """
    from graphvine.workers.cli.new_pipeline import write

    made = write(name, folder)
    steps = [f"cd {made}", f"graphvine seed {name} one two three", f"graphvine work {name} --until-empty"]
    said = "\n  ".join([f"{made}: the pipeline {name!r}. Next:", *steps])
    report(context, said, pipeline=name, folder=str(made), next=steps)


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
            files = plural(len(found.pipelines), "file")
            print(f"{plural(found.blocks, 'block')} of {files} hold, for Kuzu and for Neo4j.")
    if found.faults:
        raise typer.Exit(1)
