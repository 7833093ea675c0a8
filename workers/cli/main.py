"""The command `graphvine`."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, Any

import typer

import graphvine
from graphvine.workers.cli.group import CommandGroup
from graphvine.workers.cli.output import is_text

app = typer.Typer(
    cls=CommandGroup, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 110},
)  # fmt: skip


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"graphvine {graphvine.__version__}")
        raise typer.Exit


@app.callback()
def graphvine_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Grow a knowledge graph from seeds and never lose the place.

    A graph is a file: 'graphvine demo' makes one to look around in. Each command says what it does with --help, and
    which call does the same in Python.
    """


def command() -> Any:
    """The whole command line as one object, as typer builds it."""
    return typer.main.get_command(app)


def main() -> None:
    os.umask(0o077)  # graphs, logs, indexes, backups and exports are for their owner alone
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A title that the terminal's encoding lacks must not end the command.
            stream.reconfigure(errors="backslashreplace")
    for number, argument in enumerate(sys.argv[1:], 1):
        if not is_text(argument):
            print(f"error: argument {number}, {argument!r}, is not UTF-8 text", file=sys.stderr)
            sys.exit(2)
    command().main(prog_name="graphvine")
