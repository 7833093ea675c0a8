"""The requests of this pipeline: grow, refresh, map."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from graphvine.requests import Count, Key, Request, Text, argument, local, needed, option

if TYPE_CHECKING:
    from graphvine.workers.wikipedia.grow import GrowSummary
    from graphvine.workers.wikipedia.model_switch import SwitchSummary
    from graphvine.workers.wikipedia.refresh import RefreshSummary
    from graphvine.workers.wikipedia.svg_map import Picture

_SOURCE = (
    "wiki, sample, or a path: a MediaWiki XML dump (.xml, .gz, .bz2), a folder of Markdown, HTML and text, or JSON"
    " lines (.jsonl). Otherwise the one that the graph was grown from, or the setting."
)
_OTHER_SOURCE = "Go on from another source than the graph was grown from."
_NAMED = ("wiki", "sample")
Title = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]
Titles = Annotated[Sequence[Title], msgspec.Meta(max_length=200_000)]
Place = Annotated[str, msgspec.Meta(max_length=1_000)]


class GrowRequest(Request["GrowSummary"], verb="grow", runs="graphvine.workers.wikipedia.grow:run_grow", where="job"):
    """Expand from these titles, and from whatever waits in the graph, up to `depth` links away from a seed."""

    titles: Titles = argument((), "Where to start from.", "TITLE")
    depth: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = option(2, "Links away from a seed that are worked on.")
    limit: Count | None = option(None, "Articles to work on at most.")
    source: Place | None = option(None, _SOURCE, metavar="SOURCE")
    other_source: bool = option(False, _OTHER_SOURCE)
    all: bool = option(False, "Start from every title of a dump, a folder or a file.")
    workers: Annotated[int, msgspec.Meta(ge=1, le=32)] | None = option(None, "Workers side by side.")
    embed: Literal["now", "later", "never"] | None = option(
        None, "Vectors with each article, afterwards by 'graphvine work section' or the daemon, or not at all.",
        metavar="now|later|never",
    )  # fmt: skip
    category_filter: Text = option("", "Follow links only of articles in such a category.", metavar="TEXT")
    opened: Any = local()  # a source that is open
    settings: Any = local()

    def check(self) -> None:
        _make_absolute(self)

    def paths(self) -> list[str]:
        return [self.source] if self.source is not None and self.source not in _NAMED else []


class RefreshRequest(
    Request["RefreshSummary"], verb="refresh", runs="graphvine.workers.wikipedia.refresh:run_refresh", where="job"
):
    """Put articles back into the queue whose page was revised since."""

    source: Place | None = option(None, _SOURCE, metavar="SOURCE")
    other_source: bool = option(False, _OTHER_SOURCE)
    opened: Any = local()
    settings: Any = local()

    def check(self) -> None:
        _make_absolute(self)

    def paths(self) -> list[str]:
        return [self.source] if self.source is not None and self.source not in _NAMED else []


def _make_absolute(request: GrowRequest | RefreshRequest) -> None:
    """The path of a dump: the daemon may have another working folder."""
    if request.source is not None and request.source not in _NAMED and os.path.exists(request.source):
        object.__setattr__(request, "source", os.path.abspath(request.source))


class MapRequest(Request["Picture"], verb="map", runs="graphvine.workers.wikipedia.svg_map:draw", where="call"):
    """Draw the articles around one, or those nearest to the seeds, as SVG."""

    around: Key | None = option(None, "The article in the middle; otherwise the seeds.", metavar="TITLE")
    limit: Annotated[int, msgspec.Meta(ge=2, le=500)] = option(60, "How many articles to draw.")


class SeedTitlesRequest(Request[int], verb="seed titles", runs="graphvine.workers.wikipedia.grow:seed_titles"):
    """Put titles in, where they are not there yet. Returns how many are new."""

    titles: Titles


class ModelSwitchRequest(
    Request["SwitchSummary"],
    verb="model switch",
    runs="graphvine.workers.wikipedia.model_switch:run_switch",
    where="job",
):
    """Give every section a vector of another model, then search by these."""

    model: Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)] = field(
        metadata=needed("A model by name, or the path of its folder.", "NAME")
    )
    embedder: Literal["light", "sentence-transformers"] | None = option(
        None, "How it is run; otherwise the setting says.", metavar="light|sentence-transformers"
    )

    def paths(self) -> list[str]:
        return [self.model] if os.path.exists(self.model) else []
