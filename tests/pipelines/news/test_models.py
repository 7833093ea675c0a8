"""A model by setting: it is asked a few times, then the offline way stands in, and nothing that is saved is repeated."""

from __future__ import annotations

from typing import Any

import pytest

from graphvine.clock import ManualClock
from graphvine.graph import Graph
from tests.pipelines.news.servers import TEXT, Site
from tests.pipelines.news.support import articles, in_order, passed, process, update
from tests.support.model_server import StreamingModel
from tests.support.web_server import WebServer


def model(words: list[str], **more: Any) -> StreamingModel:
    made = StreamingModel(words, **more)
    made.go_on.set()
    return made


def test_a_model_summarizes_and_judges_by_setting(graph: Graph, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    summary, judge = model(["Prices ", "rose."]), model(["Negative", ", ", "-0.8"])
    site.add(1)
    update(graph, site)
    monkeypatch.setenv("OPENAI_API_KEY", "model-key")
    with WebServer(summary.answer) as first, WebServer(judge.answer) as second:
        chosen = {"summarizer": "auto", "summary_url": f"{first.url}/v1", "sentiment_url": f"{second.url}/v1"}
        process(graph, **chosen, summary_model="small", sentiment_model="judge")
    row = articles(graph)["/page/1"]
    assert (row["summary"], row["summarizer"]) == ("Prices rose.", "model (small)")
    assert (row["sentiment"], row["sentimentScore"], row["sentimentBy"]) == ("negative", -0.8, "model (judge)")
    assert summary.authorised == judge.authorised == ["Bearer model-key"]
    assert TEXT[:40] in str(summary.asked[0]) and "Prices rose." in str(judge.asked[0]), "what is judged is the summary"


def test_three_tries_at_the_model_then_the_offline_summary_stands_labelled(
    graph: Graph, site: Site, clock: ManualClock
) -> None:
    busy = model(["never"], failures=[503] * 10)
    site.add(1)
    update(graph, site)
    with WebServer(busy.answer) as server:
        seen = []
        for _ in range(3):
            run = process(graph, summarizer="model", summary_url=server.url)
            seen.append((run.removed, articles(graph)["/page/1"]["summaryError"]))
            in_order(graph)
            clock.forward(60)
    assert [removed for removed, _ in seen] == [0, 0, 1] and len(busy.asked) == 3
    assert (
        seen[0][1] == 'error: the model answers 503: {"error": "busy"} (attempt 1/3)' and "(attempt 3/3)" in seen[2][1]
    )
    row = articles(graph)["/page/1"]
    assert row["summarizer"] == "extractive (word statistics), since the model (default) failed" and row["summary"]
    assert site.traffic.asked.count("/page/1") == 1, "the content was saved: its page was not fetched again"
    assert row["state"] == "processed" and passed(graph)["content"] == 1


def test_a_model_that_refuses_is_not_asked_again(graph: Graph, site: Site) -> None:
    wrong = model(["never"], failures=[401] * 10)
    site.add(1)
    update(graph, site)
    with WebServer(wrong.answer) as server:
        run = process(graph, summarizer="model", summary_url=server.url, sentiment_url=server.url)
    row = articles(graph)["/page/1"]
    assert run.removed == 1 and len(wrong.asked) == 2, "once for the summary, once for the sentiment"
    assert "401" in row["summaryError"] and "401" in row["sentimentError"]
    assert row["sentimentBy"] == "words (VADER), since the model (default) failed" and row["sentiment"] == "positive"


def test_a_sentiment_that_fails_repeats_neither_content_nor_summary(
    graph: Graph, site: Site, clock: ManualClock
) -> None:
    odd = model(["I", " can't", " say"])
    site.add(1)
    update(graph, site)
    with WebServer(odd.answer) as server:
        for _ in range(2):
            process(graph, sentiment_url=server.url)
            clock.forward(60)
        row = articles(graph)["/page/1"]
        assert row["state"] == "pending" and "no sentiment" in row["sentimentError"] and row["needsSummary"] is False
        process(graph, sentiment_url=server.url)
    row = articles(graph)["/page/1"]
    assert row["state"] == "processed" and "(attempt 3/3)" in row["sentimentError"] and len(odd.asked) == 3
    assert site.traffic.asked.count("/page/1") == 1 and passed(graph)["summary"] == 1
