"""A walk where more rows have the words than are looked at by words: what is meant is found all the same."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from graphvine.dispatch import dispatch
from graphvine.workers.requests import WorkRequest
from graphvine.workers.search.vector_queue import fill_queue
from tests.common.embedding.small_models import write_small_model
from tests.support.stores import Place

WORDS = ("goats", "kudzu", "creeper", "fence", "summer", "barn")


def test_what_is_meant_is_found_among_many_with_the_same_words(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHVINE_WIKIPEDIA_MODEL", str(write_small_model(tmp_path / "small")))
    # The same words in every order: as good as each other by words, and each with a meaning of its own.
    texts = [" ".join(words) for words in permutations(WORDS)][:300]
    story = {"id": 1, "type": "story", "title": "A story", "by": "pg", "time": 1_700_000_000}
    comments = [
        {"id": 2 + number, "type": "comment", "parent": 1, "by": "sama", "time": 1_700_000_100, "text": text}
        for number, text in enumerate(texts)
    ]
    with place.open() as graph:
        graph.hn.add([story, *comments])
        fill_queue(graph, ("hn",))
        dispatch(graph, WorkRequest(pipeline="vector", until_empty=True))
        for wanted in (comments[0], comments[150], comments[-1]):
            hits = {hit.key: hit for hit in graph.search(str(wanted["text"]), kind=["hn"], mode="walk", limit=20)}
            assert str(wanted["id"]) in hits, wanted
            assert hits[str(wanted["id"])].by_words > 0.9 and hits[str(wanted["id"])].by_meaning > 0.9
