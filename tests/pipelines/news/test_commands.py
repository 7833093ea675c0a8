"""graphvine news: list, show, queue, update, process, retry; the same in Python; and the jobs of the scheduler."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from graphvine.clock import ManualClock
from graphvine.errors import GraphvineError, SettingsError
from graphvine.graph import Graph
from graphvine.workers.hooks import NoHandler
from graphvine.workers.news import schedule as news_jobs
from graphvine.workers.news.errors import NoProvider, UnknownArticle
from graphvine.workers.news.settings import NewsSettings, load
from graphvine.workers.registry import handler
from graphvine.workers.scheduler import jobs
from tests.acceptance.cli_support import COMMAND, environment, run
from tests.pipelines.news.servers import KEY, Site
from tests.pipelines.news.support import articles, local, process, queue, states, update
from tests.support.stores import Place
from tests.support.waiting import WAIT_LIMIT
from tests.support.web_server import Request

PREFIX = "GRAPHVINE_NEWS_"


@pytest.fixture
def settings(site: Site, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Settings by the environment, as a user sets them."""
    chosen = {
        "NEWSDATA_URL": f"{site.url}/newsdata", "APITUBE_URL": f"{site.url}/apitube", "FEEDS": f"{site.url}/rss",
        "ALLOWED_PRIVATE_HOSTS": "127.0.0.1", "SUMMARIZER": "words", "SAME_STORY": "off", "OBEY_ROBOTS": "false",
    }  # fmt: skip
    variables = {PREFIX + name: value for name, value in chosen.items()} | {"NEWSDATA_API_KEY": KEY}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("APITUBE_API_KEY", raising=False)
    return variables


def test_from_providers_to_a_summary(settings: dict[str, str], site: Site, place: Place) -> None:
    site.add(*range(7))
    site.add(7, path="/gone", title="This page is gone")
    said = run("news", "update", "--graph", place.where)
    assert said.out.splitlines() == [
        "Fetched 8 new articles", "Added 8 articles to pending additions staging area (total: 8, trimmed 0)",
        "API credits used: 1",
    ]  # fmt: skip
    said = run("news", "process", "--until-empty", "--graph", place.where, status=1)
    assert said.out.count("Loaded: ") == 3 and "Queue length: 0 articles remaining" in said.out
    assert said.out.count("Failed: 1 articles") == 1 and "1 article failed" in said.err
    listed = run("news", "list", "--state", "processed", "--limit", "3", "--json", "--graph", place.where).json[
        "articles"
    ]
    assert [one["title"] for one in listed] == [f"Bitcoin story number {number}" for number in (6, 5, 4)]
    assert listed[0]["sentiment"] == "positive" and listed[0]["summary"]
    shown = run("news", "show", listed[0]["id"], "--graph", place.where).out
    assert "Bitcoin story number 6" in shown and "summary:" in shown and "extractive (word statistics)" in shown
    by_link = run("news", "show", listed[0]["link"], "--json", "--graph", place.where).json
    assert by_link["article"]["id"] == listed[0]["id"] and by_link["article"]["needsSummary"] is False
    (failed,) = run("news", "list", "--state", "failed", "--json", "--graph", place.where).json["articles"]
    assert "404" in run("news", "show", failed["id"], "--graph", place.where).out
    assert run("news", "retry", "--contains", "404", "--graph", place.where).out == "1 to be tried again\n"
    seen = run("news", "queue", "--json", "--graph", place.where).json
    assert seen["length"] == 1 and seen["entries"][0]["id"] == failed["id"] and seen["articles_per_hour"] > 0
    assert {one["name"] for one in seen["providers"]} == {"newsdata", f"feed {site.url}/rss"}
    told = run("news", "queue", "--graph", place.where).out
    assert "queue: 1 article" in told and "additions checkpoint: news-" in told
    assert "summary checkpoint" in told and "(7 passed)" in told and "BTC" not in told


