"""An index of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphvine.search.index import SearchIndex
from tests.search.samples import DIMENSION


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SearchIndex]:
    with SearchIndex(tmp_path / "g.index", DIMENSION, background=False) as opened:
        yield opened
