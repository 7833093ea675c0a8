"""What the tests of Hacker News share: a server on loopback, and settings that are quick."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from graphvine.graph import Graph
from graphvine.workers.hn.api import HackerNews
from graphvine.workers.hn.settings import HNSettings
from tests.pipelines.hn.server import HackerNewsServer, serving
from tests.support.waiting import WAIT_LIMIT


@pytest.fixture
def server() -> Iterator[HackerNewsServer]:
    with serving() as running:
        yield running


def quick(server: HackerNewsServer, **given: Any) -> HNSettings:
    """Settings for the local server: no politeness is owed to it."""
    chosen = {
        "base_url": server.url, "requests_per_second": 5_000, "timeout_seconds": WAIT_LIMIT, "backoff_seconds": 0.001,
        "backoff_max_seconds": 0.01, "pull_chunk": 50,
    } | given  # fmt: skip
    return HNSettings(**chosen)


@pytest.fixture
def news(graph: Graph, server: HackerNewsServer) -> HackerNews:
    return HackerNews(graph, quick(server))
