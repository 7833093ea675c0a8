"""How the server carries out our statements: by an index, without sorting, at a cost that does not grow with the table.

The limits are for correctness of the plan, not for speed: counts of what the server touched, the same on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from graphvine.clock import NEVER, ManualClock, moment
from graphvine.engines.neo4j.engine import Neo4jEngine
from graphvine.engines.neo4j.steps import ported
from graphvine.graph import Graph
from graphvine.queries import library
from graphvine.queries.compile import compile_block
from graphvine.workers.hn.ingest.ingest import take_in
from tests.support import servers
from tests.support.stores import Place

ROWS, BATCH = 4_000, 10
NOW = ManualClock().now_ms()
# Words of a plan that mean: everything was looked at, or put in order, first.
WHOLE_TABLE = ("AllNodesScan", "NodeByLabelScan", "NodeIndexScan", "DirectedAllRelationshipsScan")
SORTED = ("Top", "Sort", "PartialTop", "PartialSort")

Plan = list[tuple[str, str, int]]


@pytest.fixture(scope="module")
def filled(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    with template.copy_to(tmp_path_factory.mktemp("plans") / "store").open() as graph:
        graph.seed("article", (f"{number:05}" for number in range(ROWS)))
        claims = graph.claims("article", "w")
        claims.complete(claims.claim(ROWS // 2))
        take_in(graph, (_item(id) for id in range(1, ROWS // 2)), "BULK_UPLOAD")
        graph.seed("hn_item", map(str, range(ROWS // 2, ROWS)))
        # With nothing in its index a scan of it costs as little as a look: the planner would take either.
        graph.engine.execute([f"MATCH (a:HNItem) WHERE a.hnId % 10 = 0 SET a.retryDue = {NOW} + a.hnId"])
        # What a new statement is planned by: the server counts when it likes, and these tests can't wait for that.
        with servers.session(servers.address()) as asking:
            asking.run("CALL db.prepareForReplanning()").consume()
        yield graph


def _item(id: int) -> dict[str, Any]:
    """A story and nineteen comments, and so on."""
    first = id - id % 20 or 1
    return {"id": id, "type": "story", "title": "t"} if id == first else {"id": id, "type": "comment", "parent": first}


def profile(graph: Graph, block: str, parameters: dict[str, Any]) -> Plan:
    """Operators, details and hits of a block with these parameters; what it wrote is rolled back."""
    engine = graph.engine
    assert isinstance(engine, Neo4jEngine)
    text = compile_block(engine.library.block(block), engine.library).text
    with servers.session(servers.address()) as asking, asking.begin_transaction() as transaction:
        summary = transaction.run(f"PROFILE {text}", parameters).consume()
        transaction.rollback()
    assert summary.profile is not None
    return list(_flat(summary.profile))


def _flat(plan: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    name = plan["operatorType"].removesuffix("@neo4j")
    yield name, str(plan["args"].get("Details", "")), int(plan["args"].get("DbHits", 0))
    for child in plan.get("children", ()):
        yield from _flat(child)


def hits(plan: Plan) -> int:
    return sum(count for _, _, count in plan)


def operators(plan: Plan) -> set[str]:
    return {name for name, _, _ in plan}


@pytest.mark.parametrize(
    "block",
    [
        block.full_name
        for entity in ported().entities.values()
        for block in entity.blocks.values()
        if block.full_name != "graph.hold"  # a part of others, which are here
    ],
)
def test_every_block_is_understood(filled: Graph, block: str) -> None:
    text = compile_block(filled.library.block(block), filled.library).text
    with servers.session(servers.address()) as asking:
        plan = asking.run(f"EXPLAIN {text}").consume().plan
    assert plan is not None
    names = {name for name, _, _ in _flat(plan)}
    assert "AllNodesScan" not in names


@pytest.mark.parametrize("block", ["article.ready", "article.ready_from"])
def test_the_queue_comes_out_of_the_index_in_order(filled: Graph, block: str) -> None:
    given: dict[str, Any] = {"now": NOW, "lease": 0, "limit": BATCH}
    if block == "article.ready_from":
        given["skip"] = 3 * BATCH
    plan = profile(filled, block, given)
    assert not operators(plan).intersection(SORTED)
    assert not operators(plan).intersection(WHOLE_TABLE)
    assert any(name == "NodeIndexSeek" and "expansion_depth" in details for name, details, _ in plan)
    assert hits(plan) < 20 * 4 * BATCH, "it stops at the limit"


def test_the_queue_of_items_comes_out_of_the_index_in_order(filled: Graph) -> None:
    plan = profile(filled, "hn_item.ready_from", {"now": NOW, "lease": 0, "skip": 3 * BATCH, "limit": BATCH})
    assert not operators(plan).intersection(SORTED)
    assert not operators(plan).intersection(WHOLE_TABLE)
    assert hits(plan) < 20 * 4 * BATCH, "it stops at the limit"


@pytest.mark.parametrize(
    ("block", "given"),
    [
        ("hn_item.known", {"rows": [{"hnId": id} for id in range(1, BATCH + 1)], "first_id": 1}),
        ("hn_item.waiting_for", {"ids": list(range(1, BATCH + 1))}),
        ("hn_item.stale", {"cutoff": moment(NOW), "limit": 100}),
        ("hn_item.next_due", {"now": NOW + 1_000, "lease": -1, "never": NEVER}),
        ("hn_item.oldest_heartbeat", {}),
        ("hn_item.retries_due", {"now": NOW, "limit": 100}),
        ("hn_item.unlinked", {"limit": 100}),
        ("hn_item.left_behind", {"limit": 100}),
        ("hn_item.wanting", {}),
    ],
)
def test_items_are_found_by_what_is_asked_of_them(filled: Graph, block: str, given: dict[str, Any]) -> None:
    plan = profile(filled, block, given)
    assert not operators(plan).intersection(WHOLE_TABLE)
    assert hits(plan) < 60 * BATCH


@pytest.mark.parametrize("way", [{"way": "ids", "ids": [3]}, {"way": "author", "author": "a"}, {"way": "stories"}])
def test_a_search_takes_the_way_in_that_it_is_told(filled: Graph, way: dict[str, Any]) -> None:
    given: dict[str, Any] = {
        "text_words": "", "plain_words": "", "author": "", "type": "", "place": "", "stories": [1], "parents": [],
        "ids": [], "score_from": 0, "score_to": 9, "time_from": 0, "time_to": 9, "order": "time", "skip": 0, "limit": 5,
    }  # fmt: skip
    plan = profile(filled, "hn_item.search", {"asked": given | way, "most": 100})
    assert not operators(plan).intersection(WHOLE_TABLE)
    assert hits(plan) < 60 * BATCH


def test_a_sort_would_be_seen(filled: Graph) -> None:
    """The check above can fail: the text of the embedded engines is sorted in memory."""
    with servers.session(servers.address()) as asking:
        text = library().block("article.ready").text
        summary = asking.run(f"PROFILE {text}", now=NOW, lease=0, limit=BATCH).consume()
    assert summary.profile is not None
    plan = list(_flat(summary.profile))
    assert operators(plan).intersection(SORTED) and hits(plan) > ROWS


def some_claimed(graph: Graph) -> tuple[list[int], int]:
    claims = graph.claims("article", "w").claim(BATCH)
    return [claim.seq for claim in claims], claims[0].token


AT = moment(NOW)
BY_NUMBER: dict[str, dict[str, Any]] = {
    "article.claim": {"worker": "w", "token": 7, "now": NOW, "at": AT, "never": NEVER},
    "article.finish": {"at": AT},
    "article.heartbeat": {"at": AT},
    "article.release": {"due": NOW},
    "article.reclaim": {"cutoff": AT, "due": NOW, "counted": 1},
    "article.known": {},
}


@pytest.mark.parametrize("block", BY_NUMBER)
def test_a_batch_costs_what_it_is_and_not_what_the_table_is(filled: Graph, block: str) -> None:
    seqs, token = some_claimed(filled)
    given = {"seqs": seqs, "lo": min(seqs), "hi": max(seqs), **BY_NUMBER[block]}
    if block == "article.heartbeat":
        given["tokens"] = [token]
    elif "token" in filled.library.block(block).parameters:
        given.setdefault("token", token)
    plan = profile(filled, block, given)
    assert not operators(plan).intersection(WHOLE_TABLE)
    assert any(name.startswith("NodeUniqueIndexSeek") and "seq" in details for name, details, _ in plan)
    assert hits(plan) < 30 * BATCH


def test_results_find_their_article_by_its_number(filled: Graph) -> None:
    seqs, _ = some_claimed(filled)
    rows = [{"claim": seq, "kind": "", "revision": 1, "revised_at": None, "words": 1} for seq in seqs]
    plan = profile(filled, "article.describe", {"rows": rows, "lo": min(seqs), "hi": max(seqs)})
    assert not operators(plan).intersection(WHOLE_TABLE)
    assert hits(plan) < 30 * BATCH


def test_links_find_both_ends_by_their_titles(filled: Graph) -> None:
    rows = [{"source": f"{number:05}", "target": f"{number + 1:05}"} for number in range(BATCH)]
    plan = profile(filled, "article.link", {"rows": rows})
    assert not operators(plan).intersection(WHOLE_TABLE)
    assert hits(plan) < 60 * BATCH


@pytest.mark.parametrize(
    ("block", "given"),
    [
        ("article.stale", {"cutoff": AT, "limit": 100}),
        ("article.failed", {"contains": "", "limit": 100}),
        ("article.next_due", {"now": NOW + 1_000, "lease": -1, "never": NEVER}),
        ("article.oldest_heartbeat", {}),
    ],
)
def test_the_rows_of_a_state_are_found_by_it(filled: Graph, block: str, given: dict[str, Any]) -> None:
    plan = profile(filled, block, given)
    assert not operators(plan).intersection(WHOLE_TABLE)
    assert hits(plan) < ROWS
