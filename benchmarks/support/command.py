"""The command line that all benchmarks share: --json, --quick, a progress bar, goals, an exit status."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table as RichTable

from support.contender import Unavailable
from support.findings import Findings, Table, number
from support.machine import machine
from support.progress import Bar, progress_bar

Measure = Callable[[argparse.Namespace, Findings, Bar, Path], None]
AddOptions = Callable[[argparse.ArgumentParser], object]


def main(script: str, text: str | None, measure: Measure, options: AddOptions | None = None) -> int:
    """Run one benchmark: `measure` fills the findings, in a scratch folder that is removed afterwards."""
    parser = argparse.ArgumentParser(
        prog=Path(script).name, description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON, and nothing else")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: shows that it runs, judges no speed")
    if options is not None:
        options(parser)
    arguments = parser.parse_args()
    findings = Findings(Path(script).stem, arguments.quick)
    try:
        with tempfile.TemporaryDirectory(prefix="graphvine-bench-") as folder, progress_bar() as bar:
            measure(arguments, findings, bar, Path(folder))
    except Unavailable as reason:
        parser.error(str(reason))
    if arguments.json:
        command = shlex.join(
            ["python", f"benchmarks/{parser.prog}", *(word for word in sys.argv[1:] if word != "--json")]
        )
        print(json.dumps(findings.as_json() | {"command": command, "machine": machine()}, indent=2))
    else:
        show(findings)
    return findings.status()


def show(findings: Findings) -> None:
    """The findings for people, on stdout."""
    console = Console(soft_wrap=True)
    for title, rows in findings.tables.items():
        console.print(rich_table(title, rows))
    for title, plot in findings.plots.items():
        print(f"{title}\n{plot}\n")
    for note in findings.notes:
        print(f"note {note}")
    for goal in findings.goals:
        print(goal.line())
    sys.stdout.flush()


def rich_table(title: str, rows: Table) -> RichTable:
    table = RichTable(title=title, title_justify="left")
    for column in rows[0] if rows else ():
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(*("-" if value is None else text_of(value) for value in row.values()))
    return table


def text_of(value: str | int | float) -> str:
    return value if isinstance(value, str) else number(value)


def sizes(text: str) -> list[int]:
    """Parse a list of counts such as `20k,100k,1M`."""
    units = {"k": 1_000, "m": 1_000_000}
    found = []
    for part in text.split(","):
        word = part.strip().lower().replace("_", "")
        factor = units.get(word[-1:], 1)
        digits = word[:-1] if factor > 1 else word
        if not digits.isdigit() or int(digits) == 0:
            raise argparse.ArgumentTypeError(f"{part!r} is not a count; write for example 20k,100k,1M")
        found.append(int(digits) * factor)
    return found
