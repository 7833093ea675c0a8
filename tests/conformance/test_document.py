"""The face that the articles' document describes: its example loop, its state queries, its queue manager."""

from __future__ import annotations

import logging
import textwrap
from typing import Any

import pytest

from graphvine import WorkQueueManager
from graphvine.clock import ManualClock, moment
from graphvine.errors import ClaimLost, GraphvineError
from graphvine.graph import Graph
from tests.support.articles import links, row, rows, states

# The loop of the document, word for word below its import line.
EXAMPLE = textwrap.dedent("""
    # Initialize
    queue = WorkQueueManager(conn)

    # Main processing loop
    while True:
        # Claim work
        batch = queue.claim_work(batch_size=10, timeout_seconds=300)

        if not batch:
            print("No more work")
            break

        # Process each article
        for article in batch:
            try:
                # Heartbeat during long operation
                queue.update_heartbeat(article['title'])

                # Process article (fetch, parse, embed, load)
                process_article(article['title'])

                # Mark as loaded
                queue.advance_state(article['title'], 'loaded')

            except Exception as e:
                # Mark as failed (with retry)
                queue.mark_failed(article['title'], str(e))

        # Reclaim stale claims periodically
        reclaimed = queue.reclaim_stale(timeout_seconds=300)
        if reclaimed > 0:
            print(f"Reclaimed {reclaimed} stale claims")
""")

QUERIES = {
    "state distribution": """
        MATCH (a:Article)
        RETURN a.expansion_state AS state,
               COUNT(a) AS count,
               AVG(a.expansion_depth) AS avg_depth
        ORDER BY count DESC
    """,
    "work queue size": """
        MATCH (a:Article)
        WHERE a.expansion_state = 'discovered'
        RETURN COUNT(a) AS queue_size
    """,
    "processing progress": """
        MATCH (a:Article)
        WITH COUNT(a) AS total

        MATCH (loaded:Article)
        WHERE loaded.expansion_state IN ['loaded', 'processed']
        WITH total, COUNT(loaded) AS loaded_count

        RETURN loaded_count, total, (100.0 * loaded_count / total) AS percent_complete
    """,
    "stale claims": """
        MATCH (a:Article)
        WHERE a.expansion_state = 'claimed'
          AND a.claimed_at < $cutoff
        RETURN a.title, a.claimed_at, a.expansion_depth
    """,
}


def run_example(graph: Graph, process: Any) -> None:
    exec(compile(EXAMPLE, "the document's example", "exec"), {
        "WorkQueueManager": WorkQueueManager, "conn": graph, "process_article": process,
    })  # fmt: skip


def test_the_example_runs_to_its_end(graph: Graph, clock: ManualClock, capsys: pytest.CaptureFixture[str]) -> None:
    graph.seed("article", map(str, range(25)))
    started = clock.now_ms()
    done: list[str] = []
    run_example(graph, done.append)
    assert sorted(done, key=int) == [str(number) for number in range(25)]
    assert set(states(graph).values()) == {"loaded"}
    assert capsys.readouterr().out == "No more work\n"
    assert clock.now_ms() == started, "nothing failed, so there was nothing to wait for"


def test_the_example_tries_three_times_and_waits_in_between(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["good", "bad", "shaky"])
    started = clock.now_ms()
    attempts: list[str] = []

    def process(title: str) -> None:
        attempts.append(title)
        if title == "bad" or (title == "shaky" and attempts.count(title) < 3):
            raise ValueError(f"{title} did not load")

    run_example(graph, process)
    assert {title: attempts.count(title) for title in set(attempts)} == {"good": 1, "bad": 3, "shaky": 3}
    assert states(graph) == {"good": "loaded", "bad": "failed", "shaky": "loaded"}
    assert row(graph, "bad")["last_error"] == "bad did not load"
    assert 7_500 <= clock.now_ms() - started <= 20_000, "two pauses, of 5 and 10 seconds less their jitter"


