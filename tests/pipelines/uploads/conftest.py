"""What the tests of uploads share."""

from __future__ import annotations

import pytest

from graphvine.graph import Graph
from graphvine.workers.uploads.api import Uploads
from tests.pipelines.uploads.making import small


@pytest.fixture
def uploads(graph: Graph) -> Uploads:
    return Uploads(graph, small())
