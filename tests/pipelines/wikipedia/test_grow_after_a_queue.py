"""What a queue loop of one's own leaves behind, and that the next growth need not wait for any of it."""

from __future__ import annotations

import threading
from pathlib import Path

from graphvine import GrowSummary, WorkQueueManager
from graphvine.clock import ManualClock
from graphvine.graph import Graph
from graphvine.workers.wikipedia.settings import WikipediaSettings
from tests.conformance.test_document import run_example
from tests.support.grown import column
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT
from tests.tools.package_tree import REPOSITORY

PLAIN = WikipediaSettings(source="sample", embedder="none")
GONE = "{host}:999999999:ab"


def grown(graph: Graph, *titles: str) -> GrowSummary:
    """Grow on a clock that stands still: whoever waits for a row to come due is stopped in the end."""
    stop = threading.Event()
    late = threading.Timer(WAIT_LIMIT, stop.set)
    late.start()
    try:
        summary = graph.grow(titles, settings=PLAIN, depth=0, stop=stop)
    finally:
        late.cancel()
    assert not summary.stopped, "it waited"
    return summary


def test_the_loop_of_the_readme_leaves_nothing_to_wait_for(place: Place, tmp_path: Path) -> None:
    text = (REPOSITORY / "README.md").read_text("utf-8")
    loop = next(part.partition("```")[0] for part in text.split("```python\n") if "WorkQueueManager(graph)" in part)
    loop = loop.replace('graphvine.open("queue.kuzu")', "opened()")
    with place.open(ManualClock()) as graph:

        class Opened:
            def __enter__(self) -> Graph:
                return graph

            def __exit__(self, *error: object) -> None:
                """It stays open for what comes next."""

        exec(compile(loop, "README.md", "exec"), {"opened": Opened})
        assert column(graph, "expansion_state") == {"Vine": "processed", "Ivy": "processed"}
        status = next(one for one in graph.status() if one.pipeline == "article")
        assert (status.ready, status.backing_off, status.claimed, status.progress_percent) == (0, 0, 0, 100.0)
        summary = grown(graph, "Garden")
        assert summary.counts.done == 1, "what was done stays done"


def test_the_document_s_loop_makes_nobody_wait_either(place: Place) -> None:
    """It ends with loaded articles. Those that are asked for are taken up; others stay with whoever loaded them."""
    with place.open(ManualClock()) as graph:
        graph.seed("article", ["Vine", "Ivy"])
        run_example(graph, lambda title: None)
        assert grown(graph, "Garden").counts.done == 1
        assert column(graph, "expansion_state") == {"Vine": "loaded", "Ivy": "loaded", "Garden": "processed"} | {
            title: "discovered" for title, depth in column(graph, "expansion_depth").items() if depth == 1
        }
        assert grown(graph, "Vine").counts.done == 1
        assert column(graph, "expansion_state")["Vine"] == "processed"
        assert column(graph, "expansion_state")["Ivy"] == "loaded"
        assert WorkQueueManager(graph).discover_links("Ivy", ["Wall"], 0) >= 0
        assert column(graph, "expansion_state")["Ivy"] == "processed"


def test_what_a_process_that_is_gone_had_loaded_is_taken_up_at_once(place: Place) -> None:
    import socket

    with place.open(ManualClock()) as graph:
        queue = WorkQueueManager(graph, GONE.format(host=socket.gethostname()))
        queue.initialize_seeds(["Vine"])
        queue.claim_work(1)
        queue.advance_state("Vine", "loaded")
        assert grown(graph).counts.done == 1
        assert column(graph, "expansion_state")["Vine"] == "processed"
