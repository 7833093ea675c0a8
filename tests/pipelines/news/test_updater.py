"""The updater: pages up to a known one, one shape, stable ids, the index, the log, and what they cost."""

from __future__ import annotations

import json
import logging

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from tests.pipelines.news.servers import KEY, Site
from tests.pipelines.news.support import (
    additions,
    apitube,
    articles,
    feed,
    newsdata,
    process,
    process_all,
    update,
)
from tests.support.web_server import Request


def asked(site: Site, path: str) -> int:
    return sum(one.partition("?")[0] == path for one in site.traffic.asked)


def test_all_pages_are_read_and_paid_for(graph: Graph, site: Site) -> None:
    site.add(*range(25))
    run = update(graph, site)
    assert (run.found, run.pages, run.credits, run.total, run.errors) == (25, 3, 3, 25, {})
    found = articles(graph)
    assert len(found) == 25 and {row["state"] for row in found.values()} == {"pending"}
    row = found["/page/7"]
    assert (row["title"], row["source"], row["provider"]) == ("Bitcoin story number 7", "localnews", "newsdata")
    assert row["needsSummary"] is True and row["needsSentiment"] is True, "a plan's advertisement is no sentiment"
    assert additions(graph) == [found[f"/page/{number}"]["id"] for number in range(25)], "the oldest first"


def test_it_stops_at_a_page_that_is_known_as_a_whole_not_at_the_first_known_article(graph: Graph, site: Site) -> None:
    site.add(*range(30))
    update(graph, site)
    # An old article at the top of the list, as providers pin them, hides nothing below it.
    site.add(*range(30, 45))
    site.items.insert(0, site.items.pop(20))
    before = asked(site, "/newsdata")
    run = update(graph, site)
    assert run.found == 15 and asked(site, "/newsdata") - before == 3, "two pages with something new, one without"
    assert update(graph, site).pages == 1


def test_no_more_than_max_pages_are_asked_for(graph: Graph, site: Site) -> None:
    site.add(*range(40))
    run = update(graph, site, max_pages=2)
    assert run.pages == 2 and run.found == 20


def test_the_same_page_is_one_article_whoever_found_it(graph: Graph, site: Site) -> None:
    site.add(1, 2)
    site.add(3, path="/page/1?utm_source=rss&fbclid=x")
    site.add(4, path="/page/2/#comments")
    run = update(graph, site, providers=[newsdata(site), apitube(site), feed(site), feed(site, "/atom")])
    assert run.found == 2 and len(articles(graph)) == 2
    assert run.credits == 2, "feeds cost nothing"


def test_feeds_of_both_kinds_are_read(graph: Graph, site: Site) -> None:
    site.add(1, title="Stock & bond <news>")
    assert update(graph, site, providers=[feed(site, "/atom")]).found == 1
    site.add(2)
    assert update(graph, site, providers=[feed(site)]).found == 1
    found = articles(graph)
    assert found["/page/1"]["title"] == "Stock & bond <news>" and found["/page/2"]["source"] == "127.0.0.1"
    row = graph.query(
        "MATCH (a:NewsArticle)-[:PUBLISHED_BY]->(s:NewsSource) RETURN s.title, a.description, a.date"
    ).rows
    assert {(one[0], one[1]) for one in row} == {("Atom", "What happened.")}, "one publisher, by its site"
    assert {one[2].isoformat() for one in row} == {"2026-05-01T10:01:00+00:00", "2026-05-01T10:02:00+00:00"}


def test_a_key_in_the_address_of_a_feed_is_not_told(graph: Graph, site: Site) -> None:
    run = update(graph, site, providers=[feed(site, "/nowhere?token=secret"), feed(site, "/rss?token=other")])
    assert "404" in next(iter(run.errors.values())) and "secret" not in str(run)
    names = [row["name"] for row in graph.read("news_updater.providers", topic="BTC")]
    assert len(set(names)) == 2 and "token" not in str(names)


