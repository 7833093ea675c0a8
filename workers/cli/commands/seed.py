"""graphvine seed"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from graphvine.queries.errors import GraphvineError
from graphvine.workers.cli.apps import new_app
from graphvine.workers.cli.open_graph import check_pipeline, opened
from graphvine.workers.cli.output import plural

app = new_app()
_LONGEST_LINE_BYTES = 10_000


class BadLine(GraphvineError):
    """A line in a file of keys that is no key."""


@app.command()
def seed(
    context: typer.Context,
    pipeline: Annotated[str, typer.Argument(metavar="PIPELINE", help="Where to put them in.")],
    keys: Annotated[list[str] | None, typer.Argument(metavar="KEY", help="What to put in.")] = None,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="A file with one key a line; - for standard input.")
    ] = None,
) -> None:
    """Put keys in at the start of a pipeline.

    What is in the graph already stays as it is. Makes the graph where there is none.

        graphvine seed article Vine "Grape vine"
        graphvine seed article --from titles.txt

    In Python: graph.seed("article", ["Vine", "Grape vine"])
    """
    if bool(keys) == (source is not None):
        context.fail("say what to put in: either keys, or --from FILE")
    # Before the graph, so that a wrong name makes none.
    check_pipeline(pipeline)
    if source is None:
        _seed(context, pipeline, keys or ())
    else:
        with nullcontext(sys.stdin.buffer) if str(source) == "-" else source.open("rb") as file:
            _seed(context, pipeline, _lines(file, str(source)))


def _seed(context: typer.Context, pipeline: str, keys: Iterable[str]) -> None:
    counted = _Counted(keys)
    with opened(context, create=True) as graph:
        new = graph.seed(pipeline, counted)
    print(f"{plural(new, 'row')} of {pipeline} new, {counted.given - new:,} known already")


class _Counted:
    def __init__(self, keys: Iterable[str]) -> None:
        self._keys, self.given = keys, 0

    def __iter__(self) -> Iterator[str]:
        for key in self._keys:
            self.given += 1
            yield key


def _lines(file: BinaryIO, name: str) -> Iterator[str]:
    number = 0
    while line := file.readline(_LONGEST_LINE_BYTES + 1):
        number += 1
        if len(line) > _LONGEST_LINE_BYTES:
            raise BadLine(f"{name}, line {number}: longer than {_LONGEST_LINE_BYTES} bytes, which is no key")
        try:
            key = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError:
            raise BadLine(f"{name}, line {number}: not UTF-8 text") from None
        if key:
            yield key
