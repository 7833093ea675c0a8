"""Pages from the web, with manners: limits on everything, robots.txt, few connections a host, no private networks."""

from __future__ import annotations

from graphvine.workers.common.fetching.addresses import AllowedHosts
from graphvine.workers.common.fetching.bodies import FetchLimits
from graphvine.workers.common.fetching.errors import FetchError, FetchPartsMissing
from graphvine.workers.common.fetching.fetcher import Fetched, Fetcher

__all__ = ["AllowedHosts", "FetchError", "FetchLimits", "FetchPartsMissing", "Fetched", "Fetcher"]
