"""The requests of searching: search, ask, edges, reindex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from graphvine.requests import BadRequest, Key, Request, local, needed, option
from graphvine.search.kinds import Mode

if TYPE_CHECKING:
    from graphvine.search.hits import SearchHit
    from graphvine.workers.search.ask import Answer
    from graphvine.workers.search.edges import EdgeCounts, StatusReport

_RUNS = "graphvine.workers.search.engine:"
Name = Annotated[str, msgspec.Meta(max_length=200)]
Kinds = Annotated[Sequence[Name], msgspec.Meta(max_length=20)]
Question = Annotated[str, msgspec.Meta(max_length=1_000, pattern=r"\S")]  # something, not blanks alone
Sort = Literal["relevance", "date", "score"]
Facet = Literal["type", "by", "year", "source", "topic"]
Facets = dict[str, dict[str, int]]
Seconds = Annotated[int, msgspec.Meta(ge=-(1 << 53), le=1 << 53)]


def split_words(text: str) -> list[str]:
    """What stands between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def seconds(text: str) -> int:
    """A day, a moment or a number of seconds, as seconds since 1970."""
    if text.isascii() and text.isdigit() and len(text) <= 12:
        return int(text)
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest(
            "search", "", f"{text!r:.40} is not a time: write 2012-01-31, 2012-01-31T18:00, or seconds"
        ) from None
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())


class SearchRequest(Request["list[SearchHit]"], verb="search", runs=f"{_RUNS}run_search", where="call"):
    """Find articles, Hacker News items, news and pages by words, by meaning and by the edges between them."""

    text: Question = field(metadata=needed("What to look for: words, or a question.", "TEXT"))
    kind: Kinds = option((), "article, hn, news, page; several with commas.", metavar="KIND,KIND", parse=split_words)
    mode: Mode = option(
        "walk", "By words, meaning and edges; by words and meaning; by meaning; or by words.",
        metavar="walk|hybrid|vector|text",
    )  # fmt: skip
    near: Key | None = option(None, "Articles; prefer those few links from this one.", metavar="TITLE")
    author: Name | None = option(None, "By this author or user (hn, news).", metavar="NAME")
    not_author: Name | None = option(None, "Not by this author or user.", metavar="NAME")
    type: Name | None = option(None, "story, comment, job, ask, show, ... (hn).", metavar="TYPE")
    source: Name | None = option(None, "Published by (news).", metavar="NAME")
    topic: Name | None = option(None, "Of this topic (news).", metavar="NAME")
    site: Name | None = option(None, "From this host (hn, news, page).", metavar="HOST")
    after: Seconds | None = option(None, "Since 2012-01-31, or seconds.", metavar="TIME", parse=seconds)
    before: Seconds | None = option(None, "Up to that time.", metavar="TIME", parse=seconds)
    sort: Sort = option("relevance", "relevance; or date, score: by words.", metavar="ORDER")
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = option(10, "How many hits to show.")


class FacetsRequest(Request[Facets], verb="search facets", runs=f"{_RUNS}run_facets", where="call"):
    """Count what a search by words finds: by type, author, year, ... The filters are those of a search."""

    facets: Annotated[Sequence[Facet], msgspec.Meta(min_length=1, max_length=5)] = field(
        metadata={"help": "Count by type, by, year, source, topic; several with commas.", "parse": split_words}
    )
    text: Question
    kind: Kinds = option((), "article, hn, news, page; several with commas.", parse=split_words)
    author: Name | None = None
    not_author: Name | None = None
    type: Name | None = None
    source: Name | None = None
    topic: Name | None = None
    site: Name | None = None
    after: Seconds | None = option(None, "Since 2012-01-31, or seconds.", parse=seconds)
    before: Seconds | None = option(None, "Up to that time.", parse=seconds)


class AskRequest(Request["Answer"], verb="ask", runs="graphvine.workers.search.ask:run_ask"):
    """Find the passages that a question needs, with citations; a model in the settings answers from these alone."""

    question: Question = field(metadata=needed("The question.", "QUESTION"))
    kind: Kinds = option((), "article, hn, news, page; several with commas.", metavar="KIND,KIND", parse=split_words)
    limit: Annotated[int, msgspec.Meta(ge=1, le=50)] = option(8, "How many passages at most.")
    settings: Any = local()


class EdgesRequest(
    Request["list[EdgeCounts]"], verb="edges", runs="graphvine.workers.search.edges:run_edges", where="job"
):
    """Make the edges between the kinds up to where the graph is: same page, near duplicates, mentions of articles."""


class EdgeCountsRequest(
    Request["list[EdgeCounts]"], verb="edge counts", runs="graphvine.workers.search.edges:counts", where="call"
):
    """How many edges between the kinds there are, and how far the jobs that make them have come."""


class StatusReportRequest(
    Request["StatusReport"], verb="status report", runs="graphvine.workers.search.edges:report", where="call"
):
    """Where every pipeline stands, and the edges between the kinds, in one answer."""


class ReindexRequest(Request[int], verb="reindex", runs=f"{_RUNS}run_reindex", where="job"):
    """Rebuild the search indexes from the graph: of these kinds, or of all."""

    kind: Kinds = option((), "article, hn, news, page; several with commas.", metavar="KIND,KIND", parse=split_words)
