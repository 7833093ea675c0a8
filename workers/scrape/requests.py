"""The request of this pipeline: scrape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from graphvine.requests import Request, argument, local, option

Address = Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]


class ScrapeRequest(Request[None], verb="scrape", runs="graphvine.workers.scrape.api:run_scrape", where="job"):
    """Scrape and summarize these pages, and whatever waits in the batch. Its events say what becomes of each."""

    # Looked at one by one when they are put into the graph, so that a bad one is named.
    urls: Sequence[Any] = argument((), "The pages to scrape.", "URL")
    batch: str | None = option(None, "A name for the batch, to go on with it later.", metavar="NAME")
    hook: Any = local()
    settings: Any = local()


class ScrapeBatchRequest(Request[str], verb="scrape batch", runs="graphvine.workers.scrape.api:submit_batch"):
    """Put pages into a batch, for the daemon to lead. Returns the name of the batch."""

    urls: Annotated[Sequence[Address], msgspec.Meta(min_length=1, max_length=10_000)]
    name: Annotated[str, msgspec.Meta(max_length=80)] | None = None
