"""One wiki for the session, and a source that reads from it, straight or through the faulty proxy."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphvine.workers.wikipedia.api import MediaWikiSource
from graphvine.workers.wikipedia.api_connection import CallLimits
from tests.lanes.mediawiki.faulty_proxy import FaultyProxy
from tests.lanes.mediawiki.server import TestWiki
from tests.support.waiting import WAIT_LIMIT
from tests.tools.parts import MEDIAWIKI

PATIENT = CallLimits(connect_seconds=WAIT_LIMIT, read_seconds=WAIT_LIMIT, call_seconds=WAIT_LIMIT)
# For tests that wait for them to pass.
HASTY = CallLimits(connect_seconds=2.0, read_seconds=1.5, call_seconds=3.0)


@pytest.fixture(scope="session")
def wiki() -> Iterator[TestWiki]:
    if not MEDIAWIKI.here():
        pytest.skip("MediaWiki and PHP are not installed")
    with TestWiki() as running:
        yield running


@pytest.fixture
def source(wiki: TestWiki) -> Iterator[MediaWikiSource]:
    made = MediaWikiSource(wiki.url, limits=PATIENT)
    yield made
    made.close()


@pytest.fixture
def proxy(wiki: TestWiki) -> Iterator[FaultyProxy]:
    with FaultyProxy(wiki.port) as running:
        yield running


@pytest.fixture
def through(proxy: FaultyProxy) -> Iterator[MediaWikiSource]:
    """A source behind the proxy that already knows its wiki."""
    made = MediaWikiSource(proxy.url, contact="mailto:test@example.org", version="9.9", limits=PATIENT)
    made.rules()
    yield made
    made.close()
