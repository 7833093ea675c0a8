"""Pages from the web, with manners: limits on everything, robots.txt, few connections a host, no private networks."""

from __future__ import annotations

from graphvine.workers.parts.fetching.addresses import AllowedHosts
from graphvine.workers.parts.fetching.errors import FetchError, FetchPartsMissing
from graphvine.workers.parts.fetching.fetcher import Fetched, Fetcher
from graphvine.workers.parts.fetching.limits import FetchLimits

__all__ = ["AllowedHosts", "FetchError", "FetchLimits", "FetchPartsMissing", "Fetched", "Fetcher"]
