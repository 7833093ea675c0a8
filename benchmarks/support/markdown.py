"""The page of figures, written from what the benchmarks found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from support.findings import number

OPENING = """\
# Benchmarks

`make bench` runs all of them and writes this page, `make bench ONLY=claims` renews one section; each can be run by
itself with the command given. Every section says when it was run, and how busy the machine was.
Times depend on the machine and on what else it does, so what is compared takes turns within one run, and the
figures are medians. Each benchmark judges its own goals and exits with status 1 where one does not hold.
`--quick` runs tiny sizes in seconds and judges only what is right or wrong, no speed.
"""


def render(found: Sequence[tuple[str, dict[str, Any]]]) -> str:
    """The page, from pairs of a benchmark's explanation and its findings."""
    parts = [OPENING]
    for explanation, findings in found:
        parts.append(section(explanation, findings))
    return "\n".join(parts)


def section(explanation: str, findings: dict[str, Any]) -> str:
    title, _, body = explanation.partition("\n")
    lines = [f"## {title.rstrip('.')}", ""]
    if body.strip():
        lines += [body.strip(), ""]
    lines += [f"    {findings['command']}", ""]
    lines += [
        "Measured on: " + ", ".join(f"{key} {value}" for key, value in findings["machine"].items()) + ".",
        "",
    ]
    for caption, rows in findings["tables"].items():
        lines += [f"{caption[:1].upper()}{caption[1:]}:", "", *table(rows), ""]
    for caption, plot in findings["plots"].items():
        lines += [f"{caption}:", "", *(f"    {line}".rstrip() for line in plot.splitlines()), ""]
    lines += [f"- {note}" for note in findings["notes"]] + [""] * bool(findings["notes"])
    lines += table(
        [{key: goal[key] for key in ("what", "target", "measured", "verdict")} for goal in findings["goals"]]
    )
    return "\n".join([*lines, ""])


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    if not rows:
        return ["(nothing measured)"]
    return [
        line_of(rows[0]),
        line_of(["---"] * len(rows[0])),
        *(line_of(map(cell, row.values())) for row in rows),
    ]


def cell(value: Any) -> str:
    if value is None:
        return "-"
    return number(value) if isinstance(value, int | float) else str(value).replace("|", "\\|")


def line_of(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
