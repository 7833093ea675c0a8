"""The group at the top: it knows its commands by name and loads one when it is asked for."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from graphvine.queries.errors import GraphvineError, did_you_mean
from graphvine.workers.cli import discovery
from graphvine.workers.cli.exit_status import print_error
from graphvine.workers.cli.options import add_common_options, common


class CommandGroup(TyperGroup):
    # Any in the signatures: typer carries its own copy of click in newer versions.

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        add_common_options(self)

    def list_commands(self, ctx: Any) -> list[str]:
        return discovery.names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return discovery.find(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Commands under the titles of their groups."""
        for title, names in discovery.grouped().items():
            commands = [(name, discovery.described(name)) for name in names]
            room = formatter.width - 6 - max((len(name) for name, _ in commands), default=0)
            with formatter.section(title):
                formatter.write_dl([(name, command.get_short_help_str(room)) for name, command in commands])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if not name.startswith("-") and not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            ctx.fail(f"there is no command {name!r}{did_you_mean(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what goes wrong on the way becomes a sentence and an exit status."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except (GraphvineError, OSError, KeyboardInterrupt) as error:
            raise typer.Exit(print_error(error, verbose=common(ctx).verbose)) from error
        except ModuleNotFoundError as error:
            from graphvine.installation import missing_part

            sentence = missing_part(error)
            if sentence is None:
                raise
            raise typer.Exit(print_error(GraphvineError(sentence), verbose=common(ctx).verbose)) from error
        return result
