"""The command of the service: serve."""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.options import common

app = new_app()


@app.command()
def serve(
    context: typer.Context,
    host: Annotated[
        str | None, typer.Option("--host", metavar="ADDRESS", help="Where to listen (setting serve.host).")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", min=0, max=65535, help="The port, 0 for any (setting serve.port)."),
    ] = None,
    worker: Annotated[
        list[str] | None,
        typer.Option("--worker", metavar="PIPELINE=N", help="How many workers; otherwise the settings say."),
    ] = None,
) -> None:
    """Run the daemon: workers, jobs, the HTTP API, the dashboard.

    One process that owns the graph: every other command finds it by itself and goes through it, and 'graphvine work'
    in other processes adds workers. It listens on loopback; all that writes needs the token, which stands beside the
    graph in the file that ends in .service. SIGTERM ends it within ten seconds, and gives back what is in work.

        graphvine serve
        graphvine serve --worker article=2 --worker hn_item=0 --port 9000

    In Python: graphvine.workers.serve.daemon.Daemon(where, settings, serve_settings).run()
    """
    from graphvine.settings import load
    from graphvine.workers.serve import settings as serve_settings
    from graphvine.workers.serve.daemon import Daemon

    options = common(context)
    chosen = serve_settings.load(host=host, port=port)
    if worker:
        chosen = serve_settings.load(
            host=host, port=port, workers={**chosen.workers, **serve_settings.workers_from(worker)}
        )
    core = load()
    daemon = Daemon(options.graph or core.graph, core, chosen, verbose=options.verbose)
    raise typer.Exit(daemon.run())