def test_the_example_goes_on_when_a_claim_is_lost(
    graph: Graph, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    graph.seed("article", ["a", "b"])
    tries: list[str] = []

    def process(title: str) -> None:
        tries.append(title)
        if title == "a" and tries.count("a") == 1:
            clock.forward(301)  # it took so long that another worker's reaper came by
            graph.reap("article")

    with caplog.at_level(logging.WARNING, "graphvine.queue"):
        run_example(graph, process)
    assert states(graph) == {"a": "loaded", "b": "loaded"}
    assert row(graph, "a")["retry_count"] == 0, "a lost claim is not the article's fault"
    assert "no longer ours" in caplog.text


@pytest.mark.parametrize("name", QUERIES)
def test_the_state_queries_run_as_written(graph: Graph, clock: ManualClock, name: str) -> None:
    graph.seed("article", ["a", "b", "c", "d"])
    queue = WorkQueueManager(graph, "w")
    queue.claim_work(2)
    queue.advance_state("a", "loaded")
    beat = moment(clock.now_ms())
    expected: dict[str, list[list[Any]]] = {
        "state distribution": [["discovered", 2, 0.0], ["claimed", 1, 0.0], ["loaded", 1, 0.0]],
        "work queue size": [[2]],
        "processing progress": [[1, 4, 25.0]],
        "stale claims": [["b", beat, 0]],
    }
    given = {"cutoff": moment(clock.now_ms() + 1)} if name == "stale claims" else {}
    found = graph.query(QUERIES[name], given).rows
    assert sorted(found, key=repr) == sorted(expected[name], key=repr)


def test_progress_is_zero_when_nothing_is_loaded_yet(graph: Graph) -> None:
    assert graph.read("article.progress") == [{"loaded_count": 0, "total": 0, "percent_complete": 0.0}]
    graph.seed("article", ["a"])
    assert graph.read("article.progress") == [{"loaded_count": 0, "total": 1, "percent_complete": 0.0}]


def test_the_document_queries_have_names(graph: Graph, clock: ManualClock) -> None:
    graph.seed("article", ["a", "b"])
    WorkQueueManager(graph, "w").claim_work(1)
    assert graph.read("article.queue_size") == [{"queue_size": 1}]
    assert {one["state"]: one["count"] for one in graph.read("article.state_distribution")} == {
        "claimed": 1, "discovered": 1,
    }  # fmt: skip
    stale = graph.read("article.stale_claims", cutoff=moment(clock.now_ms() + 1))
    assert [one["title"] for one in stale] == ["a"]


def test_links_of_a_loaded_article_are_discovered(graph: Graph) -> None:
    queue = WorkQueueManager(graph, "w")
    assert queue.initialize_seeds(["Vine", "Wine"]) == 2
    assert queue.claim_work(1) == [{"title": "Vine", "expansion_depth": 0, "retry_count": 0}]
    queue.advance_state("Vine", "loaded")
    assert queue.discover_links("Vine", ["Wine", "Grape", "Grape", "Vine"], 0) == 1
    assert states(graph) == {"Vine": "processed", "Wine": "discovered", "Grape": "discovered"}
    assert (row(graph, "Grape")["expansion_depth"], row(graph, "Wine")["expansion_depth"]) == (1, 0)
    assert links(graph) == [("Vine", "Grape"), ("Vine", "Wine")]


def test_links_are_refused_before_the_article_is_loaded(graph: Graph) -> None:
    queue = WorkQueueManager(graph, "w")
    queue.initialize_seeds(["Vine"])
    before = rows(graph)
    with pytest.raises(GraphvineError, match="once it is loaded"):
        queue.discover_links("Vine", ["Grape"], 0)
    with pytest.raises(GraphvineError, match="no article 'Nothing'"):
        queue.discover_links("Nothing", ["Grape"], 0)
    assert rows(graph) == before


def test_an_article_can_be_processed_at_once_or_after_loading(graph: Graph) -> None:
    queue = WorkQueueManager(graph, "w")
    queue.initialize_seeds(["a", "b"])
    queue.claim_work(2)
    queue.advance_state("a", "processed")
    queue.advance_state("b", "loaded")
    queue.advance_state("b", "processed")
    assert states(graph) == {"a": "processed", "b": "processed"}
    with pytest.raises(GraphvineError, match="did you mean 'loaded'"):
        queue.advance_state("a", "loadet")


def test_a_title_that_was_never_claimed(graph: Graph, caplog: pytest.LogCaptureFixture) -> None:
    queue = WorkQueueManager(graph, "w")
    queue.initialize_seeds(["a"])
    before = rows(graph)
    with pytest.raises(ClaimLost):
        queue.update_heartbeat("a")
    with pytest.raises(ClaimLost):
        queue.advance_state("a", "loaded")
    queue.mark_failed("a", "never mine")
    assert "no longer ours" in caplog.text
    assert rows(graph) == before


def test_a_loaded_article_left_behind_is_taken_up_after_the_timeout(graph: Graph, clock: ManualClock) -> None:
    queue = WorkQueueManager(graph, "dies after loading")
    queue.initialize_seeds(["a"])
    queue.claim_work(1)
    queue.advance_state("a", "loaded")
    claims = graph.claims("article", "w")
    assert claims.claim(1) == []
    clock.forward(301)
    (claim,) = claims.claim(1)
    assert claim.state == "loaded"
    claims.complete(claim)
    assert states(graph) == {"a": "processed"}


def test_work_is_not_waited_for_while_the_pipeline_rests(graph: Graph, clock: ManualClock) -> None:
    queue = WorkQueueManager(graph, "w")
    queue.initialize_seeds(["a"])
    queue.claim_work(1)
    queue.mark_failed("a", "busy")
    graph.pause("article")
    started = clock.now_ms()
    assert queue.claim_work(1) == []
    assert clock.now_ms() == started
