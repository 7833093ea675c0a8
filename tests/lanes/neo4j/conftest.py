"""What the tests on a real Neo4j server share."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphvine.engines.neo4j.engine import Neo4jEngine
from graphvine.graph import Graph


@pytest.fixture(scope="session", autouse=True)
def only_here(engine_name: str) -> None:
    if engine_name != "neo4j":
        pytest.fail("these tests are of one engine: run them with --engine neo4j")


@pytest.fixture(autouse=True)
def state_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for a graph on a server stands in a folder of this test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def engine(graph: Graph) -> Neo4jEngine:
    assert isinstance(graph.engine, Neo4jEngine)
    return graph.engine
