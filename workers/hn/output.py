"""Prints items and threads on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from graphvine.workers.cli.options import common
from graphvine.workers.cli.output import (
    highlighted,
    listed,
    local_time,
    one_line,
    plural,
    printable,
    respond,
    show,
    table,
)
from graphvine.workers.hn.ingest.forms import API
from graphvine.workers.hn.ingest.ingest import Taken
from graphvine.workers.hn.pull import Pulled
from graphvine.workers.hn.search import Page
from graphvine.workers.hn.threads import Item
from graphvine.workers.hn.transitions import Way

if TYPE_CHECKING:
    import typer

_TEXT = 200
_FACETS = {"type": "types", "by": "authors", "year": "years"}


def show_item(context: typer.Context, item: Item) -> None:
    """All that is known of one item."""
    facts = _flat(item)
    if common(context).json:
        respond(context, **facts)
        return
    when = local_time(datetime.fromtimestamp(item.time, UTC)) if item.time else None
    notes = facts["extra"].pop("_notes", None) or {}
    shown = facts | {"time": when, "kids": ", ".join(map(str, item.kids)), "parts": ", ".join(map(str, item.parts))}
    shown |= {"extra": "", "deleted": item.deleted or None, "dead": item.dead or None}
    shown |= {f"extra: {name}": f"{value!r} ({notes[name]})" if name in notes else repr(value)
             for name, value in facts["extra"].items()}  # fmt: skip
    rows = [(name, one_line(str(value), 2 * _TEXT)) for name, value in shown.items() if value not in (None, "", [])]
    show(table(("item", str(item.id)), [row for row in rows if row[0] != "id"]))


def show_tree(context: typer.Context, top: Item) -> None:
    """An item and what is below it, each level further in."""
    if listed(context, "items", (_flat(item) | {"depth": depth} for depth, item in top.walk())):
        return
    for depth, item in top.walk():
        # Beyond some depth a terminal has no room left: the number tells.
        indent = "  " * min(depth, 20)
        mark = f"[{depth}] " if depth > 20 else ""
        print(f"{indent}{mark}{_head(item)}")
        for line in _below(item):
            print(f"{indent}  {line}")


def show_list(context: typer.Context, items: Sequence[Item]) -> None:
    if listed(context, "items", map(_flat, items)):
        return
    for item in items:
        print(_head(item))
        for line in _below(item):
            print(f"  {line}")
    if not items:
        print("nothing there")


def show_page(context: typer.Context, page: Page, offset: int) -> None:
    found = (
        _flat(one.item) | {"snippet": one.snippet, "marks": one.marks, "relevance": one.score} for one in page.found
    )
    head = {"total": page.total, "offset": offset, "relaxed": page.relaxed, "loose": page.loose, "facets": page.facets}
    if listed(context, "found", found, **head):
        return
    for one in page.found:
        print(_head(one.item))
        if one.snippet or one.item.text:
            print(f"  {highlighted(one.snippet, one.marks) if one.snippet else one_line(one.item.text or '', _TEXT)}")
    if page.loose:
        words = ", ".join(repr(word) for word in page.loose)
        print(f"no item has {words}: these have words that begin with it or differ in a letter or two")
    for name, values in page.facets.items():
        print(f"{_FACETS[name]}: " + ", ".join(f"{printable(value)} {count:,}" for value, count in values.items()))
    if page.relaxed:
        print("no item has all of these words; these have some")
    shown = f"{offset + 1:,} to {offset + len(page.found):,} of " if page.found else ""
    print(f"{shown}{plural(page.total, 'item')}")


def show_ways(context: typer.Context, id: int, state: str, ways: Sequence[Way]) -> None:
    if common(context).json:
        respond(context, id=id, state=state, transitions=[asdict(way) for way in ways])
        return
    print(f"item {id} is {state}")
    if ways:
        rows = [
            (way.name, way.target, "manual" if way.manual else "automatic", ", ".join(way.processors),
             ", ".join(way.criteria), way.blocked)
            for way in ways
        ]  # fmt: skip
        show(table(("transition", "to", "kind", "processors", "criteria", "not now, since"), rows))
    else:
        print("no transition leads on from there")


def items_line(taken: Taken) -> str:
    """What became of items, leaving out what did not happen."""
    named = {
        "new": taken.new, "updated": taken.updated, "brought on": taken.revived, "unchanged": taken.unchanged,
        "skipped": taken.skipped, "failed": taken.failed, "rejected": taken.rejected,
    }  # fmt: skip
    return ", ".join(f"{count:,} {name}" for name, count in named.items() if count) or "nothing new"


def show_refusals(taken: Taken) -> None:
    """On standard error: the form in which items came, where it is not the API's, and what was refused and why."""
    others = [f"{count:,} as {form}" for form, count in taken.forms.items() if form != API]
    if others:
        print(f"items came {', '.join(others)}", file=sys.stderr)
    for one in taken.refused:
        name = f"item {one.id}" if one.id is not None else "something without a usable id"
        print(f"refused {name}: {one_line(one.reason, _TEXT)}", file=sys.stderr)
    more = taken.failed + taken.rejected - len(taken.refused)
    if more > 0:
        print(f"and {more:,} more: 'graphvine failed hn_item' lists them", file=sys.stderr)


def pull_line(pulled: Pulled) -> str:
    more = {"without an item": pulled.missing, "put off": pulled.put_off}
    counted = "".join(f", {count:,} {name}" for name, count in more.items() if count)
    return f"{pulled.asked:,} asked for: {items_line(pulled.taken)}{counted}" + (" (stopped)" if pulled.stopped else "")


def _below(item: Item) -> list[str]:
    """What is shown of an item under its first line."""
    lines = [one_line(item.text, _TEXT)] if item.text else []
    return lines + ([f"failed: {one_line(item.last_error, _TEXT)}"] if item.last_error else [])


def _head(item: Item) -> str:
    when = local_time(datetime.fromtimestamp(item.time, UTC))[:16] if item.time else ""
    marks = [name for name, holds in (("deleted", item.deleted), ("dead", item.dead)) if holds]
    marks += [item.state] if item.state != "completed" else []
    score = plural(item.score, "point") if item.score is not None and item.type != "comment" else ""
    said = plural(item.descendants, "comment") if item.descendants else ""
    parts = [str(item.id), item.type or "", item.by or "", when, score, said, *(f"[{mark}]" for mark in marks)]
    title = f"  {one_line(item.title, _TEXT)}" if item.title else ""
    url = f"  {item.url}" if item.url else ""
    return printable(" ".join(part for part in parts if part) + title + url)


def _flat(item: Item) -> dict[str, Any]:
    return {name: getattr(item, name) for name in item.__slots__ if name != "children"}
