"""The processor: merge, front of the queue, three phases each saved when done, and where failures lead."""

from __future__ import annotations

import logging
import threading

import pytest

from graphvine.clock import NEVER, ManualClock
from graphvine.graph import Graph
from graphvine.workers.news.article import article_id
from graphvine.workers.news.processor import Processor
from tests.pipelines.news.servers import TEXT, Site
from tests.pipelines.news.support import (
    additions,
    articles,
    checkpoint,
    in_order,
    local,
    passed,
    process,
    process_all,
    queue,
    states,
    update,
)
from tests.support.waiting import WAIT_LIMIT, eventually
from tests.support.web_server import Request


def test_twenty_articles_added_at_once_all_get_processed(graph: Graph, site: Site) -> None:
    site.add(*range(20))
    update(graph, site)
    lengths = []
    for _ in range(4):
        run = process(graph)
        assert (run.loaded, run.processed, run.removed, run.rebuilt) == (5, 5, 5, 0)
        lengths.append(run.remaining)
        in_order(graph)
    assert lengths == [15, 10, 5, 0] and states(graph) == {"processed": 20}
    assert checkpoint(graph) == additions(graph)[-1] and passed(graph) == dict.fromkeys(
        ("additions", "content", "summary", "sentiment"), 20
    )
    assert update(graph, site).trimmed == 20 and additions(graph) == []
    assert process(graph).loaded == 0
    row = articles(graph)["/page/3"]
    assert row["content"].startswith(TEXT) and 0 < len(row["summary"]) < len(row["content"])
    assert (row["sentiment"], row["sentimentBy"], row["needsSummary"], row["needsSentiment"]) == (
        "positive",
        "words (VADER)",
        False,
        False,
    )
    assert row["summarizer"] == "extractive (word statistics)" and row["due"] == NEVER and row["lease"] == 0


def test_twenty_new_beside_four_hundred_and_eighty_are_done_within_seven_runs(graph: Graph, site: Site) -> None:
    old = [{"key": f"http://a.example/{number}", "seq": 0} for number in range(480)]
    graph.seed("news_article", [row["key"] for row in old])
    graph.execute(
        "MATCH (a:NewsArticle) SET a.state = 'processed', a.topic = 'BTC', a.needsSummary = false, a.needsSentiment = false"
    )
    site.add(*range(20))
    update(graph, site)
    new = {row["id"] for row in articles(graph).values() if row["id"].startswith("news-")}
    runs = []
    while (len(runs) < 7 and queue(graph) != []) or not runs:
        runs.append(process(graph))
    assert len(new) == 20 and len(runs) <= 7 and runs[-1].remaining == 0, f"{len(runs)} runs"
    assert {row["state"] for row in articles(graph).values()} == {"processed"}
    assert sum(run.loaded for run in runs) == 20, "none of the old ones was touched"


