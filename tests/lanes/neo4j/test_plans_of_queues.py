"""The queues of news and pages come out of their indexes in order, and a claim costs what its batch is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from graphvine.clock import FIRST, NEVER, moment
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from tests.lanes.neo4j.test_plans import BATCH, NOW, SORTED, WHOLE_TABLE, hits, operators, profile
from tests.support import servers
from tests.support.stores import Place

ROWS = 2_000
AT = moment(NOW)


@pytest.fixture(scope="module")
def filled(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    with template.copy_to(tmp_path_factory.mktemp("queues") / "store").open() as graph:
        keys = [f"http://example.org/{number:05}" for number in range(ROWS)]
        for pipeline in ("scrape_item", "news_article"):
            graph.seed(pipeline, keys)
        entries = [{"id": key, "place": 0, "claim": 0} for key in keys]
        adopted = Step("news_article.adopt", {"keys": keys, "topic": "BTC"})
        graph.run(Unit.of([adopted, Step("news_processor.enqueue", {"rows": entries, "at": AT})]))
        graph.engine.execute(["MATCH (a:NewsArticle) SET a.embeddingModel = 'm'"])
        with servers.session(servers.address()) as asking:
            asking.run("CALL db.prepareForReplanning()").consume()
        yield graph


READY = {"now": NOW, "lease": 0, "limit": BATCH}


@pytest.mark.parametrize(
    ("block", "given"),
    [
        ("scrape_item.ready", READY),
        ("scrape_item.ready_from", {**READY, "skip": BATCH}),
        ("scrape_item.ready_in", {**READY, "batch_seq": 0}),
        ("scrape_item.results", {"batch_seq": 0, "state": "", "contains": "", "after": 0, "limit": BATCH}),
        ("news_article.ready", READY),
        ("news_article.ready_from", {**READY, "skip": BATCH}),
        ("news_article.stories", {"topic": "BTC", "model": "m", "limit": BATCH}),
        ("news_processor.front", {"topic": "BTC", "now": NOW, "limit": BATCH}),
    ],
)
def test_a_queue_comes_out_of_its_index_in_order(filled: Graph, block: str, given: dict[str, Any]) -> None:
    assert len(filled.read(block, **given)) == BATCH
    plan = profile(filled, block, given)
    assert not operators(plan).intersection(SORTED)
    assert not operators(plan).intersection(WHOLE_TABLE)
    assert hits(plan) < 40 * BATCH, "it stops at the limit"


@pytest.mark.parametrize(
    ("pipeline", "block", "given"),
    [
        ("scrape_item", "scrape_item.ready_from", {**READY, "skip": BATCH}),
        ("scrape_item", "scrape_item.ready_in", {**READY, "batch_seq": 0}),
        ("news_article", "news_article.ready_from", {**READY, "skip": BATCH}),
        ("news_article", "news_processor.front", {"topic": "BTC", "now": NOW, "limit": BATCH}),
    ],
)
def test_what_was_prioritised_comes_before_it(filled: Graph, pipeline: str, block: str, given: dict[str, Any]) -> None:
    key = filled.read(block, **{**given, "limit": ROWS})[-1]["key"]
    assert filled.prioritise(pipeline, [key]) == 1
    first, *others = filled.read(block, **given)
    assert (first["key"], first["due"]) == (key, FIRST) and len(others) == BATCH
    plan = profile(filled, block, given)
    assert not operators(plan).intersection(WHOLE_TABLE) and hits(plan) < 40 * BATCH
    everything = [row["key"] for row in filled.read(block, **{**given, "limit": ROWS})]
    assert everything.count(key) == 1
    filled.engine.execute(["MATCH (p:Prioritised) DELETE p"])
    assert sorted(row["key"] for row in filled.read(block, **{**given, "limit": ROWS})) == sorted(everything), (
        "without its mark, as after a load, it has the place that it had"
    )
    filled.engine.execute([f"MATCH (a) WHERE a.due = {FIRST} SET a.due = 0"])


def by_number(filled: Graph, entity: str) -> dict[str, Any]:
    seqs = [row["seq"] for row in filled.read(f"{entity}.ready", **READY)]
    taken = {"worker": "w", "token": 9, "now": NOW, "at": AT, "never": NEVER, "batch": "none", "manager": 5}
    rows = [{"seq": seq, "slot": slot, "token": 9} for slot, seq in enumerate(seqs, 1)]
    return {"seqs": seqs, "lo": min(seqs), "hi": max(seqs), "rows": rows, "tokens": [9], **taken}


@pytest.mark.parametrize(
    "block",
    [
        "scrape_item.claim", "scrape_item.start_scrapes", "scrape_item.save_pages", "scrape_item.heartbeat",
        "news_article.claim", "news_article.save_content", "news_article.complete",
    ],
)  # fmt: skip
def test_a_batch_costs_what_it_is(filled: Graph, block: str) -> None:
    given = by_number(filled, block.partition(".")[0])
    known = filled.library.block(block).parameters
    plan = profile(filled, block, {name: value for name, value in given.items() if name in known})
    assert not operators(plan).intersection(WHOLE_TABLE)
    assert hits(plan) < 60 * BATCH
