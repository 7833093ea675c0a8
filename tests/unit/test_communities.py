"""Communities: which rows belong together, and what joins the groups."""

from __future__ import annotations

from itertools import combinations

import pytest

from graphvine.communities import NoCommunities, find, kinds
from graphvine.graph import Graph
from graphvine.neighbourhood import NoSuchNode
from graphvine.paths import shortest
from tests.support.articles import linking

CLIQUES = (("Vine", "Ivy", "Hop", "Bean"), ("Oak", "Elm", "Ash"))


@pytest.fixture
def joined(graph: Graph) -> Graph:
    """Two groups in which everybody links to everybody, one link between them, and a row that nothing links to."""
    graph.seed("article", [*(title for clique in CLIQUES for title in clique), "Moss"])
    links = [pair for clique in CLIQUES for pair in combinations(clique, 2)] + [("Vine", "Oak")]
    claims = graph.claims("article", "test")
    for claim in claims.claim(20):
        claims.complete(claim, linking(graph, claim, [other for one, other in links if one == claim.key]))
    return graph


def test_rows_that_are_joined_form_a_group(joined: Graph) -> None:
    overview = find(joined, "Article").overview(10)
    assert overview["total"] == {"nodes": 8, "edges": 10, "communities": 3}
    assert [one["size"] for one in overview["communities"]] == [4, 3, 1]
    assert [one["name"] for one in overview["communities"]] == ["Vine", "Oak", "Moss"]
    assert [one["edges"] for one in overview["communities"]] == [6, 3, 0]
    assert overview["links"] == [{"source": 0, "target": 1, "count": 1}]


def test_the_members_of_a_group_come_with_what_joins_them(joined: Graph) -> None:
    found = find(joined, "Article")
    group = found.members(0, 10)
    assert group["size"] == 4 and group["keys"][0] == "Vine" and set(group["keys"]) == set(CLIQUES[0])
    assert len(group["pairs"]) == 12 and set(group["states"]) == {"processed"} and group["depths"] == [0] * 4
    assert find(joined, "Article").members(0, 2)["keys"] == group["keys"][:2]
    assert found.members(99, 10)["keys"] == []
    whole = found.all(100)
    assert len(whole["keys"]) == 8 and len(whole["pairs"]) == 20 and sorted(whole["groups"]) == [0] * 4 + [1] * 3 + [2]


def test_a_graph_without_edges_is_as_many_groups(graph: Graph) -> None:
    assert find(graph, "Article").overview(10)["communities"] == []
    graph.seed("article", ["Vine", "Ivy"])
    assert find(graph, "Article").overview(10)["total"] == {"nodes": 2, "edges": 0, "communities": 2}


def test_the_shortest_way_is_found_in_either_direction(joined: Graph) -> None:
    found = shortest(joined, "Article", "Ash", "Hop")
    assert [node["key"] for node in found["nodes"]] == ["Ash", "Oak", "Vine", "Hop"]
    assert {(edge["source"]["key"], edge["target"]["key"]) for edge in found["edges"]} == {
        ("Oak", "Ash"), ("Vine", "Oak"), ("Vine", "Hop"),
    }  # fmt: skip
    assert shortest(joined, "Article", "Vine", "Moss") == {"nodes": [], "edges": []}
    assert [node["key"] for node in shortest(joined, "Article", "Vine", "Vine")["nodes"]] == ["Vine"]
    with pytest.raises(NoSuchNode, match="Nobody"):
        shortest(joined, "Article", "Vine", "Nobody")


def test_other_kinds_are_refused_by_name(graph: Graph) -> None:
    assert "Article" in kinds(graph)
    with pytest.raises(NoCommunities, match="there are Article"):
        find(graph, "Section")
