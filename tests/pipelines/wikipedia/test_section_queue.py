"""Sections that wait for their vectors in a queue of their own."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from graphvine.clock import ManualClock
from graphvine.dispatch import dispatch
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.records import Claim
from graphvine.workers.counts import Counts
from graphvine.workers.loop import Loop
from graphvine.workers.pipeline import Context
from graphvine.workers.requests import WorkRequest
from graphvine.workers.wikipedia.embedding_queue import SectionHandler
from graphvine.workers.wikipedia.models import OpenModel
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.support.grown import content, vectors
from tests.support.stores import Place

PLAIN = WikipediaSettings(source="sample", embedder="none")


class Lengths:
    """A model of two numbers, which are those of the text's length: quick, and the same wherever it runs."""

    name, dimension, max_tokens = "lengths", 2, 256

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += texts
        return np.array([[len(text) % 97, len(text) % 89] for text in texts], dtype=np.float32)

    def close(self) -> None: ...


@pytest.fixture
def model() -> Lengths:
    return Lengths()


def handler(graph: Graph, model: Lengths) -> SectionHandler:
    return SectionHandler(graph, OpenModel(graph, WikipediaSettings(), lambda *_: model), threading.Lock())


def work(graph: Graph, model: Lengths, **options: int) -> Counts:
    return Loop(graph, "section", handler(graph, model), **options).run(until_empty=True)  # type: ignore[arg-type]


def states(graph: Graph) -> dict[str, int]:
    status = next(one for one in graph.status() if one.pipeline == "section")
    return {state: count for state, count in status.states.items() if count}


@pytest.fixture
def waiting(growing: Graph) -> Graph:
    growing.grow(["Vine"], source="sample", depth=1, embed="later")
    return growing


def test_they_are_found_by_words_at_once_and_by_meaning_when_the_queue_is_empty(
    waiting: Graph, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert states(waiting)["waiting"] > 30 and "embedded" not in states(waiting)
    assert waiting.search("tendrils", mode="text") and waiting.search("how do vines climb")
    assert not any(vectors(waiting).values())
    assert dispatch(waiting, WorkRequest(pipeline="section", until_empty=True)).failed == 0
    assert set(states(waiting)) == {"embedded", "plain"}
    assert [hit.article for hit in waiting.search("climbing with tendrils", mode="vector", limit=3)]
    assert [finding for finding in waiting.doctor() if not finding.ok] == []
    # The same graph as with vectors at once.
    with Place("kuzu", tmp_path_factory.mktemp("at once")).open() as other:
        other.grow(["Vine"], source="sample", depth=1)
        assert content(other) == content(waiting)
        one, two = vectors(other), vectors(waiting)
    assert set(one) == set(two)
    for key, vector in one.items():
        assert bool(vector) == bool(two[key]) and np.allclose(vector or 0, two[key] or 0, atol=1e-3), key


def test_near_a_seed_and_much_linked_comes_first(waiting: Graph, model: Lengths) -> None:
    depths = dict(waiting.query("MATCH (a:Article) RETURN a.title, a.expansion_depth").rows)
    links = dict(waiting.query("MATCH (a:Article)<-[l:LINKS_TO]-() RETURN a.title, count(l)").rows)
    work(waiting, model, batch=30)
    order = list(dict.fromkeys(text.split("\n")[0].split(" - ")[0] for text in model.asked))
    assert order[0] == "Vine" and [depths[title] for title in order] == sorted(depths[title] for title in order)
    near = [links.get(title, 0) for title in order if depths[title] == 1]
    assert near[0] == max(near) or near[0] >= sorted(near)[len(near) // 2], "what many link to does not come last"


def test_an_article_written_again_takes_its_sections_from_who_embeds_the_old_text(
    waiting: Graph, model: Lengths
) -> None:
    slow = waiting.claims("section", "slow")
    claims = slow.claim(10)
    mine = [claim for claim in claims if claim.key.startswith("Vine#")]
    slow.release([claim for claim in claims if claim not in mine])
    waiting.execute("MATCH (a:Article {title: 'Vine'}) SET a.expansion_state = 'discovered'")
    waiting.reap("article")
    waiting.grow([], source="sample", depth=0, embed="later")
    assert mine and not _embeds(handler(waiting, model), mine)
    assert work(waiting, model).failed == 0
    assert set(states(waiting)) == {"embedded", "plain"}


def _embeds(handling: SectionHandler, claims: list[Claim]) -> list[object]:
    return list(handling.handle(claims, Context(threading.Event())))


def test_a_worker_that_is_gone_loses_its_sections_and_writes_nothing(place: Place, model: Lengths) -> None:
    clock = ManualClock(1_750_000_000_000)
    with place.open(clock) as graph:
        graph.grow(["Vine"], source="sample", depth=0, embed="later")
        claims = graph.claims("section", "gone")
        held = claims.claim(3)
        outcomes = list(handler(graph, model).handle(held, Context(threading.Event())))
        clock.forward(10_000)
        assert graph.reap("section").reclaimed == 3
        with pytest.raises(ClaimLost):
            claims.settle(outcomes)  # type: ignore[arg-type]
        assert not any(vectors(graph).values())
        assert work(graph, model).failed == 0


def test_never_asks_for_no_vector(growing: Graph) -> None:
    growing.grow(["Vine"], source="sample", depth=1, embed="never")
    assert set(states(growing)) == {"plain"}
    assert growing.read("section.models") == []


def test_without_an_embedder_none_waits(growing: Graph) -> None:
    growing.grow(["Vine"], settings=PLAIN, depth=1)
    assert set(states(growing)) == {"plain"}
