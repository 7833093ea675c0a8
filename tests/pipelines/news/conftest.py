"""A site of the test's own: providers and pages on one server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pipelines.news.servers import Site
from tests.support.web_server import WebServer


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    with WebServer(made.answer) as server:
        made.url = server.url
        made.traffic = server.traffic
        yield made
