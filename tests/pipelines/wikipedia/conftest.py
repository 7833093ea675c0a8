"""Graphs to grow, and a cache of the model's own for the run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphvine.clock import SystemClock
from graphvine.graph import Graph
from tests.support.stores import Place


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Vectors that a test computes stay out of the cache of whoever runs it."""
    before = os.environ.get("XDG_CACHE_HOME")
    folder = tmp_path_factory.mktemp("cache")
    os.environ["XDG_CACHE_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before


@pytest.fixture
def growing(place: Place) -> Iterator[Graph]:
    """An empty graph on the clock of the machine: growth waits for what backs off."""
    with place.open(SystemClock(), backoff_seconds=0.05) as graph:
        yield graph
