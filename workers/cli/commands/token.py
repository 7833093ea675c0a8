"""graphvine token create|list|revoke"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.options import common, lists
from graphvine.workers.cli.output import listed, report, show, table

app = new_app()
token = new_app("Make, list and revoke tokens for the daemon, each with its scope.")
app.add_typer(token, name="token")
Name = Annotated[str, typer.Argument(metavar="NAME", help="Who or what it is for.")]


@token.command()
def create(
    context: typer.Context,
    name: Name,
    scope: Annotated[
        Literal["read", "work", "admin"],
        typer.Option("--scope", metavar="SCOPE", help="read: look; work: also workers and jobs; admin: everything."),
    ] = "read",
) -> None:
    """Make a token and print it, once: only its hash is kept.

    The daemon knows it at once. Clients send it as 'Authorization: Bearer TOKEN', or have it in GRAPHVINE_TOKEN.

        graphvine token create grafana
        GRAPHVINE_TOKEN=$(graphvine token create worker-2 --scope work) graphvine --graph http://host:8420 work article

    In Python: graphvine.workers.serve.access.create("wiki.kuzu", "grafana", "read")
    """
    from graphvine.workers.serve.access import create as make

    made = make(_where(context), name, scope)
    report(context, made, name=name, scope=scope, token=made)


@token.command(name="list")
@lists
def list_tokens(context: typer.Context) -> None:
    """Show the tokens of a graph: names, scopes, when they were made.

        graphvine token list

    In Python: graphvine.workers.serve.access.listed("wiki.kuzu")
    """
    from graphvine.workers.serve.access import listed as known

    rows = [(one.name, one.scope, one.created) for one in known(_where(context))]
    columns = "name", "scope", "created"
    if not listed(context, "tokens", (dict(zip(columns, row, strict=True)) for row in rows)):
        show(table(columns, rows))


@token.command()
def revoke(context: typer.Context, name: Name) -> None:
    """Refuse a token from now on.

        graphvine token revoke grafana

    In Python: graphvine.workers.serve.access.revoke("wiki.kuzu", "grafana")
    """
    from graphvine.workers.serve.access import revoke as remove

    remove(_where(context), name)
    report(context, f"the token {name} is refused from now on", name=name, revoked=True)


def _where(context: typer.Context) -> str:
    from graphvine.settings import load

    return common(context).graph or load().graph
