"""The requests of this pipeline: update, process, retry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from graphvine.requests import Key, Request, Text, argument, local, option

if TYPE_CHECKING:
    from graphvine.workers.news.runs import ProcessorRun, UpdaterRun

_API = "graphvine.workers.news.api:"
Topic = Annotated[str, msgspec.Meta(max_length=40, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
Address = Annotated[str, msgspec.Meta(pattern=r"^https?://\S+$", max_length=2_000)]


_TOPIC, _QUERY = "Another topic than the setting news.topic.", "What to ask providers for."


class UpdateRequest(Request["UpdaterRun"], verb="news update", runs=f"{_API}run_update", where="job"):
    """Ask the providers for new articles, once; with `feeds` these, too."""

    feeds: Annotated[Sequence[Address], msgspec.Meta(max_length=100)] = option(
        (), "A feed to read besides those of the settings.", "--feed", metavar="URL"
    )
    topic: Topic | None = option(None, _TOPIC, metavar="NAME")
    query: Text | None = option(None, _QUERY, metavar="WORDS")
    now: bool = option(False, "Ask also providers that failed a moment ago.")
    settings: Any = local()


class ProcessRequest(Request["list[ProcessorRun]"], verb="news process", runs=f"{_API}run_process", where="job"):
    """Work on the front of the queue: one run, or run after run until it is empty."""

    until_empty: bool = option(False, "Run after run, until the queue is empty; waits for what backs off.")
    batch: Annotated[int, msgspec.Meta(ge=1, le=1_000)] | None = option(
        None, "Articles a run (setting max_articles_per_run).", metavar="N"
    )
    now: bool = option(False, "Do not wait for articles that back off after a failure.")
    topic: Topic | None = option(None, _TOPIC, metavar="NAME")
    query: Text | None = option(None, _QUERY, metavar="WORDS")
    settings: Any = local()


class RetryArticlesRequest(Request[int], verb="news retry", runs="graphvine.workers.news.queue:retry"):
    """Try failed articles again, and those that back off at once: by id, by a part of title or error, or all."""

    ids: Annotated[Sequence[Key], msgspec.Meta(max_length=10_000)] = argument((), "The articles.", "ID")
    contains: Text = option("", "Failed ones with this in id, title, address or error.", metavar="TEXT")
    everything: bool = option(False, "All that failed.", "--all")
    first: bool = option(False, "Before all others of the queue.")
