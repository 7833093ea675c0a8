"""What a log brings back into memory when it is read counts: a store that is opened again and again does not fill up.

A hundredth of it is what the log itself takes, so its length alone would call for a checkpoint far too late.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

import graphvine
from graphvine.errors import StoreError, StoreReopened
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.settings import Settings

POOL_MB, ROWS, LIVES = 64, 20, 11


def open_store(folder: Path, pool_mb: int = POOL_MB, **given: int) -> Graph:
    return graphvine.open(folder / "graph.kuzu", settings=Settings(sync=False, buffer_pool_mb=pool_mb, **given))


def pool_use(graph: Graph) -> int:
    return int(graph.query("CALL bm_info() RETURN mem_usage").rows[0][0])


def close(graph: Graph, folder: Path) -> Graph:
    graph.close()
    return open_store(folder)


def fail(graph: Graph, folder: Path) -> Graph:
    """A unit that fails after a write: the engine throws its memory away, and opens the files anew."""
    seed = {"rows": [{"title": "never kept"}], "now": 0}
    with contextlib.suppress(StoreReopened):
        graph.run(Unit.of([Step("article.seed", seed), Step("article.seed", {"rows": [{"title": 5}], "now": "soon"})]))
        pytest.fail("this unit can't be run")
    return graph


@pytest.mark.long("opens a store some hundred times")
@pytest.mark.parametrize("again", [close, fail])
def test_a_store_that_is_opened_again_and_again_keeps_its_memory(
    tmp_path: Path, again: Callable[[Graph, Path], Graph]
) -> None:
    graph = open_store(tmp_path)
    try:
        graph.seed("article", [f"title {number}" for number in range(LIVES * ROWS)])
        before = pool_use(graph)
        for _ in range(LIVES):
            claims = graph.claims("article", "w")
            for _ in range(ROWS):
                claims.complete(claims.claim(1))
            graph = again(graph, tmp_path)
            assert pool_use(graph) < before + (POOL_MB << 20) // 3
        assert graph.read("article.counts") == [{"state": "processed", "count": LIVES * ROWS}]
    finally:
        graph.close()


def test_a_log_that_does_not_fit_is_told_of_and_folded_in(tmp_path: Path) -> None:
    rows = 600
    with open_store(tmp_path, 1024, checkpoint_memory_mb=1024, checkpoint_log_mb=1024) as graph:
        graph.seed("article", [f"title {number}" for number in range(rows)])
        claims = graph.claims("article", "w")
        for _ in range(rows):
            claims.complete(claims.claim(1))
    with pytest.raises(StoreError, match="buffer pool of 64 MiB.*Set buffer_pool_mb higher; 'graphvine console"):
        open_store(tmp_path)
    with open_store(tmp_path, 1024) as graph:
        graph.execute("CHECKPOINT")
    with open_store(tmp_path) as graph:
        assert graph.read("article.counts") == [{"state": "processed", "count": rows}]


def test_a_long_log_is_folded_in_on_closing(tmp_path: Path) -> None:
    log = tmp_path / "graph.kuzu.wal"
    with open_store(tmp_path, 1024, checkpoint_log_mb=1) as graph:
        graph.seed("article", ["a"])
    assert log.stat().st_size > 0, "a short one stays: folding it in costs more than it gives"
    with open_store(tmp_path, 1024, checkpoint_log_mb=1) as graph:
        graph.engine.checkpoint()  # type: ignore[attr-defined]  # the next is not made at once
        graph.seed("article", [f"{number} {'x' * 1_000}" for number in range(2_000)])
    assert not log.exists() or log.stat().st_size < 1 << 20
    with open_store(tmp_path) as graph:
        assert graph.query("MATCH (a:Article) RETURN count(*)").rows == [[2_001]]


def test_a_closed_store_keeps_no_second_copy(tmp_path: Path) -> None:
    with open_store(tmp_path) as graph:
        graph.seed("article", ["a"])
        graph.engine.checkpoint()  # type: ignore[attr-defined]  # embedded engines have it
        assert (tmp_path / "graph.kuzu.spare").exists()
    assert not (tmp_path / "graph.kuzu.spare").exists()
    with open_store(tmp_path) as graph:
        graph.engine.checkpoint()  # type: ignore[attr-defined]
        assert graph.query("MATCH (a:Article) RETURN count(*)").rows == [[1]]
