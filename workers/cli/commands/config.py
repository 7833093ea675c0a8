"""graphvine config"""

from __future__ import annotations

from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.options import common, lists
from graphvine.workers.cli.output import listed, plural, report, show, table

app = new_app()


@app.command()
@lists
def config(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="SETTING", help="Settings to show; or 'set NAME VALUE', or 'unset NAME'."),
    ] = None,
    changed: Annotated[bool, typer.Option("--changed", help="Only those that are not the default.")] = False,
) -> None:
    """Show the settings, where each comes from, and change them.

    A value comes from an option, then from its GRAPHVINE_* variable, then from graphvine.toml in the current folder (a
    pipeline's under a table of its own), then from the default. 'set' checks a value and writes it into graphvine.toml;
    'unset' takes it out again.

        graphvine config --changed
        graphvine config wikipedia.contact buffer_pool_mb
        graphvine config set wikipedia.contact you@example.org
        GRAPHVINE_BATCH_SIZE=50 graphvine config --json | jq '.settings[] | select(.source != "default")'

    In Python: graphvine.settings.load()
    """
    from graphvine.redact import redact_values
    from graphvine.settings import FILE
    from graphvine.workers.cli.settings_listing import change, chosen, listing, unknown_variables

    if words and words[0] in ("set", "unset"):
        if len(words) != (3 if words[0] == "set" else 2):
            context.fail("write: graphvine config set NAME VALUE, or graphvine config unset NAME")
        value = change(words[1], words[2] if words[0] == "set" else None)
        said = f"{FILE}: {words[1]} = {value!r}" if words[0] == "set" else f"{FILE}: {words[1]} is the default again"
        report(context, said, name=words[1], value=value, file=FILE)
        return
    rows = chosen(redact_values(listing(common(context).graph)), words or [], changed=changed)
    if listed(context, "settings", rows):
        pass
    elif not rows:
        print("every setting has its default")
    else:
        print(f"{plural(len(rows), 'setting')}; a value in * is not the default\n")
        cells = [
            (row["name"], row["value"] if row["source"] == "default" else f"* {row['value']} (from {row['source']})",
             row["variable"], row["help"])
            for row in rows
        ]  # fmt: skip
        show(table(("setting", "value", "variable", "meaning"), cells))
    for sentence in unknown_variables(rows if not (words or changed) else listing(None)):
        typer.echo(f"note: {sentence}", err=True)
