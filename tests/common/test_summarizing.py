"""Summaries: the best sentences one by one, or a model's words as they come; always with a label that tells which."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.errors import SettingsError
from graphvine.workers.common.summarizing import SummaryFailed, SummaryLimits, open_summarizer
from graphvine.workers.common.summarizing.extractive import ExtractiveSummarizer, split_sentences
from graphvine.workers.common.summarizing.openai import ModelSummarizer
from tests.support.model_server import StreamingModel
from tests.support.web_server import WebServer

SENTENCES = [
    "A vine is a plant with trailing or climbing stems.",
    "Vines use tendrils to grip walls and trellises.",
    "The mayor opened the new swimming pool on Tuesday.",
    "Gardeners plant vines so that walls are covered with leaves.",
    "Vines that grip trellises with their tendrils climb the fastest.",
    "Nobody has seen the lost umbrella since last week.",
]
TEXT = " ".join(SENTENCES)


def stream(summarizer: Any, text: str = TEXT, title: str = "") -> list[str]:
    async def run() -> list[str]:
        try:
            return [part async for part in summarizer.stream(text, title)]
        finally:
            await summarizer.close()

    return asyncio.run(run())


@pytest.mark.parametrize("kind", ["words", "light"])
def test_sentences_appear_one_by_one_in_the_order_of_the_text(kind: Any) -> None:
    summarizer = open_summarizer(kind, limits=SummaryLimits(sentences=3))
    assert summarizer.label.startswith("extractive (")
    parts = stream(summarizer)
    assert [part.count(".") for part in parts] == [1, 2, 3]
    chosen = [sentence for sentence in SENTENCES if sentence in parts[-1]]
    assert parts[-1] == " ".join(chosen)
    assert not {SENTENCES[2], SENTENCES[5]} & set(chosen), "what the text is about, not what stands beside it"


def test_the_same_text_gives_the_same_summary() -> None:
    assert stream(ExtractiveSummarizer()) == stream(ExtractiveSummarizer())


@pytest.mark.parametrize("text", ["One.", "no sentence at all", "標題\n葡萄藤是一種攀緣植物。它沿著牆壁生長。"])
def test_short_texts_and_other_scripts_have_a_summary_too(text: str) -> None:
    assert stream(ExtractiveSummarizer(), text)[-1]


def test_an_empty_text_can_t_be_summarized() -> None:
    with pytest.raises(SummaryFailed, match="no text"):
        stream(ExtractiveSummarizer(), " \n ")


@given(st.text(max_size=400))
def test_any_text_is_summarized_by_its_own_words_or_refused(text: str) -> None:
    try:
        parts = stream(ExtractiveSummarizer(SummaryLimits(sentences=2)), text)
    except SummaryFailed:
        assert not text.strip()
        return
    assert parts and all(part.strip() for part in parts)


def test_headings_are_not_run_into_sentences() -> None:
    assert split_sentences("Vines\nA vine climbs. It grips.", 10) == ["Vines", "A vine climbs.", "It grips."]


def test_a_model_s_words_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VINE_KEY", "secret")
    model = StreamingModel(["Vines ", "climb."])
    model.go_on.set()
    with WebServer(model.answer) as server:
        summarizer = open_summarizer("auto", url=f"{server.url}/v1/", model="vine-1", key_variable="VINE_KEY")
        assert summarizer.label == "model (vine-1)"
        parts = stream(summarizer, TEXT, "Vines")
    assert parts[0] == "Vines" and parts[-1] == "Vines climb."
    assert model.authorised == ["Bearer secret"] and server.traffic.asked == ["/v1/chat/completions"]
    (asked,) = model.asked
    assert asked["stream"] is True and asked["model"] == "vine-1" and TEXT in str(asked["messages"])


@pytest.mark.parametrize(("status", "permanent"), [(401, True), (404, True), (429, False), (500, False)])
def test_a_model_that_refuses_says_whether_another_try_helps(status: int, permanent: bool) -> None:
    model = StreamingModel([], failures=[status])
    with WebServer(model.answer) as server, pytest.raises(SummaryFailed, match=str(status)) as caught:
        stream(ModelSummarizer(f"{server.url}/v1", "m"))
    assert caught.value.permanent == permanent


def test_a_model_that_breaks_off_or_hangs_has_failed() -> None:
    breaks, hangs = StreamingModel(["Vines "], breaks_off=True), StreamingModel(["Vines ", "climb."])
    with WebServer(breaks.answer) as server, pytest.raises(SummaryFailed, match="broke off"):
        stream(ModelSummarizer(f"{server.url}/v1", "m"))
    with WebServer(hangs.answer) as server, pytest.raises(SummaryFailed, match="not done after"):
        stream(ModelSummarizer(f"{server.url}/v1", "m", limits=SummaryLimits(seconds=0.3)))


def test_a_model_without_end_is_cut() -> None:
    model = StreamingModel(["vine "] * 1_000)
    model.go_on.set()
    with WebServer(model.answer) as server:
        parts = stream(ModelSummarizer(f"{server.url}/v1", "m", limits=SummaryLimits(max_output_characters=50)))
    assert len(parts[-1]) <= 50


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(SettingsError, match="summary_url"):
        open_summarizer("model")
    with pytest.raises(SettingsError, match="summary_url"):
        ModelSummarizer("localhost:8080", "m")


def test_headlines_and_captions_never_run_into_a_sentence() -> None:
    """A line without a full stop is no sentence: it is left out, or keeps its line."""
    text = (
        "Apple Watch and Pay\nThere are more devices than people in this house today.\nA man with a watch on his left arm\n"
        "Every one of them wants to be charged at night by somebody.\nMore about watches and phones and tablets\n"
        "The second one says something else about the same devices."
    )
    (*_, summary) = stream(ExtractiveSummarizer(SummaryLimits(sentences=5)), text)
    for caption in ("Pay", "left arm", "tablets"):
        assert caption not in summary
    assert summary.count(".") == 3
    alone = "A headline of some words without an end\nAnother one that has as many words as it"
    (*_, shown) = stream(ExtractiveSummarizer(SummaryLimits(sentences=5)), alone)
    assert shown == alone, "each on its own line"
