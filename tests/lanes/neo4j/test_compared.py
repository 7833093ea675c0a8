"""Leases, checkpoints and the like: single rows that are compared before they are set, while somebody else sets them.

What moves rows of a machine is raced for in test_races.py; these are the blocks beside the machines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from graphvine.clock import NEVER, ManualClock, moment
from graphvine.engines.neo4j.engine import Neo4jEngine
from graphvine.graph import Graph
from graphvine.queries.compile import Statement
from graphvine.queries.compile_neo4j import returned
from graphvine.records import Step, Unit, UnitResult
from tests.lanes.neo4j.test_races import in_a_thread, is_waiting, somebody_else
from tests.support.parameters import NOW
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT, eventually

AT = moment(NOW)
ARTICLE, BATCH, PAGE = "NewsArticle {id: 'a'}", "ScrapeBatch {name: 'b'}", "ScrapeItem {id: 'p'}"
STARTS = {"batch": "b", "manager": 5, "worker": "w", "token": 9, "now": NOW, "at": AT, "never": NEVER}


@dataclass(frozen=True)
class Race:
    """Somebody sets this on that row while the block waits for it; then the block must find nothing."""

    block: str
    given: dict[str, Any]
    row: str
    meanwhile: str
    # What else is there before.
    before: list[str] = field(default_factory=list)


LED = {"batch": "b", "lease": 5}
HOOK = {**LED, "hook_key": "k", "at": AT}
RACES = [
    Race("scrape_item.manage", {"batch": "b", "lease": 7, "dead": -1, "worker": "w", "now": NOW, "until": NOW + 1},
         BATCH, "n.lease = 6, n.until = $never"),
    Race("scrape_item.keep", {**LED, "until": NOW}, BATCH, "n.lease = 6"),
    Race("scrape_item.unmanage", LED, BATCH, "n.lease = 6"),
    Race("scrape_item.reopen_batch", {**LED, "never": NEVER}, BATCH, "n.lease = 6"),
    Race("scrape_item.finish_batch", {**HOOK, "batch_seq": 99, "never": NEVER, "hook": "pending"}, BATCH,
         "n.lease = 6", ["MATCH (n:ScrapeBatch) SET n.status = 'open'"]),
    Race("scrape_item.hook_done", HOOK, BATCH, "n.hook = 'done'"),
    Race("scrape_item.hook_failed", {**HOOK, "error": "", "hook": "failed"}, BATCH, "n.lease = 6"),
    Race("scrape_item.start_scrapes", {"rows": [{"seq": 3, "slot": 1}], "lo": 3, "hi": 3, **STARTS}, BATCH, "n.lease = 6"),
    Race("scrape_item.start_summaries", {"seqs": [3], "lo": 3, "hi": 3, **STARTS}, BATCH, "n.lease = 6",
         ["MATCH (n:ScrapeItem) SET n.state = 'scraped', n.lease = -1"]),
    Race("news_processor.move_checkpoint", {"checkpoint": "c", "was": "", "article": "a", "merged": 1, "at": AT},
         "NewsCheckpoint {name: 'c'}", "n.article = 'other'"),
    Race("news_processor.enqueue", {"rows": [{"id": "a", "place": 1, "claim": 0}], "at": AT}, ARTICLE,
         "n.state = 'processed', n.due = $never"),
    Race("news_processor.drop_strays", {"topic": "BTC"}, ARTICLE, "n.state = 'pending'",
         ["MATCH (n:NewsArticle) SET n.state = 'failed'",
          "CREATE (:NewsQueued {id: 'a', topic: 'BTC', priority: 1, place: 1})"]),
    Race("news_article.hasten", {"keys": ["a"], "now": NOW}, ARTICLE, "n.state = 'processing', n.lease = 4, n.due = $never"),
]  # fmt: skip


@pytest.fixture(scope="module")
def graph(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    with template.copy_to(tmp_path_factory.mktemp("compared") / "store").open(ManualClock(NOW)) as opened:
        yield opened


def stand(graph: Graph, before: list[str]) -> None:
    """One row of each kind, as the blocks expect them."""
    graph.engine.execute([
        "MATCH (n:ScrapeBatch|ScrapeItem|NewsCheckpoint|NewsArticle|NewsQueued) DETACH DELETE n",
        "CREATE (:ScrapeBatch {name: 'b', seq: 2, status: 'finished', round: 1, lease: 5, until: 0, hook: 'pending',"
        " hook_key: 'k', hook_tries: 0})",
        "CREATE (:ScrapeItem {id: 'p', url: 'p', seq: 3, batch: 'b', batch_seq: 2, state: 'idle', slot: 0, lease: 0,"
        " due: 0, retry_count: 0, lost_claims: 0, failure_count: 0})",
        "CREATE (:NewsCheckpoint {name: 'c', topic: 'BTC', article: '', passed: 0, seq: 4})",
        "CREATE (:NewsArticle {id: 'a', link: 'a', topic: 'BTC', state: 'pending', seq: 1, priority: 1, lease: 0, due: 1})",
        *before,
    ])  # fmt: skip


def rows(graph: Graph) -> list[Any]:
    """Everything in the graph that these blocks may change, the engine's own property aside."""
    found = graph.query(
        "MATCH (n:ScrapeBatch|ScrapeItem|NewsCheckpoint|NewsArticle|NewsQueued)"
        " RETURN labels(n)[0] AS label, properties(n) AS columns ORDER BY label"
    ).rows
    return [(label, {name: value for name, value in columns.items() if name != "lock"}) for label, columns in found]


def raced(graph: Graph, race: Race) -> tuple[UnitResult, list[Any]]:
    """What the block answers once the other has committed, and the rows as that one left them."""
    stand(graph, race.before)
    with somebody_else(f"MATCH (n:{race.row}) SET {race.meanwhile}", never=NEVER) as first:
        second = in_a_thread(lambda: graph.engine.write(Unit.of([Step(race.block, race.given)])))
        eventually(is_waiting)
        first.commit()
        result = second.result(WAIT_LIMIT)
    after = rows(graph)
    stand(graph, [*race.before, f"MATCH (n:{race.row}) SET {race.meanwhile}".replace("$never", str(NEVER))])
    return result, [after, rows(graph)]


@pytest.mark.parametrize("race", RACES, ids=lambda race: race.block)
def test_who_comes_second_sees_what_the_first_has_set(graph: Graph, race: Race) -> None:
    stand(graph, race.before)
    alone = graph.engine.write(Unit.of([Step(race.block, race.given)]))
    assert len(alone.rows[0]) == 1, "with nobody else it finds its row"
    result, (after, as_the_first_left_it) = raced(graph, race)
    assert result.rows == ([],) and after == as_the_first_left_it


def test_without_the_lock_two_managers_have_one_batch(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail."""
    engine = graph.engine
    assert isinstance(engine, Neo4jEngine)
    race = RACES[0]
    block = engine.library.block(race.block)
    names = returned(block.text)
    bare = Statement(
        block.full_name, f"CALL () {{ {block.text} }} RETURN collect([{', '.join(names)}]) AS rows", tuple(names)
    )
    monkeypatch.setitem(engine._statements, block.full_name, bare)
    result, _ = raced(graph, race)
    assert len(result.rows[0]) == 1, "both believed that they had won"