def test_articles_of_apitube_come_with_their_sentiment(graph: Graph, site: Site) -> None:
    site.add(1, sentiment="negative", score=-0.6)
    update(graph, site, providers=[apitube(site)])
    row = articles(graph)["/page/1"]
    assert (row["needsSentiment"], row["sentiment"], row["sentimentScore"]) == (False, "negative", -0.6)
    process(graph)
    row = articles(graph)["/page/1"]
    assert (row["state"], row["sentiment"], row["sentimentBy"]) == ("processed", "negative", "apitube")


def test_keys_go_in_headers_and_never_in_an_address_or_the_graph(graph: Graph, site: Site) -> None:
    site.add(*range(12))
    update(graph, site, providers=[newsdata(site), apitube(site)])
    assert set(site.keys) == {KEY} and not any(KEY in path for path in site.traffic.asked)
    stored = [
        graph.query(f"MATCH (n:{label}) RETURN n").rows for label in ("NewsArticle", "NewsProvider", "NewsSource")
    ]
    assert KEY not in str(stored)


def test_the_index_is_capped_and_articles_stay(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(*range(8))
    update(graph, site, max_stored_articles=5)
    known = [row["id"] for row in graph.read("news_updater.known", topic="BTC", since_ms=0)]
    found = articles(graph)
    assert known == [found[f"/page/{number}"]["id"] for number in (7, 6, 5, 4, 3)], "the newest first"
    process_all(graph, clock)
    again = update(graph, site, max_stored_articles=5)
    assert again.found == 0 and len(articles(graph)) == 8, "what fell out of the index is found, and is not new"
    assert additions(graph) == [] and process(graph).loaded == 0


def test_ids_leave_the_index_after_their_time(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(1, 2)
    update(graph, site)
    clock.forward(2_592_001)
    site.items.clear()
    site.add(3)
    update(graph, site)
    known = [row["id"] for row in graph.read("news_updater.known", topic="BTC", since_ms=0)]
    assert known == [articles(graph)["/page/3"]["id"]]


def test_the_log_is_trimmed_up_to_the_checkpoint(graph: Graph, site: Site) -> None:
    site.add(*range(8))
    update(graph, site)
    merged = process(graph)
    site.add(*range(8, 20))
    run = update(graph, site)
    assert run.trimmed == 8 and run.total == 12 and run.checkpoint == merged.checkpoint
    assert len(additions(graph)) == 12


def test_the_log_lines_are_the_document_s(graph: Graph, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    site.add(*range(8))
    update(graph, site)
    checkpoint = process(graph).checkpoint
    site.add(*range(8, 20))
    with caplog.at_level(logging.INFO, "graphvine.news"):
        update(graph, site)
    assert [record.getMessage() for record in caplog.records] == [
        "Updater: Fetched 12 new articles",
        f"Updater: Trimmed 8 processed articles from additions log (checkpoint: {checkpoint})",
        "Updater: Added 12 articles to pending additions staging area (total: 12, trimmed 8)",
        "Updater: API credits used: 2",
    ]


def test_metrics_are_reported_and_kept(graph: Graph, site: Site) -> None:
    heard = []
    graph.store.subscribe(lambda event, facts: heard.append((event, facts)) if event.startswith("news") else None)
    site.add(1, 2, 3)
    update(graph, site)
    assert heard == [("news_updated", {"topic": "BTC", "found": 3, "trimmed": 0, "credits": 1, "total": 3})]
    kept = graph.read("news_updater.runs", topic="BTC", limit=5)
    assert [(row["found"], row["trimmed"], row["credits"], row["total"]) for row in kept] == [(3, 0, 1, 3)]


def test_a_bad_item_is_named_with_its_field_and_costs_nothing_that_is_good(graph: Graph, site: Site) -> None:
    site.add(1)
    site.add(2, more={"link": "ftp://a.example/x"})
    site.add(3, more={"title": None})
    site.add(4, more={"link": "http://user:pw@a.example/"})
    site.add(5)
    run = update(graph, site)
    assert run.found == 3, "one without a title is named by its text"
    assert [reason.split(":")[0] for reason in run.rejected] == ["newsdata, page 1, item 1", "newsdata, page 1, item 3"]
    assert "link" in run.rejected[0] and "pw" not in run.rejected[0]


def test_what_a_broken_run_missed_is_found_by_the_next(graph: Graph, site: Site, clock: ManualClock) -> None:
    site.add(*range(30))
    broken = True

    async def third_page_fails(request: Request) -> bool:
        if broken and "page=20" in request.path:
            await request.answer(b"busy", status=503)
            return True
        return False

    site.before = third_page_fails
    first = update(graph, site)
    assert first.found == 20 and "503" in first.errors["newsdata"]
    broken = False
    clock.forward(3_600)
    second = update(graph, site)
    assert second.found == 10 and second.pages == 3 and second.errors == {}, "known pages do not end this one"
    assert update(graph, site).pages == 1, "and after a whole run they do again"


def test_priorities_by_site_and_by_words_of_the_title(graph: Graph, site: Site) -> None:
    site.add(1, title="Bitcoin price holds")
    site.add(2, title="Breaking: exchange hacked")
    site.add(3, title="Sponsored: buy now")
    update(graph, site, high_priority="breaking, other.example", low_priority="sponsored")
    assert {path: row["priority"] for path, row in articles(graph).items()} == {
        "/page/1": 1,
        "/page/2": 0,
        "/page/3": 2,
    }
    run = process(graph, max_articles_per_run=1)
    assert run.removed == 1 and articles(graph)["/page/2"]["state"] == "processed"
    process(graph, max_articles_per_run=1)
    assert articles(graph)["/page/1"]["state"] == "processed"


def test_another_topic_has_keys_of_its_own(graph: Graph, site: Site) -> None:
    site.add(1)
    update(graph, site)
    site.add(2)
    assert update(graph, site, topic="ETH").found == 1, "an article belongs to the topic that found it first"
    assert process(graph, topic="ETH").loaded == 1 and process(graph).loaded == 1
    names = [row["name"] for row in graph.read("news_processor.checkpoints", topic="ETH")]
    assert names == [
        "ETH_ADDITIONS_CHECKPOINT",
        "ETH_CONTENT_CHECKPOINT",
        "ETH_SENTIMENT_CHECKPOINT",
        "ETH_SUMMARY_CHECKPOINT",
    ]


@pytest.mark.parametrize(
    ("answer", "status", "kind", "reason"),
    [
        (b'{"status": "error", "results": {"message": "no such key"}}', 200, "application/json", "no such key"),
        (b"<html>maintenance</html>", 200, "text/html", "not JSON (text/html)"),
        (b"[1, 2]", 200, "application/json", "not a JSON object"),
        (b'{"status": "success", "results": 7}', 200, "application/json", "no list of results"),
        (b"[" * 100_000, 200, "application/json", "not JSON"),
        (b"oops", 500, "text/plain", "500"),
        (b"", 302, "text/plain", "redirects"),
    ],
)  # fmt: skip
def test_a_faulty_answer_is_told_and_kept(
    graph: Graph, site: Site, answer: bytes, status: int, kind: str, reason: str
) -> None:
    async def faulty(request: Request) -> bool:
        await request.answer(answer, status=status, media_type=kind, Location="http://127.0.0.1:1/")
        return True

    site.before = faulty
    run = update(graph, site)
    assert run.found == 0 and reason in run.errors["newsdata"]
    (kept,) = graph.read("news_updater.providers", topic="BTC")
    assert (
        reason in kept["last_error"]
        and kept["whole"] is False
        and (kept["not_before"] > graph.clock.now_ms()) == (status != 302)
    )
    assert "apikey" not in json.dumps(run.errors)
