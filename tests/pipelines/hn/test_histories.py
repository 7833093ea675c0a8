"""Threads in any order of arrival: merged threads, circles, items that are moved, and whole histories."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from hypothesis import Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as some

from graphvine.graph import Graph
from graphvine.workers.hn.ingest.ingest import Taken, intake, take_in
from tests.pipelines.hn.looking import SAME, edges, row, whole
from tests.pipelines.hn.making import DELIVERED
from tests.pipelines.hn.test_intake import COMMENT, STORY
from tests.support.stores import Place


def test_a_comment_may_stand_below_a_younger_story(graph: Graph) -> None:
    merged = STORY | {"id": 9, "title": "the story that moderators keep", "kids": [5]}
    below = [COMMENT | {"id": 5, "parent": 9}, COMMENT | {"id": 6, "parent": 5}]
    for items in ([merged, *below], below):
        assert take_in(graph, items, "SINGLE_POST").failed == 0
    assert edges(graph) == [(5, 6), (9, 5)] and row(graph, 6)["story"] == 9


RING = [COMMENT | {"id": 5, "parent": 6}, COMMENT | {"id": 6, "parent": 7}, COMMENT | {"id": 7, "parent": 5}]


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("at_once", [True, False])
def test_only_the_edge_that_closes_a_circle_is_refused(graph: Graph, order: tuple[int, ...], at_once: bool) -> None:
    items = [RING[place] for place in order]
    for part in [items] if at_once else [[item] for item in items]:
        assert take_in(graph, part, "SINGLE_POST", handed_over_at=DELIVERED).failed == 0
    assert edges(graph) == [(5, 7), (7, 6)] and {row(graph, id)["story"] for id in (5, 6, 7)} == {0}
    # A newer copy breaks the circle: the edge that was refused is made, and all have a story.
    take_in(graph, [STORY, COMMENT | {"id": 7, "parent": 1}], "SINGLE_POST", handed_over_at=DELIVERED + 1)
    assert edges(graph) == [(1, 7), (6, 5), (7, 6)] and {row(graph, id)["story"] for id in (5, 6, 7)} == {1}
    # And closes it again.
    take_in(graph, [COMMENT | {"id": 7, "parent": 5}], "SINGLE_POST", handed_over_at=DELIVERED + 2)
    assert edges(graph) == [(5, 7), (7, 6)] and {row(graph, id)["story"] for id in (5, 6, 7)} == {0}


def test_an_item_below_itself_is_kept_without_the_edge(graph: Graph) -> None:
    assert take_in(graph, [COMMENT | {"parent": 2}], "SINGLE_POST") == Taken(new=1)
    assert edges(graph) == [] and row(graph, 2)["story"] == 0


def test_what_is_moved_takes_all_below_it_along(graph: Graph) -> None:
    chain = [COMMENT | {"id": id, "parent": id - 1} for id in range(3, 60)]
    take_in(graph, [STORY, COMMENT, *chain, STORY | {"id": 99}], "SINGLE_POST", handed_over_at=DELIVERED)
    assert row(graph, 59)["story"] == 1
    take_in(graph, [COMMENT | {"id": 3, "parent": 99}], "SINGLE_POST", handed_over_at=DELIVERED + 1)
    assert (row(graph, 2)["story"], row(graph, 3)["story"], row(graph, 59)["story"]) == (1, 99, 99)


def test_what_only_a_list_had_accepted_fails_when_the_list_drops_it(graph: Graph) -> None:
    bare = {"id": 5, "type": "comment", "text": "whose am I?"}
    take_in(graph, [STORY | {"kids": [5]}, bare], "SINGLE_POST", handed_over_at=DELIVERED)
    assert row(graph, 5)["state"] == "completed"
    take_in(graph, [STORY | {"kids": [6]}], "SINGLE_POST", handed_over_at=DELIVERED + 1)
    assert (row(graph, 5)["state"], row(graph, 5)["last_error"]) == ("failed", "parent: a comment needs one")
    take_in(graph, [STORY | {"kids": [5]}], "SINGLE_POST", handed_over_at=DELIVERED + 2)
    assert row(graph, 5)["state"] == "completed" and edges(graph) == [(1, 5)]


_ids = some.integers(1, 9)
_items = some.lists(
    some.fixed_dictionaries(
        {"id": _ids, "type": some.sampled_from(["story", "comment", "comment", "comment", "poll", "pollopt", "x"])},
        optional={
            "parent": _ids, "poll": _ids, "text": some.sampled_from(["a", "b<p>&amp;"]), "score": some.integers(-1, 2),
            "fetchedAt": some.sampled_from([DELIVERED, DELIVERED + 1, DELIVERED + 2]),
            "kids": some.lists(_ids, max_size=3), "parts": some.lists(_ids, max_size=2),
        },
    ),
    max_size=14,
)  # fmt: skip


@pytest.mark.long("wild histories in any order")
@hypothesis_settings(max_examples=50, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(items=_items, order=some.randoms(use_true_random=False), cuts=some.lists(some.integers(0, 14), max_size=3))
def test_any_history_in_any_order_ends_in_the_same_graph(
    template: Place, histories: list[Graph], items: list[dict[str, Any]], order: Any, cuts: list[int]
) -> None:
    other = list(items)
    order.shuffle(other)
    ends = [*sorted(cuts), len(other)]
    parts = [other[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    for graph, deliveries in zip(histories, ([items], parts), strict=True):
        graph.execute("MATCH (a:HNItem) DETACH DELETE a")
        intake(graph)._threads.forget()
        for delivery in deliveries:
            take_in(graph, delivery, "BULK_UPLOAD", handed_over_at=DELIVERED)
    one, two = map(whole, histories)
    assert one == two
    check_threads(*one)


def check_threads(
    rows: dict[int, tuple[Any, ...]], tree: list[tuple[int, int]], options: list[tuple[int, int]]
) -> None:
    """No circle, one edge to each, and the story is what a walk up the edges finds."""
    above = {below: up for up, below in tree} | dict(options)
    assert len(above) == len(tree) + len(options)
    for id, found in rows.items():
        named = dict(zip(SAME, found, strict=True))
        seen, at = [id], id
        while at in above:
            at = above[at]
            assert at not in seen, "a circle"
            seen.append(at)
        top = dict(zip(SAME, rows[at], strict=True))
        whole_way = top["state"] == "completed" and not (top["parent"] or top["poll"])
        if named["state"] == "completed":
            assert named["story"] == (at if whole_way else 0), (id, named)


@pytest.fixture(scope="module")
def histories(template: Place, tmp_path_factory: Any) -> Iterator[list[Graph]]:
    """Two graphs that every history empties and fills."""
    folder = tmp_path_factory.mktemp("histories")
    with template.copy_to(folder / "one").open() as one, template.copy_to(folder / "two").open() as two:
        yield [one, two]
