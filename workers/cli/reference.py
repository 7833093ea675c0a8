"""docs/command-line.md from the help texts: `python -m graphvine.workers.cli.reference > docs/command-line.md`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
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


if __name__ == "__main__":
    print(markdown(), end="")