def test_json_of_the_runs_is_the_metrics(settings: dict[str, str], site: Site, place: Place) -> None:
    site.add(1, 2)
    updated = run("news", "update", "--json", "--graph", place.where).json
    assert (updated["found"], updated["credits"], updated["total"]) == (2, 1, 2)
    lines = run("news", "process", "--until-empty", "--batch", "1", "--json", "--graph", place.where).out.splitlines()
    runs = [json.loads(line) for line in lines]
    assert [one["loaded"] for one in runs] == [1, 1, 0] and runs[-1]["remaining"] == 0


def test_a_topic_and_a_feed_by_option(
    settings: dict[str, str], site: Site, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEWSDATA_API_KEY")
    monkeypatch.delenv(f"{PREFIX}FEEDS")
    said = run("news", "update", "--graph", place.where, status=1)
    assert "news.feeds" in said.err and "NEWSDATA_API_KEY" in said.err
    site.add(1)
    run("news", "update", "--topic", "ETH", "--feed", f"{site.url}/atom", "--graph", place.where)
    assert run("news", "list", "--json", "--graph", place.where).json["articles"] == []
    assert len(run("news", "list", "--topic", "ETH", "--json", "--graph", place.where).json["articles"]) == 1
    assert "1 article" in run("news", "queue", "--topic", "ETH", "--graph", place.where).out


def test_a_provider_that_refuses_is_told_and_nothing_found_is_a_status(
    settings: dict[str, str], site: Site, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEWSDATA_API_KEY", "wrong")
    site.add(1)
    said = run("news", "update", "--graph", place.where, status=1)
    assert "401 Unauthorized: API key is invalid" in said.err and "wrong" not in said.err + said.out
    assert "Fetched 1 new articles" in said.out, "the feed was read all the same"
    monkeypatch.setenv("NEWSDATA_API_KEY", KEY)
    monkeypatch.delenv(f"{PREFIX}FEEDS")
    assert "Fetched 0 new articles" in run("news", "update", "--graph", place.where).out, (
        "with the key put right, at once"
    )


def test_a_wait_is_shown_with_its_length_and_now_skips_it(
    settings: dict[str, str], site: Site, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(f"{PREFIX}FEEDS")
    site.add(1)

    async def busy(request: Request) -> bool:
        await request.answer(b"come back later", status=429, Retry_After="600")
        return True

    site.before = busy
    assert "429 Too Many Requests: come back later" in run("news", "update", "--graph", place.where, status=1).err
    site.before = None
    said = run("news", "update", "--graph", place.where, status=1).err
    assert " s to wait after an error (--now asks at once)" in said
    assert "Fetched 1 new articles" in run("news", "update", "--now", "--graph", place.where).out
    site.before = busy
    shown = run("news", "process", "--graph", place.where).out
    assert "Backing off: 1 articles, the first for" in shown and "Failed" not in shown
    site.before = None
    assert "Removed from queue: 1 articles" in run("news", "process", "--now", "--graph", place.where).out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["retry"], "in one way"),
        (["retry", "x", "--all"], "in one way"),
        (["process", "--batch", "0"], "--batch"),
        (["list", "--limit", "0"], "--limit"),
        (["list", "--sentiment", "angry"], "'angry' is none of positive, neutral, negative"),
        (["list", "--state", "done"], "'done' is none of pending, "),
    ],
)
def test_options_that_mean_nothing_are_refused(place: Place, arguments: list[str], reason: str) -> None:
    assert reason in run("news", *arguments, "--graph", place.where, status=2).err


def test_what_is_not_there_is_told(place: Place) -> None:
    assert "there is no article 'news-x'" in run("news", "show", "news-x", "--graph", place.where, status=1).err
    assert "there is no article" in run("news", "retry", "news-x", "--graph", place.where, status=1).err
    assert "no article here" in run("news", "list", "--graph", place.where).out
    assert "graphvine news process" in run("work", "news_article", "--graph", place.where, status=1).err


