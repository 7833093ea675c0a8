"""Guard columns are aligned on opening only where something wrote past the blocks; and then always."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import graphvine.reaper
from graphvine.clock import ManualClock
from graphvine.store import Store
from tests.support.articles import keys
from tests.support.processes import Child, Send, run
from tests.support.stores import Place

RESET = "MATCH (a:Article {title: 'a'}) SET a.expansion_state = 'discovered'"


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pipelines whose tables were read for rows that are out of line."""
    seen: list[str] = []
    align: Callable[[Store, str], int] = graphvine.reaper.align

    def noticed(store: Store, pipeline: str) -> int:
        seen.append(pipeline)
        return align(store, pipeline)

    monkeypatch.setattr("graphvine.reaper.align", noticed)
    return seen


def test_a_graph_that_only_blocks_wrote_to_is_not_read_through(place: Place, looked_at: list[str]) -> None:
    with place.open(ManualClock()) as graph:
        graph.seed("article", ["a", "b"])
        graph.engine.checkpoint()  # type: ignore[attr-defined]
        graph.engine.checkpoint()  # type: ignore[attr-defined]
        graph.claims("article", "w").claim(1)
    looked_at.clear()
    with place.open(ManualClock()) as graph:
        graph.reap("article")
    assert looked_at == []


def test_a_statement_that_was_typed_is_aligned_at_once_and_not_again(place: Place, looked_at: list[str]) -> None:
    with place.open(ManualClock()) as graph:
        graph.seed("article", ["a"])
        looked_at.clear()
        graph.execute("MATCH (a:Article) SET a.expansion_state = 'failed'")
        assert "article" in looked_at
        looked_at.clear()
    with place.open(ManualClock()) as graph:
        assert looked_at == [] and graph.claims("article", "w").claim(1) == []


def _reset_and_die(send: Send, place: Place) -> None:
    with place.open(ManualClock()) as graph:
        graph.engine.execute([RESET])  # killed before Graph.execute would have aligned
        send("written")
        os._exit(9)


def test_a_kill_before_the_alignment_is_not_forgotten(place: Place) -> None:
    clock = ManualClock()
    with place.open(clock) as graph:
        graph.seed("article", ["a"])
        claims = graph.claims("article", "w")
        claims.complete(claims.claim(1))
    with Child(_reset_and_die, place) as child:
        assert child.hear() == "written"
        child.wait_for_death()
    with place.open(clock) as graph:
        assert keys(graph.claims("article", "w").claim(1)) == ["a"]


def _write_with_the_bare_driver(send: Send, path: Path) -> None:
    import kuzu

    with kuzu.Database(str(path)) as database, kuzu.Connection(database) as connection:
        connection.execute(RESET)
        connection.execute("CHECKPOINT")


def test_what_another_program_wrote_is_taken_up(place: Place, looked_at: list[str]) -> None:
    clock = ManualClock()
    with place.open(clock) as graph:
        graph.seed("article", ["a"])
        claims = graph.claims("article", "w")
        claims.complete(claims.claim(1))
        path = Path(graph.where)
    run(_write_with_the_bare_driver, path)
    with place.open(clock) as graph:
        assert keys(graph.claims("article", "w").claim(1)) == ["a"]
    looked_at.clear()
    place.open(clock).close()
    assert looked_at == [], "once is enough"


def test_a_load_is_looked_at_when_the_graph_is_opened_again(place: Place, looked_at: list[str]) -> None:
    with place.open(ManualClock()) as graph:
        graph.engine.bulk_load("Article", {"title": ["made by hand"]})  # type: ignore[attr-defined]
    looked_at.clear()
    with place.open(ManualClock()) as graph:
        assert "article" in looked_at
        assert keys(graph.claims("article", "w").claim(1)) == ["made by hand"]
