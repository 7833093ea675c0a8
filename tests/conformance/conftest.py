"""Graphs that some of the behaviours need beside the plain one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from tests.support.stores import Place


@pytest.fixture
def short_sighted(place: Place, clock: ManualClock) -> Iterator[Graph]:
    """A graph that knows only the next three rows in memory."""
    with place.open(clock, window_rows=3) as opened:
        yield opened


@pytest.fixture
def graph_that_gives_up_early(place: Place, clock: ManualClock) -> Iterator[Graph]:
    """A graph where a row may lose two workers, not five."""
    with place.open(clock, max_lost_claims=2) as opened:
        yield opened


@pytest.fixture
def patient(place: Place, clock: ManualClock) -> Iterator[Graph]:
    """A graph where a row may fail a hundred times."""
    with place.open(clock, max_retries=100, backoff_max_seconds=60) as opened:
        yield opened


@pytest.fixture
def patient_but_quick(place: Place, clock: ManualClock) -> Iterator[Graph]:
    """A graph where a row may fail a hundred times, with 20 seconds between two at most."""
    with place.open(clock, max_retries=100, backoff_max_seconds=20) as opened:
        yield opened
