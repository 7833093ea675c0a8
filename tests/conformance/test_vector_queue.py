"""Vectors for items, news and pages, from a queue of their own: filled, emptied, searched, on every engine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graphvine.clock import NEVER, ManualClock
from graphvine.dispatch import dispatch
from graphvine.errors import ClaimLost
from graphvine.graph import Graph
from graphvine.search.kinds import Mode
from graphvine.workers.requests import WorkRequest
from graphvine.workers.search.vector_queue import fill_queue
from tests.common.embedding.small_models import write_small_model
from tests.support.stores import Place

STORY, COMMENT = "Kudzu, the vine that ate the South", "Goats eat kudzu, and do so every day."
TEXT = "The town has fought the creeper with goats for years."
PAGE = "What goats think of the ivy, at length."
AT = datetime(2024, 1, 2, tzinfo=UTC)
ALL = ("hn", "news", "page")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_model(tmp_path_factory.mktemp("models") / "small")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_750_000_000_000)


@pytest.fixture
def graph(place: Place, clock: ManualClock, model: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    monkeypatch.setenv("GRAPHVINE_WIKIPEDIA_MODEL", str(model))
    # A wiki with the vectors of two models takes 100 MB of Ladybug's pool, before anybody reads beside it.
    with place.open(clock, buffer_pool_mb=256) as graph:
        graph.hn.add([
            {"id": 1, "type": "story", "title": STORY, "by": "pg", "time": 1_700_000_000},
            {"id": 2, "type": "comment", "parent": 1, "by": "sama", "time": 1_700_000_100, "text": COMMENT},
        ])  # fmt: skip
        _create(graph, "NewsArticle", {
            "id": "n1", "link": "http://example.org/", "title": "Town fights vine", "date": AT, "content": TEXT,
            "addedAt": AT, "contentAt": AT, "state": "processed",
        })  # fmt: skip
        _create(graph, "ScrapeItem", {
            "id": "p1", "url": "https://example.org/", "scraped_at": AT, "state": "completed",
            "scraped": json.dumps({"title": "A page about goats", "text": PAGE}),
        })  # fmt: skip
        yield graph


def _create(graph: Graph, label: str, values: dict[str, Any]) -> None:
    given = {**values, "seq": 1, "stamp": 2, "due": NEVER, "lease": 0, "retry_count": 0}
    fields = ", ".join(f"{name}: ${name}" for name in given)
    graph.execute(f"CREATE (:{label} {{{fields}}})", given)


def work(graph: Graph) -> int:
    return dispatch(graph, WorkRequest(pipeline="vector", until_empty=True)).done


def states(graph: Graph) -> dict[str, str]:
    return dict(graph.query("MATCH (v:TextVector) RETURN v.id, v.state").rows)


def found(graph: Graph, text: str, mode: Mode = "vector", **more: Any) -> list[tuple[str, str]]:
    return [(hit.kind, hit.key) for hit in graph.search(text, mode=mode, **more)]


def test_nothing_waits_until_somebody_asks_for_it(graph: Graph) -> None:
    graph.make_edges()
    assert work(graph) == 0 and states(graph) == {}
    assert ("hn", "2") in found(graph, "goats", "hybrid") and ("hn", "2") in found(graph, "goats", "walk")


def test_every_kind_is_found_by_meaning_once_the_queue_is_empty(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(graph, "goats", "hybrid", kind=["hn"])
    monkeypatch.setenv("GRAPHVINE_SEARCH_VECTORS", ",".join(ALL))
    graph.make_edges()
    assert set(states(graph).values()) == {"waiting"} and len(states(graph)) == 4
    assert work(graph) == 4 and set(states(graph).values()) == {"embedded"}
    for kind, key, text in (("hn", "1", STORY), ("hn", "2", COMMENT), ("news", "n1", f"Town fights vine\n{TEXT}")):
        assert found(graph, text)[0] == (kind, key)
        assert found(graph, text, kind=[kind])[0] == (kind, key)
    (best, *_) = graph.search(f"\n{PAGE}", kind=["page"])
    assert (best.kind, best.key) == ("page", "p1") and best.by_meaning > 0 and best.by_words > 0
    assert {kind for kind, _ in found(graph, "goats", "hybrid")} == {"hn", "news", "page"}
    assert work(graph) == 0, "what is embedded waits no more"
    assert [finding for finding in graph.doctor() if not finding.ok] == []


def test_filters_hold_for_what_is_found_by_meaning(graph: Graph) -> None:
    fill_queue(graph, ALL)
    work(graph)
    assert found(graph, COMMENT, author="pg") == [("hn", "1")]
    assert found(graph, COMMENT, not_author="pg", kind=["hn"]) == [("hn", "2")]
    assert found(graph, COMMENT, site="example.org", kind=["news"]) == [("news", "n1")]
    assert found(graph, COMMENT, site="example.com", kind=["news", "page"]) == []
    assert found(graph, STORY, after=1_700_000_050, kind=["hn"]) == [("hn", "2")]


def test_another_model_takes_over_when_everything_has_its_vector(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHVINE_SEARCH_VECTORS", ",".join(ALL))
    graph.grow(["Vine"], source="sample", depth=1)
    work(graph)
    before = found(graph, "tendrils", limit=5)
    old = graph.read("article.models")
    other = write_small_model(tmp_path / "other", seed=2)
    for number, name in enumerate((str(other), os.environ["GRAPHVINE_WIKIPEDIA_MODEL"]), 1):
        summary = graph.switch_model(name)
        assert summary.switched and not summary.failed and summary.embedded > 30
        (model,) = graph.read("article.models")
        assert model["generation"] == number and states(graph)["hn:1"] == "embedded"
        assert found(graph, STORY, kind=["hn"])[0] == ("hn", "1")
        assert found(graph, f"\n{PAGE}", kind=["page"])[0] == ("page", "p1")
        assert graph.search("how do vines climb", kind=["article"], mode="vector", limit=3)
    assert model["name"] == old[0]["name"]
    assert found(graph, "tendrils", limit=5) == before, "the first model again finds what it found"


def test_a_text_that_changes_waits_anew_and_takes_the_claim_from_who_embeds_the_old_one(
    graph: Graph, clock: ManualClock
) -> None:
    fill_queue(graph, ["hn"])
    slow = graph.claims("vector", "slow")
    held = slow.claim(10)
    assert {claim.key for claim in held} == {"hn:1", "hn:2"}
    clock.forward(1)
    graph.hn.add({"id": 2, "type": "comment", "parent": 1, "by": "sama", "time": 1_700_000_100, "text": "Sheep, too."})
    graph.hn.add({"id": 1, "type": "story", "title": STORY, "by": "pg", "time": 1_700_000_000, "score": 9})
    fill_queue(graph, ["hn"])
    assert states(graph) == {"hn:1": "claimed", "hn:2": "waiting"}, "a score is no text"
    with pytest.raises(ClaimLost):
        slow.release(held)
    work(graph)
    assert set(states(graph).values()) == {"embedded"}
    assert found(graph, "Sheep, too.", kind=["hn"])[0] == ("hn", "2")


def test_a_worker_that_is_gone_loses_its_texts(graph: Graph, clock: ManualClock) -> None:
    fill_queue(graph, ALL)
    graph.claims("vector", "gone").claim(3)
    clock.forward(10_000)
    assert graph.reap("vector").reclaimed == 3
    clock.forward(10_000)
    assert work(graph) == 4


def test_what_has_no_text_gets_no_vector(graph: Graph) -> None:
    graph.seed("vector", ["hn:99", "nothing"])
    work(graph)
    assert set(states(graph).values()) == {"plain"}