def test_ctrl_c_gives_back_what_is_in_hand(settings: dict[str, str], site: Site, place: Place, tmp_path: Path) -> None:
    arrived = threading.Event()

    async def slow(request: Request) -> None:
        arrived.set()
        await request.pause(60)

    site.add(1)
    site.pages["/page/1"] = slow
    run("news", "update", "--graph", place.where)
    command = [COMMAND, "--graph", place.where, "news", "process"]
    running = subprocess.Popen(command, cwd=tmp_path, env=environment(**settings), stderr=subprocess.PIPE, text=True)
    try:
        assert arrived.wait(WAIT_LIMIT)
        os.kill(running.pid, signal.SIGINT)
        running.communicate(timeout=WAIT_LIMIT)
    finally:
        running.kill()
    assert running.returncode == 130
    with place.open() as graph:
        row = articles(graph)["/page/1"]
        assert (row["state"], row["lost_claims"], row["retry_count"]) == ("pending", 0, 0) and queue(graph) == [
            row["id"]
        ]


def test_python_has_the_same_words(settings: dict[str, str], site: Site, graph: Graph, clock: ManualClock) -> None:
    site.add(*range(3))
    assert graph.news.update().found == 3
    assert [one.loaded for one in graph.news.process(batch=2)] == [2] and graph.news.queue().length == 1
    assert len(graph.news.list(state="processed")) == 2 and len(graph.news.list(contains="NUMBER 1")) == 1
    waiting = graph.news.queue().entries[0]["id"]
    assert graph.news.retry([waiting]) == 1, "what waits need not wait any longer"
    with pytest.raises(UnknownArticle):
        graph.news.show("news-x")
    with pytest.raises(GraphvineError, match="say what to retry"):
        graph.news.retry()
    with pytest.raises(SettingsError, match="topic"):
        graph.news.topic("no topic at all")
    with pytest.raises(NoHandler, match="news process"):
        handler(graph, "news_article")


def test_jobs_run_the_updater_each_hour_and_the_processor_each_minute(
    settings: dict[str, str], site: Site, graph: Graph
) -> None:
    found = {job.name: job for job in jobs(graph)}
    assert found["news-update"].every_seconds == 3600 and found["news-process"].every_seconds == 60
    site.add(1)
    found["news-update"].run()
    graph.pause("news_article", "night")
    site.add(2)
    assert found["news-update"].run() is None and found["news-process"].run() is None
    graph.resume("news_article")
    assert found["news-process"].run().removed == 1 and states(graph) == {"processed": 1}
    assert found["news-update"].run().found == 1


def test_without_a_provider_there_is_no_job_to_update(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NEWSDATA_API_KEY", "APITUBE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert [job.name for job in news_jobs.jobs(graph, local())] == ["news-process"]
    assert news_jobs.jobs(graph, local(process_seconds=0)) == []
    with pytest.raises(NoProvider):
        graph.news.update()
    with pytest.raises(SettingsError, match="news.feeds"):
        news_jobs.jobs(graph, local(feeds="file:///etc/passwd"))


def test_the_document_s_constants_are_the_defaults() -> None:
    chosen = NewsSettings()
    assert (chosen.max_stored_articles, chosen.max_pages, chosen.id_index_ttl) == (500, 15, 2_592_000)
    assert (chosen.max_articles_per_run, chosen.max_content_chars, chosen.max_content_fetch_attempts) == (5, 10_240, 5)
    assert chosen.allowed_private_hosts == "" and chosen.topic == "BTC" and chosen.query == "bitcoin"
    assert load(max_pages=3).max_pages == 3


def test_retry_puts_an_article_before_all_others(site: Site, graph: Graph) -> None:
    site.add(*range(4))
    update(graph, site)
    process(graph, max_articles_per_run=1)
    last = queue(graph)[-1]
    assert graph.news.retry([last], first=True) == 1 and queue(graph)[0] == last
