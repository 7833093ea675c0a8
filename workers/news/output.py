"""What the commands print: tables for people, JSON for programs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphvine.workers.cli.open_graph import place
from graphvine.workers.cli.options import common
from graphvine.workers.cli.output import (
    listed,
    local_time,
    one_line,
    plural,
    printable,
    respond,
    show,
    show_json,
    table,
)
from graphvine.workers.news.reads import NewsDetail, NewsItem, NewsQueue
from graphvine.workers.news.runs import ProcessorRun, UpdaterRun

if TYPE_CHECKING:
    import typer

_PRIORITY = {0: "high", 1: "normal", 2: "low"}


def show_list(context: typer.Context, found: Sequence[NewsItem]) -> None:
    if listed(context, "articles", found):
        return
    rows = [
        (_found_or_dated(item), item.state, item.sentiment or "", item.source, one_line(item.title, 80), item.id)
        for item in found
    ]
    if rows:
        show(table(("date", "state", "sentiment", "source", "title", "id"), rows))
    else:
        print("no article here: 'graphvine news update' looks for some")


def show_article(context: typer.Context, found: NewsDetail) -> None:
    if common(context).json:
        respond(context, **asdict(found))
        return
    article = found.article
    print(printable(str(article["title"] or article["link"])))
    facts = ("id", "link", "source", "date", "state", "sentiment", "summarizer", "summaryError", "sentimentError")
    rows = [(name, one_line(_text(article[name]), 300)) for name in (*facts, "last_error") if article[name] is not None]
    rows += [
        ("same story", f"{one_line(o['title'], 80)} ({o['source']}, {o['similarity']:.2f})") for o in found.same_story
    ]
    if found.mentions:
        rows.append(("mentions", ", ".join(found.mentions)))
    rows += [("failure", f"{_text(failure.at)} {one_line(failure.message, 200)}") for failure in found.failures]
    show(table(("", ""), rows))
    for part in ("summary", "content"):
        if article[part]:
            print(f"\n{part}:\n{printable(article[part])}")


def show_queue(context: typer.Context, found: NewsQueue) -> None:
    if common(context).json:
        respond(context, **asdict(found))
        return
    waiting = f", {found.backing_off} of them backing off" if found.backing_off else ""
    print(f"queue: {plural(found.length, 'article')}{waiting}")
    print(f"log of additions: {plural(found.additions, 'article')}")
    for checkpoint in found.checkpoints:
        name = checkpoint["name"].removeprefix(f"{found.topic}_").replace("_", " ").lower()
        print(f"{name}: {checkpoint['article'] or 'none yet'} ({checkpoint['passed']:,} passed)")
    if found.articles_per_hour is not None:
        print(f"{found.articles_per_hour:,.0f} articles an hour in the last runs")
    if found.entries:
        rows = [
            (_PRIORITY.get(row["priority"], row["priority"]), row["state"] or "missing", _phase(row),
             row["contentTimeout"] or "", one_line(row["title"] or "", 70), row["id"],
             one_line(row["last_error"] or "", 80))
            for row in found.entries
        ]  # fmt: skip
        show(table(("priority", "state", "next", "timeouts", "title", "id", "last error"), rows))
    if found.providers:
        providers = [
            (row["name"], row["credits"], row["found"], _text(row["asked_at"]), one_line(row["last_error"] or "", 100))
            for row in found.providers
        ]
        show(table(("provider", "credits", "found", "asked", "last error"), providers, right=("credits", "found")))


def show_run(context: typer.Context, run: UpdaterRun | ProcessorRun, *, many: bool = False) -> None:
    """The lines of the log, or the metrics as JSON, a line each where there may be many."""
    as_json = common(context).json
    if as_json and many:
        show_json({"graph": place(context), **asdict(run)}, indent=None)
    elif as_json:
        respond(context, **asdict(run))
    else:
        for line in run.lines():
            print(line)
    sys.stdout.flush()
    if isinstance(run, UpdaterRun) and not as_json:
        for provider, reason in run.errors.items():
            print(f"{printable(provider)}: {one_line(reason, 300)}", file=sys.stderr)
        for reason in run.rejected[:20]:
            print(f"no article: {one_line(reason, 300)}", file=sys.stderr)
        if len(run.rejected) > 20:
            print(f"and {len(run.rejected) - 20} more that are no articles", file=sys.stderr)


def _found_or_dated(item: NewsItem) -> str:
    return f"found {_day(item.date)}" if item.undated else _day(item.date)


def _phase(row: dict[str, Any]) -> str:
    if not row["hasContent"]:
        return "content"
    return "summary" if row["needsSummary"] else "sentiment"


def _day(at: datetime | None) -> str:
    return local_time(at)


def _text(value: Any) -> str:
    return _day(value) if isinstance(value, datetime) else "" if value is None else str(value)
