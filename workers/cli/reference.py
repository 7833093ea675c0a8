"""The generated pages of docs/: `python -m graphvine.workers.cli.reference docs` writes them all."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from graphvine.workers.cli.apps import usage_of
from graphvine.workers.cli.main import command

_HEAD = """\
# The command line

This page is made from the help texts, `graphvine COMMAND --help`; a test fails when it is out of date.

    graphvine [--graph WHERE] [--verbose] COMMAND ...

Exit status: 0 when all went well, 1 for an error (one sentence on standard error that begins with `error:`) or a \
check that failed, 2 for a command line that makes no sense, 130 after Ctrl-C. With `--json`, standard output holds \
JSON and nothing else; progress and notes go to standard error."""
_SETTINGS_HEAD = """\
# Settings

This page is made from the settings themselves; a test fails when it is out of date. A value comes from a command's \
option, then from its variable, then from `graphvine.toml` in the current folder, then from the default. `graphvine \
config` shows the values that hold, `graphvine config set NAME VALUE` writes the file."""
_MACHINES_HEAD = """\
# Machines

The states and moves of every pipeline, made from the query files; a test fails when it is out of date. \
[documents.md](documents.md) says which document each comes from. `graphvine machine NAME` prints the same, \
`--statements` the Cypher that runs."""
_COMMON = {"graph", "verbose", "help"}


def pages() -> dict[str, Any]:
    """Every command by its full name, sub-commands included."""
    root = command()
    return dict(_walk("", {name: root.get_command(None, name) for name in root.list_commands(None)}))


def markdown() -> str:
    """The whole page."""
    listed = pages()
    overview = [f"| [`{name}`](#{name.replace(' ', '-')}) | {_first_line(one)} |" for name, one in listed.items()]
    parts = [_HEAD, "\n".join(["| command | what it does |", "| --- | --- |", *overview])]
    parts += [
        "## Options of every command\nThey may stand before or after the command's name.",
        _options(command(), True),
    ]
    for name, one in listed.items():
        parts += _page(name, one)
    return "\n\n".join(parts) + "\n"


def _walk(before: str, commands: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, one in commands.items():
        if hasattr(one, "commands"):
            yield from _walk(f"{before}{name} ", one.commands)
        else:
            yield f"{before}{name}", one


def _page(name: str, one: Any) -> Iterator[str]:
    arguments = [parameter for parameter in one.params if parameter.param_type_name == "argument"]
    usage = " ".join(["graphvine", name, "[OPTIONS]", *map(usage_of, arguments)])
    yield f"## {name}"
    yield f"    {usage}"
    yield inspect.cleandoc(one.help.replace("\b\n", ""))
    rows = [f"| `{usage_of(argument)}` | {argument.help} |" for argument in arguments]
    if rows:
        yield "\n".join(["| argument | meaning |", "| --- | --- |", *rows])
    options = _options(one, False)
    if options:
        yield options


def _options(one: Any, common: bool) -> str:
    rows = []
    for option in one.params:
        if option.param_type_name != "option" or (option.name in _COMMON) != common:
            continue
        names = ", ".join(f"`{name}`" for name in sorted(option.opts, key=len, reverse=True))
        value = "" if option.is_flag else f" `{option.metavar}`".replace("|", "\\|")
        rows.append(f"| {names}{value} | {option.help}{'' if option.is_flag else _otherwise(option.default)} |")
    return "\n".join(["| option | meaning |", "| --- | --- |", *rows]) if rows else ""


def _otherwise(default: Any) -> str:
    return f" Otherwise `{default}`." if isinstance(default, str | int | float) and default != "" else ""


def _first_line(one: Any) -> str:
    return str(one.help).partition("\n")[0]


def settings_page() -> str:
    """docs/settings.md: every setting by its table."""
    from graphvine.workers.cli.settings_listing import listing

    parts = [_SETTINGS_HEAD]
    table = None
    for row in listing(None):
        name = row["name"].rpartition(".")[0]
        if name != table:
            table = name
            parts += [f"\n## {f'[{name}]' if name else 'The core'}\n", "| setting | variable | default | meaning |"]
            parts.append("| --- | --- | --- | --- |")
        default = f"`{row['default']}`" if row["default"] not in ("", None) else ""
        parts.append(f"| `{row['name']}` | `{row['variable']}` | {default} | {row['help']} |".replace("  |", " |"))
    return "\n".join(parts) + "\n"


def machines_page() -> str:
    """docs/machines.md: every pipeline that comes with the package, as a diagram and as tables."""
    from graphvine.pipelines import library
    from graphvine.queries import render

    parts = [_MACHINES_HEAD]
    for name, machine in library("kuzu", "").machines.items():
        states = []
        for state in machine.states:
            kinds = [kind for kind in ("initial", "claimed", "final") if getattr(state, kind)]
            states.append(f"`{state.name}`" + (f" ({', '.join(kinds)})" if kinds else ""))
        parts.append(
            f"## {name}\n\n`{machine.label}.{machine.column}`, key `{machine.key}`. States: {', '.join(states)}."
        )
        rows = ["| from | to | transition | block | what it does |", "| --- | --- | --- | --- | --- |"]
        for row in render.as_table(machine):
            cells = (row["from"], row["to"], row["transition"], f"`{row['block']}`", row["purpose"].replace("|", "\\|"))
            rows.append(f"| {' | '.join(cells)} |")
        parts += ["\n".join(rows), f"```mermaid\n{render.as_mermaid(machine).rstrip()}\n```"]
    return "\n\n".join(parts) + "\n"


def written() -> dict[str, Callable[[], str]]:
    """Every generated page, by its file name."""
    from graphvine.workers.cli import python_reference

    return {
        "command-line.md": markdown, "python-api.md": python_reference.markdown, "settings.md": settings_page,
        "machines.md": machines_page,
    }  # fmt: skip


if __name__ == "__main__":
    for name, page in written().items():
        (Path(sys.argv[1]) / name).write_text(page(), "utf-8")
