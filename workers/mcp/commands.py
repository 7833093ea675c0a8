"""The command of the assistants' server: mcp."""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import opened

app = new_app()


@app.command()
def mcp(
    context: typer.Context,
    max_rows: Annotated[
        int, typer.Option("--max-rows", metavar="N", min=1, max=10_000, help="Most rows of an answer.")
    ] = 200,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Longest time for a Cypher query.")
    ] = 10,
) -> None:
    """Offer the graph to an assistant as tools (MCP).

    It speaks the Model Context Protocol on standard input and output.

    The tools are search, cypher (which only reads), tables, status, neighbourhood, and thread for Hacker News. Each
    call opens the graph as any command does, through the process that serves it where one does, and closes it again: an
    assistant that stays open for days holds no file. Needs the extra 'mcp'. A daemon offers the same at /mcp.

        graphvine mcp --graph wiki.kuzu
        {"mcpServers": {"graphvine": {"command": "graphvine", "args": ["mcp", "--graph", "/path/to/wiki.kuzu"]}}}

    In Python: graphvine.workers.mcp.server.build(tools).run("stdio")
    """
    from graphvine.workers.mcp.server import build
    from graphvine.workers.mcp.tools import Tools

    build(Tools(lambda: opened(context), max_rows=max_rows, seconds=timeout)).run("stdio")
