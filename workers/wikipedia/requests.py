"""The requests of this pipeline: grow, refresh, search, reindex, map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from graphvine.requests import Count, Key, Request, Text, argument, local, needed, option

if TYPE_CHECKING:
    from graphvine.workers.wikipedia.grow import GrowSummary
    from graphvine.workers.wikipedia.refresh import RefreshSummary
    from graphvine.workers.wikipedia.search import SearchHit
    from graphvine.workers.wikipedia.svg_map import Picture

_SOURCE = "wiki, sample, or the path of a MediaWiki XML dump (.xml, .gz, .bz2). Otherwise the setting says."
_NAMED = ("wiki", "sample")
Title = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
Titles = Annotated[Sequence[Title], msgspec.Meta(max_length=10_000)]
Mode = Literal["walk", "hybrid", "vector", "text"]
Place = Annotated[str, msgspec.Meta(max_length=1_000)]


class GrowRequest(Request["GrowSummary"], verb="grow", runs="graphvine.workers.wikipedia.grow:run_grow", where="job"):
    """Expand from these titles, and from whatever waits in the graph, up to `depth` links away from a seed."""

    titles: Titles = argument((), "Where to start from.", "TITLE")
    depth: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = option(2, "Links away from a seed that are worked on.")
    limit: Count | None = option(None, "Articles to work on at most.")
    source: Place | None = option(None, _SOURCE, metavar="SOURCE")
    workers: Annotated[int, msgspec.Meta(ge=1, le=32)] | None = option(None, "Workers side by side.")
    category_filter: Text = option("", "Follow links only of articles in such a category.", metavar="TEXT")
    opened: Any = local()  # a source that is open
    settings: Any = local()

    def check(self) -> None:
        _make_absolute(self)


class RefreshRequest(
    Request["RefreshSummary"], verb="refresh", runs="graphvine.workers.wikipedia.refresh:run_refresh", where="job"
):
    """Put articles back into the queue whose page was revised since."""

    source: Place | None = option(None, _SOURCE, metavar="SOURCE")
    opened: Any = local()
    settings: Any = local()

    def check(self) -> None:
        _make_absolute(self)


def _make_absolute(request: GrowRequest | RefreshRequest) -> None:
    """The path of a dump: the daemon may have another working folder."""
    if request.source is not None and request.source not in _NAMED and Path(request.source).exists():
        object.__setattr__(request, "source", str(Path(request.source).absolute()))


class SearchRequest(
    Request["list[SearchHit]"], verb="search", runs="graphvine.workers.wikipedia.search:run_search", where="call"
):
    """Find sections of articles by words, by meaning and by the links between articles."""

    text: Annotated[str, msgspec.Meta(max_length=1_000)] = field(
        metadata=needed("What to look for: words, or a question.", "TEXT")
    )
    mode: Mode = option(
        "walk", "By words, meaning and links; by words and meaning; by meaning; or by words.",
        metavar="walk|hybrid|vector|text",
    )  # fmt: skip
    near: Key | None = option(None, "Prefer what lies few links from this article.", metavar="TITLE")
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = option(10, "How many sections to show.")


class ReindexRequest(Request[int], verb="reindex", runs="graphvine.workers.wikipedia.search:run_reindex", where="job"):
    """Rebuild the search index of articles from the graph."""


class MapRequest(Request["Picture"], verb="map", runs="graphvine.workers.wikipedia.svg_map:draw", where="call"):
    """Draw the articles around one, or those nearest to the seeds, as SVG."""

    around: Key | None = option(None, "The article in the middle; otherwise the seeds.", metavar="TITLE")
    limit: Annotated[int, msgspec.Meta(ge=2, le=500)] = option(60, "How many articles to draw.")


class SeedTitlesRequest(Request[int], verb="seed titles", runs="graphvine.workers.wikipedia.grow:seed_titles"):
    """Put titles in, where they are not there yet. Returns how many are new."""

    titles: Titles
