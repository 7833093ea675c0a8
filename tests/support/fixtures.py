"""The fixtures of every suite that works on a graph; tests/conftest.py brings them in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from tests.support.stores import Place, make_template


@pytest.fixture(scope="session")
def template(engine_name: str, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """An empty store of the engine under test, to be copied and never opened."""
    return make_template(engine_name, tmp_path_factory.mktemp("template") / "store")


@pytest.fixture
def place(template: Place, tmp_path: Path) -> Place:
    """An empty store of this test's own, not open yet."""
    return template.copy_to(tmp_path / "store")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def graph(place: Place, clock: ManualClock) -> Iterator[Graph]:
    """An empty graph of this test's own, on a clock that stands still."""
    with place.open(clock) as opened:
        yield opened
