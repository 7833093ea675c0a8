"""Search by the server's own indexes gives what the index beside an embedded graph gives."""

from __future__ import annotations

from pathlib import Path

import pytest

import graphvine
from graphvine.graph import Graph
from graphvine.workers.wikipedia.search import ArticleSearch, Mode
from graphvine.workers.wikipedia.settings import WikipediaSettings

SETTINGS = WikipediaSettings(source="sample")
QUESTIONS = ("how do vines climb", "wine from grapes", "poisonous berries")


@pytest.fixture
def grown(graph: Graph) -> Graph:
    graph.grow(["Vine"], settings=SETTINGS, depth=1)
    return graph


def best(graph: Graph, mode: Mode) -> list[set[str]]:
    searching = ArticleSearch(graph, SETTINGS)
    try:
        return [{hit.article for hit in searching.search(asked, mode=mode, limit=3)} for asked in QUESTIONS]
    finally:
        searching.close()


def test_the_same_articles_come_first_as_beside_an_embedded_graph(grown: Graph, tmp_path: Path) -> None:
    with graphvine.open(tmp_path / "beside.kuzu") as embedded:
        embedded.grow(["Vine"], settings=SETTINGS, depth=1)
        vectors, words = best(embedded, "vector"), best(embedded, "text")
    assert best(grown, "vector") == vectors
    for here, there in zip(best(grown, "text"), words, strict=True):
        assert here & there, "other stems, another ranking, the same subject"
    assert all(best(grown, "hybrid"))


def test_signs_are_signs_and_what_is_gone_is_not_found(grown: Graph) -> None:
    searching = ArticleSearch(grown, SETTINGS)
    for text in ('vine AND (NOT "climb', "vine* ~[", "/vine/ && climb:^", "   ", "!?"):
        hits = searching.search(text, mode="text")
        assert bool(hits) == ("vine" in text), text
        assert all(hit.snippet for hit in hits)
    first = searching.search("how do vines climb", mode="text", limit=1)[0]
    grown.execute("MATCH (s:Section {article: $title}) SET s.gone = 1", {"title": first.article})
    assert first.article not in {hit.article for hit in searching.search("how do vines climb", mode="text")}
    near = searching.search("wine", near="Vine")
    assert {hit.distance for hit in near} & {0, 1}
    assert searching.rebuild() == 0
    searching.close()