def test_the_log_lines_are_the_document_s(graph: Graph, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    site.add(*range(12))
    update(graph, site)
    with caplog.at_level(logging.INFO, "graphvine.news"):
        run = process(graph)
    assert [record.getMessage() for record in caplog.records] == [
        f"Processor: Merged 12 new articles from additions (checkpoint updated to article ID: {run.checkpoint})",
        "Processor: Loaded: 5 articles",
        "Processor: Processed: 5 articles",
        "Processor: Removed from queue: 5 articles",
        "Processor: Moved to end for retry: 0 articles",
        "Processor: Queue length: 7 articles remaining",
    ]
    kept = graph.read("news_processor.runs", topic="BTC", limit=5)
    assert [
        (row["loaded"], row["processed"], row["removed"], row["moved_to_end"], row["remaining"]) for row in kept
    ] == [(5, 5, 5, 0, 7)]


def failing(site: Site, path: str, *statuses: int, **headers: str) -> list[int]:
    """A page that fails with these statuses, one a request, then for good with the last."""
    left = list(statuses)

    async def page(request: Request) -> None:
        await request.answer(b"no", status=left.pop(0) if len(left) > 1 else left[0], **headers)

    site.pages[path] = page
    return left


def test_a_page_that_never_loads_goes_front_front_end_failed(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(*range(3))
    failing(site, "/page/0", 503)
    update(graph, site)
    places, due = [], []
    for attempt in range(1, 7):
        run = process(graph, max_articles_per_run=1)
        row = articles(graph)["/page/0"]
        in_order(graph)
        assert row["contentTimeout"] == attempt and "503" in row["last_error"], "every try of it is counted"
        places.append(queue(graph).index(row["id"]) if row["id"] in queue(graph) else None)
        due.append(row["due"] - clock.now_ms())
        if attempt == 5:
            assert run.moved_to_end == 1 and run.removed == 0
        if attempt < 6:
            clock.forward(row["due"] / 1000 - clock.now_ms() / 1000 + 0.01)
            while attempt == 5 and queue(graph)[0] != row["id"]:
                process(graph, max_articles_per_run=1)
    assert places == [0, 0, 0, 0, 2, None], "four times it kept its place, then it went behind the others, once"
    row = articles(graph)["/page/0"]
    assert row["state"] == "failed" and run.failed == 1 and run.removed == 1
    # Exponential, with jitter: each pause lies between half and the whole of 5, 10, 20, 40, 80 seconds.
    assert all(2_500 * 2**n <= pause <= 5_000 * 2**n for n, pause in enumerate(due[:5]))
    (failed,) = graph.failed("news_article")
    assert len(failed.failures) == 6 and failed.failures[0].kind == "permanent"
    assert states(graph) == {"failed": 1, "processed": 2}


def test_others_pass_while_the_front_is_backing_off(graph: Graph, site: Site) -> None:
    site.add(*range(3))
    failing(site, "/page/0", 503)
    update(graph, site)
    process(graph, max_articles_per_run=1)
    assert process(graph, max_articles_per_run=2).removed == 2
    assert states(graph) == {"pending": 1, "processed": 2}


def test_retry_after_is_heard(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(1)
    failing(site, "/page/1", 429, 200, Retry_After="900")
    update(graph, site)
    process(graph)
    assert articles(graph)["/page/1"]["due"] == clock.now_ms() + 900_000
    clock.forward(899)
    assert process(graph).loaded == 0


def test_a_timeout_is_forgotten_once_the_page_is_there(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(1)

    async def second_time(request: Request) -> None:
        busy = site.traffic.asked.count("/page/1") < 2
        await request.answer(TEXT.encode(), status=503 if busy else 200)

    site.pages["/page/1"] = second_time
    update(graph, site)
    process_all(graph, clock)
    row = articles(graph)["/page/1"]
    assert (row["state"], row["contentTimeout"], row["last_error"]) == ("processed", 0, None)


def test_content_is_cut_at_max_content_chars(graph: Graph, site: Site) -> None:
    async def long(request: Request) -> None:
        await request.answer((TEXT + " ").encode() * 500)

    site.add(1)
    site.pages["/page/1"] = long
    update(graph, site)
    process(graph)
    assert 10_000 < len(articles(graph)["/page/1"]["content"]) <= 10_240


def test_html_is_read_and_a_title_that_is_missing_is_taken_from_the_page(graph: Graph, site: Site) -> None:
    async def html(request: Request) -> None:
        body = f"<html><head><title>Caf\xe9 prices</title></head><body><nav>Menu</nav><article><p>{TEXT}</p></article></body></html>"
        await request.answer(body.encode("latin-1"), media_type="text/html; charset=iso-8859-1")

    site.pages["/page/1"] = html
    graph.seed("news_article", [f"{site.url}/page/1"])
    run = process(graph)
    assert (run.rebuilt, run.removed) == (1, 1), "what was put in by hand is queued without a log"
    row = articles(graph)["/page/1"]
    assert (
        row["title"] == "Caf\xe9 prices" and row["content"].startswith("Bitcoin rose") and row["state"] == "processed"
    )


def test_a_stop_gives_back_what_is_in_hand_and_keeps_what_is_saved(graph: Graph, site: Site) -> None:
    arrived, go_on = threading.Event(), threading.Event()

    async def slow(request: Request) -> None:
        arrived.set()
        await request.wait_for(go_on)

    site.add(1, 2)
    site.pages["/page/2"] = slow
    update(graph, site)
    stop = threading.Event()
    processor = Processor(graph, local(), stop=stop)

    def stop_when_the_other_is_done() -> None:
        arrived.wait(WAIT_LIMIT)
        eventually(lambda: _one_is_left(graph))
        stop.set()

    threading.Thread(target=stop_when_the_other_is_done, daemon=True).start()
    run = processor.run_once()
    go_on.set()
    assert run.released == 1 and run.removed + run.released == 2
    row = articles(graph)["/page/2"]
    assert (row["state"], row["retry_count"], row["lost_claims"], row["contentTimeout"]) == ("pending", 0, 0, 0)
    assert queue(graph) == [row["id"]]


def _one_is_left(graph: Graph) -> None:
    assert len(queue(graph)) == 1


def test_nothing_is_taken_while_the_pipeline_is_paused(graph: Graph, site: Site) -> None:
    site.add(1)
    update(graph, site)
    graph.pause("news_article", "night")
    assert process(graph).loaded == 0 and queue(graph) == []
    graph.resume("news_article")
    assert process(graph).removed == 1


def test_a_claim_that_was_taken_away_writes_nothing(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(1)
    update(graph, site)

    async def meanwhile(request: Request) -> None:
        clock.forward(1_000)
        assert graph.reap("news_article").reclaimed == 1
        assert len(other.load()) == 1
        await request.answer(TEXT.encode())

    site.pages["/page/1"] = meanwhile
    other = Processor(graph, local(), worker="other")
    run = process(graph)
    row = articles(graph)["/page/1"]
    assert (run.lost, run.removed) == (1, 0) and (row["state"], row["content"]) == ("processing", None)


def test_a_suspect_is_worked_on_alone(graph: Graph, site: Site) -> None:
    site.add(*range(4))
    update(graph, site)
    process(graph, max_articles_per_run=1)
    ids = {path: row["id"] for path, row in articles(graph).items()}
    graph.execute("MATCH (a:NewsArticle {id: $id}) SET a.lost_claims = 3", {"id": ids["/page/1"]})
    assert process(graph).loaded == 1 and articles(graph)["/page/1"]["state"] == "processed"
    graph.execute("MATCH (a:NewsArticle {id: $id}) SET a.lost_claims = 3", {"id": ids["/page/3"]})
    assert process(graph).loaded == 1 and articles(graph)["/page/2"]["state"] == "processed"
    assert article_id(f"{site.url}/page/3") == ids["/page/3"] and process(graph).removed == 1


def test_until_empty_waits_for_what_backs_off(graph: Graph, site: Site) -> None:
    site.add(*range(12))
    failing(site, "/page/4", 503, 503, 404)
    update(graph, site)
    runs = Processor(graph, local()).run(until_empty=True)
    assert runs[-1].remaining == 0 and states(graph) == {"processed": 11, "failed": 1}
