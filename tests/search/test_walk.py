"""A walk over edges: what it gains, what a hub may not drown, and that it finds the second article of a question."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import pytest

from graphvine.clock import SystemClock
from graphvine.graph import Graph
from graphvine.search.ranking import walk
from graphvine.workers.wikipedia.search import ArticleSearch
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.support.stores import Place

SETTINGS = WikipediaSettings(source="sample", embedder="none")


def ranked(
    own: Mapping[str, float], edges: Mapping[str, Sequence[str]], like: Mapping[str, float]
) -> dict[str, tuple[float, str | None]]:
    def neighbours(seeds: Sequence[str]) -> dict[str, Sequence[str]]:
        return {seed: edges.get(seed, ()) for seed in seeds}

    def likeness(nodes: Collection[str]) -> dict[str, float]:
        return {node: like.get(node, 0.0) for node in nodes}

    return {key: (one.score, one.via) for key, one in walk(own, neighbours, likeness).items()}


def test_a_neighbour_of_the_best_hit_passes_others_that_are_as_like_the_question() -> None:
    found = ranked({"hit": 2.0, "other": 0.6}, {"hit": ["bridge"]}, {"bridge": 0.3})
    assert list(found) == ["hit", "bridge", "other"]
    assert found["bridge"][1] == "hit" and found["hit"][1] is None


def test_what_is_not_like_the_question_gains_nothing() -> None:
    assert ranked({"hit": 2.0}, {"hit": ["unlike"]}, {"unlike": 0.0}) == {"hit": (3.0, None)}
    assert ranked({"hit": 2.0}, {"hit": ["unlike"]}, {"unlike": -0.4}) == {"hit": (3.0, None)}


def test_the_best_hit_stays_before_neighbours_that_are_half_as_like() -> None:
    found = ranked({"hit": 2.0, "near": 0.9}, {"hit": ["near"]}, {"near": 0.5})
    assert list(found) == ["hit", "near"] and found["near"][1] == "hit"


def test_two_hits_that_are_linked_support_each_other() -> None:
    found = ranked({"a": 1.0, "b": 1.0, "c": 1.05}, {"a": ["b"], "b": ["a"]}, {"a": 0.5, "b": 0.5})
    assert list(found)[2] == "c"


def test_a_hub_gives_each_of_its_neighbours_less() -> None:
    edges = {"hub": ["x", *(f"n{n}" for n in range(1000))], "plain": ["y"]}
    found = ranked({"hub": 1.0, "plain": 1.0}, edges, {"x": 0.5, "y": 0.5})
    assert found["y"][0] > 5 * found["x"][0] > 0


def test_nothing_found_is_nothing_walked() -> None:
    assert ranked({}, {}, {}) == {}


@pytest.fixture
def garden(place: Place) -> Iterator[ArticleSearch]:
    with place.open(SystemClock()) as graph:
        graph.grow(["Vine"], settings=SETTINGS, depth=9)
        search = ArticleSearch(graph, SETTINGS)
        yield search
        search.close()


def test_the_article_behind_the_link_is_found_and_its_path_told(garden: ArticleSearch) -> None:
    question = "Which vine was planted against soil loss and is now on the lists of harmful plants?"
    by_words = list(dict.fromkeys(hit.article for hit in garden.search(question, mode="text", limit=30)))
    assert "Kudzu" in by_words[:5] and "Invasive species" not in by_words[:5]
    hits = garden.search(question, limit=5)
    articles = [hit.article for hit in hits]
    assert {"Kudzu", "Invasive species"} <= set(articles)
    assert len(articles) == len(set(articles)), "an article is shown once, by its best section"
    for hit in hits:
        assert hit.score == pytest.approx(hit.by_words + hit.by_meaning + hit.by_link)
        assert (hit.by_link > 0) == bool(hit.path)
        assert not hit.path or hit.path[-1] == hit.article
    assert any(hit.path for hit in hits)


def test_a_link_by_way_of_a_redirect_is_walked(place: Place) -> None:
    with place.open(SystemClock()) as graph:
        graph.seed("article", ["Start", "Alias", "Target"])
        _link(graph, "Start", "LINKS_TO", "Alias")
        _link(graph, "Alias", "REDIRECTS_TO", "Target")
        graph.execute("MATCH (a:Article {title: 'Alias'}) SET a.kind = 'redirect'")
        search = ArticleSearch(graph, SETTINGS)
        there, back, direct = (set(search.edges(title, 10)) for title in ("Start", "Target", "Alias"))
        search.close()
    assert ("article", "Target") in there and ("article", "Start") in back
    assert direct == {("article", "Start"), ("article", "Target")}


def test_so_many_edges_of_a_hub_are_read_and_no_more(place: Place) -> None:
    with place.open(SystemClock()) as graph:
        graph.seed("article", ["Hub", *(f"End {number}" for number in range(300))])
        graph.execute(
            "MATCH (a:Article {title: 'Hub'}), (b:Article) WHERE b.title <> 'Hub' CREATE (b)-[:LINKS_TO]->(a)"
        )
        search = ArticleSearch(graph, SETTINGS)
        assert len(list(search.edges("Hub", 50))) == 50
        search.close()


def test_without_edges_a_walk_ranks_as_both_rankings_fused(
    garden: ArticleSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garden, "edges", lambda key, limit: iter(()))
    for question in ("how do vines climb", "which insect ruined the vineyards of France"):
        fused = list(dict.fromkeys(hit.article for hit in garden.search(question, mode="hybrid", limit=100)))
        assert [hit.article for hit in garden.search(question, limit=10)] == fused[:10]


def test_any_words_may_be_asked(garden: ArticleSearch) -> None:
    for text in ('"', "-vine", "vine -grape", "\u0000", "xyzzy plugh", "(((", "a" * 5000):
        assert all(hit.article for hit in garden.search(text))
    assert garden.search("xyzzy plugh") == []


def _link(graph: Graph, source: str, kind: str, target: str) -> None:
    text = f"MATCH (a:Article {{title: $source}}), (b:Article {{title: $target}}) CREATE (a)-[:{kind} {{gone: 0}}]->(b)"
    graph.execute(text, {"source": source, "target": target})
