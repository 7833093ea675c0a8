"""Answers: a model is given the passages alone, and what it says without a citation is left out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphvine.clock import SystemClock
from graphvine.graph import Graph
from graphvine.search.hits import SearchHit, cite
from graphvine.workers.search.ask import NOT_HELD, Answer, cited, grouped
from graphvine.workers.search.settings import SearchSettings
from tests.support.model_server import StreamingModel
from tests.support.stores import Place
from tests.support.web_server import WebServer


@pytest.fixture
def graph(place: Place) -> Iterator[Graph]:
    with place.open(SystemClock()) as graph:
        graph.hn.add([
            {"id": 1, "type": "story", "title": "Kudzu, the vine that ate the South", "by": "pg"},
            {"id": 2, "type": "comment", "parent": 1, "by": "sama", "text": "Goats eat kudzu."},
        ])  # fmt: skip
        yield graph


def asked(graph: Graph, words: list[str]) -> tuple[StreamingModel, list[str], Answer]:
    model, heard = StreamingModel(words), list[str]()
    model.go_on.set()
    with WebServer(model.answer) as server:
        settings = SearchSettings(answer_url=f"{server.url}/v1", answer_model="vine-1")
        answer = graph.ask("Who eats kudzu?", kind=["hn"], settings=settings, on_text=heard.append)
    return model, heard, answer


def test_each_sentence_is_cited_and_the_passages_are_all_that_the_model_gets(graph: Graph) -> None:
    model, heard, answer = asked(graph, ["Goats eat ", "it [1]. ", "Everybody knows that. ", "So [7]."])
    assert "".join(heard) == "Goats eat it [1]. Everybody knows that. So [7]."
    assert [(one.text, one.passages) for one in answer.sentences] == [("Goats eat it.", [1])]
    assert (answer.held, answer.uncited, answer.model) == (True, 2, "vine-1")
    said = str(model.asked[0]["messages"])
    assert "[1]" in said and "Goats eat kudzu." in said and "Who eats kudzu?" in said


def test_it_says_when_the_passages_do_not_hold_the_answer(graph: Graph) -> None:
    _, _, answer = asked(graph, [NOT_HELD])
    assert answer.held is False and not answer.sentences and answer.passages


def test_sentences_and_their_citations() -> None:
    found, uncited = cited("One thing [1][2]. Another [2]! No source. [9] Bad [9]. Half [1]", 2)
    assert [(one.text, list(one.passages)) for one in found] == [
        ("One thing.", [1, 2]), ("Another!", [2]), ("Half", [1]),
    ]  # fmt: skip
    assert uncited == 2 and cited("", 3) == ([], 0)


def test_a_path_joins_groups_that_stood_apart() -> None:
    def hit(key: str, *path: str) -> SearchHit:
        return SearchHit("article", key, key, "", "", 1.0, cite("article", key, key, "", ""), article=key, path=path)

    groups = grouped([hit("A"), hit("B"), hit("C", "B", "C"), hit("D", "A", "D"), hit("E", "D", "B")])
    assert [[one.key for one in group] for group in groups] == [["A", "D", "B", "C", "E"]]
    assert [[one.key for one in group] for group in grouped([hit("A"), hit("B")])] == [["A"], ["B"]]
