"""The command of the service: serve."""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.options import common
from graphvine.workers.cli.output import show_json

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
    json_logs: Annotated[
        bool, typer.Option("--json-logs", help="Log lines as JSON in a terminal, too, as they are elsewhere.")
    ] = False,
) -> None:
    """Run the daemon: workers, jobs, the HTTP API, the dashboard.

    One process that owns the graph: every other command finds it by itself and goes through it, and 'graphvine work'
    in other processes adds workers. It listens on loopback; all that writes needs the token, which stands beside the
    graph in the file that ends in .service. In a terminal it prints a link that logs your browser in; 'graphvine open'
    makes another. SIGTERM ends it within ten seconds, and gives back what is in work.

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
    daemon = Daemon(options.graph or core.graph, core, chosen, verbose=options.verbose, json_logs=json_logs or None)
    raise typer.Exit(daemon.run())


@app.command(name="open")
def open_page(
    context: typer.Context,
    show: Annotated[bool, typer.Option("--print", help="Print the link instead of opening a browser.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the link as JSON, and open nothing.")] = False,
) -> None:
    """Open the dashboard in a browser, logged in.

    It asks the process that serves the graph for a link whose code works once and for five minutes.

        graphvine open
        graphvine open --print

    In Python: graphvine.workers.serve.commands.login_link(where)
    """
    from graphvine.settings import load

    where = common(context).graph or load().graph
    link = login_link(where)
    if as_json:
        show_json({"graph": where, "link": link})
        return
    if show:
        typer.echo(link)
        return
    import webbrowser

    typer.echo("The dashboard opens in your browser. If it does not, open this link, which works once:")
    typer.echo(f"  {link}")
    webbrowser.open(link)


def login_link(where: str) -> str:
    """A link that logs a browser in, once; of the process that serves this graph."""
    import json
    import ssl
    from urllib.request import Request, urlopen

    from graphvine.errors import GraphvineError
    from graphvine.service_file import find

    service = find(where)
    if service is None:
        raise GraphvineError(f"nobody serves {where}: start `graphvine serve --graph {where}` first")
    request = Request(
        f"{service.address}/login/codes", method="POST", headers={"Authorization": f"Bearer {service.token}"}
    )
    context = ssl.create_default_context(cafile=service.certificate) if service.certificate else None
    with urlopen(request, timeout=10, context=context) as answer:  # the address is that of our own process
        return service.address + str(json.load(answer)["path"])
