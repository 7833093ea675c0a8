"""Texts that are nearly the same are joined, whatever their kinds, and however they are cut into batches."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.clock import SystemClock
from graphvine.graph import Graph
from graphvine.workers.search.edges import EdgeJobs
from graphvine.workers.search.near_duplicates import LIKE, MOST_LEADERS, buckets_of, likeness, runs_of
from tests.support.stores import Place

WORDS = [f"word{number}" for number in range(400)]


def prose(seed: int, length: int = 80) -> list[str]:
    return random.Random(seed).choices(WORDS, k=length)


def changed(words: list[str], seed: int, times: int) -> list[str]:
    chance, found = random.Random(seed), list(words)
    for _ in range(times):
        found[chance.randrange(len(found))] = chance.choice(WORDS)
    return found


def item(number: int, words: list[str]) -> dict[str, object]:
    return {"id": number, "type": "comment", "parent": 1, "by": "pg", "time": 1_700_000_000, "text": " ".join(words)}


def groups(graph: Graph) -> dict[int, str]:
    found = graph.query(
        "MATCH (a:HNItem)-[n:HN_NEAR_DUPLICATE]->(g:NearDuplicates) WHERE n.gone = 0 RETURN a.hnId, g.id"
    )
    return {row[0]: row[1] for row in found.rows}


def test_a_few_changed_words_leave_texts_alike_and_others_are_not() -> None:
    met = 0
    for seed in range(200):
        text = prose(seed)
        near, far = runs_of(" ".join(changed(text, seed, 2))), runs_of(" ".join(prose(seed + 1_000)))
        runs = runs_of(" ".join(text))
        assert likeness(runs, near) >= LIKE > 0.1 > likeness(runs, far)
        met += bool(set(buckets_of(runs)) & set(buckets_of(near)))
        assert not set(buckets_of(runs)) & set(buckets_of(far))
    assert met >= 190, "like texts meet in a bucket"


@given(st.text(max_size=2_000))
def test_any_text(text: str) -> None:
    runs = runs_of(text)
    assert runs == runs_of(text.upper().lower()) or "\u0130" in text or text.lower() != text.upper().lower()
    assert not runs or (likeness(runs, runs) == 1 and len(buckets_of(runs)) == 4)


@pytest.mark.parametrize("rows_at_once", [3, 2_000])
def test_the_first_of_like_texts_leads_the_others(place: Place, rows_at_once: int) -> None:
    first, second = prose(1), prose(2)
    with place.open(SystemClock()) as graph:
        graph.hn.add([
            {"id": 1, "type": "story", "title": "Short", "by": "pg"}, item(2, first), item(3, second),
            item(4, changed(first, 1, 2)), item(5, changed(first, 2, 2)), item(6, second), item(7, prose(3)),
        ])  # fmt: skip
        (items, *_) = EdgeJobs(graph, rows_at_once=rows_at_once).run()
        found = groups(graph)
        assert items.near_duplicates == 5 and items.done == items.newest and set(found) == {2, 3, 4, 5, 6}
        assert found[2] == found[4] == found[5] and found[3] == found[6] and found[2].startswith("hn:2:")
        # A text that changes leaves its group; one that leads it leaves the others together.
        graph.hn.add([item(4, prose(9)), item(2, prose(10)), item(3, second) | {"score": 7}])
        graph.hn.add(item(8, changed(prose(10), 1, 2)))
        EdgeJobs(graph, rows_at_once=rows_at_once).run()
        after = groups(graph)
        assert set(after) == {2, 3, 5, 6, 8} and after[3] == after[6] == found[3] and after[5] == found[5]
        assert after[2] == after[8] != found[2]


def test_a_text_that_comes_often_is_compared_with_one(place: Place) -> None:
    with place.open(SystemClock()) as graph:
        graph.hn.add(
            [{"id": 1, "type": "story", "title": "Short", "by": "pg"}, *(item(n, prose(1)) for n in range(2, 60))]
        )
        EdgeJobs(graph, rows_at_once=7).run()
        assert set(groups(graph).values()) == {groups(graph)[2]} and len(groups(graph)) == 58
        for (leaders,) in graph.query("MATCH (b:TextBucket) RETURN b.leaders").rows:
            assert leaders.count("hn:") == 1 <= MOST_LEADERS
