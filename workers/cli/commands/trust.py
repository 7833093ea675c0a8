"""graphvine trust"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphvine.workers.cli.apps import new_app

app = new_app()


@app.command()
def trust(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Where the graphvine.toml is.")] = ".",
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust it no longer.")] = False,
) -> None:
    """Trust the graphvine.toml of this folder, as it is now.

    A setting that runs code or a program (pipelines_folder, scrape.hook_command), or says where a key is sent (a
    graph's address, news.summary_url), is refused in a graphvine.toml that you have not trusted. Look at the file
    first. When it changes, you are asked again.

        graphvine trust
        graphvine trust --revoke

    In Python: graphvine.trust.trust(Path("graphvine.toml"))
    """
    from graphvine import trust as trusted
    from graphvine.errors import SettingsError
    from graphvine.settings import FILE
    from graphvine.workers.cli.output import report

    file = Path(folder) / FILE
    if not file.is_file():
        raise SettingsError(f"there is no {FILE} in {Path(folder).absolute()}")
    if revoke:
        said = f"{file} is not trusted any longer" if trusted.revoke(file) else f"{file} was not trusted"
    else:
        trusted.trust(file)
        said = f"{file} is trusted as it is now"
    report(context, said, file=str(file), trusted=not revoke)
