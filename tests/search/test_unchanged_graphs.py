"""What is remembered of a graph holds only while nothing is written to it, in whatever way."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graphvine.graph import Graph
from tests.support.articles import take_one


def _by_a_unit(graph: Graph) -> None:
    graph.seed("article", ["another"])


def _by_a_claim(graph: Graph) -> None:
    take_one(graph.claims("article", "w"))


def _by_hand(graph: Graph) -> None:
    graph.engine.execute(["MATCH (a:Article) SET a.expansion_state = 'failed'"])


def _by_a_checkpoint(graph: Graph) -> None:
    graph.engine.execute(["CHECKPOINT"])


@pytest.mark.parametrize("write", [_by_a_unit, _by_a_claim, _by_hand, _by_a_checkpoint])
def test_whatever_is_written_changes_what_names_the_content(graph: Graph, write: Callable[[Graph], None]) -> None:
    graph.seed("article", ["one"])
    before = graph.store.content
    assert before is not None
    graph.read("article.counts")
    graph.query("MATCH (a:Article) RETURN count(*)")
    assert graph.store.content == before, "reading changes nothing"
    write(graph)
    assert graph.store.content != before


def test_an_index_asks_an_unchanged_graph_for_nothing_and_misses_nothing(graph: Graph) -> None:
    asked: list[str] = []
    graph.store.subscribe(lambda event, facts: asked.append(facts["block"]) if event == "read" else None)
    graph.hn.add([{"id": 1, "type": "story", "title": "Kudzu", "by": "pg", "time": 1}])
    assert graph.hn.search("kudzu").total == 1
    for_news, asked[:] = set(asked), []
    assert graph.hn.search("kudzu").total == 1
    assert set(asked) == {"hn_item.shown"} < for_news
    for number in range(2, 6):
        graph.hn.add([{"id": number, "type": "story", "title": "Kudzu", "by": "pg", "time": number}])
        graph.engine.execute(["CHECKPOINT"])
        assert graph.hn.search("kudzu").total == number
