"""graphvine hn, as people type it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from graphvine.workers.cli.main import app
from tests.pipelines.hn.server import HackerNewsServer
from tests.support.stores import Place

ITEMS = [
    {"id": 1, "type": "story", "title": "Hello", "by": "pg", "time": 1_400_000_000, "score": 7, "kids": [3, 2]},
    {"id": 2, "type": "comment", "parent": 1, "text": "first <i>word</i>", "by": "sama", "time": 1_400_000_100},
    {"id": 3, "type": "comment", "parent": 1, "text": "second word", "by": "jl", "time": 1_400_000_200},
    {"id": 4, "type": "comment", "parent": 2, "text": "third", "by": "pg", "time": 1_400_000_300},
    {"id": 5, "type": "essay"},
]


class Line:
    def __init__(self, where: str) -> None:
        self.where = where

    def __call__(self, *words: str, status: int = 0, given: str | None = None) -> str:
        done = CliRunner().invoke(app, ["--graph", self.where, *words], input=given)
        assert done.exit_code == status, done.output
        return done.output

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json"))


@pytest.fixture
def line(place: Place, tmp_path: Path) -> Line:
    ready = Line(place.where)
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(json.dumps(item) for item in ITEMS) + "\nnot json\n")
    told = ready("hn", "add", str(file), status=1).splitlines()
    assert "4 new, 1 failed, 1 rejected" in told
    assert "refused item 5: type: 'essay' is none of story, comment, job, poll, pollopt" in told
    assert any(text.startswith("refused something without a usable id: line 6: not JSON: ") for text in told)
    return ready


def test_what_was_refused_is_listed(line: Line) -> None:
    listed = line.json("failed", "hn_item")
    assert "line 6: not JSON" in json.dumps(listed) and "essay" in json.dumps(listed)


def test_the_form_of_items_is_told(line: Line) -> None:
    tree = {
        "id": 50,
        "type": "story",
        "author": "pg",
        "title": "x",
        "children": [{"id": 51, "type": "comment", "author": "a"}],
    }
    assert "items came 2 as Algolia's trees" in line("hn", "add", given=json.dumps(tree))


def test_a_year_is_a_year_and_a_type_is_checked(line: Line) -> None:
    assert line.json("hn", "search", "--after", "2014")["total"] == 4
    assert line.json("hn", "search", "--after", "2015")["total"] == 0
    assert "blah" in line("hn", "search", "--type", "blah", status=2)


def test_threads(line: Line) -> None:
    assert [row["id"] for row in line.json("hn", "thread", "1")["items"]] == [1, 3, 2, 4]
    shown = line("hn", "thread", "1", "--depth", "1").splitlines()
    assert shown[0].startswith("1 story pg 2014-05-13 16:53 7 points  Hello")
    assert "    first word" in shown and not any("third" in text for text in shown)
    assert [row["id"] for row in line.json("hn", "ancestors", "4")["items"]] == [2, 1]
    assert [row["id"] for row in line.json("hn", "descendants", "2")["items"]] == [4]
    assert [row["id"] for row in line.json("hn", "siblings", "2")["items"]] == [3]
    assert [row["id"] for row in line.json("hn", "story", "4")["items"]] == [1]
    assert "no item 77" in line("hn", "thread", "77", status=1)


def test_search(line: Line) -> None:
    found = line.json("hn", "search", "word", "--sort", "date")
    assert [row["id"] for row in found["found"]] == [3, 2] and found["total"] == 2
    assert [row["id"] for row in line.json("hn", "search", "--story-by", "pg", "--author", "pg")["found"]] == [4]
    assert line.json("hn", "search", "--after", "2014-05-13T16:56:00", "--before", "1400000250")["total"] == 1
    assert "1 to 1 of 1 item" in line("hn", "search", "third")
    assert "types: " in line("hn", "search", "--facets", "type,by") and "authors: pg" in line(
        "hn", "search", "--author", "pg", "--facets", "by"
    )
    assert "is no time" in line("hn", "search", "--after", "yesterday", status=2)


def test_transitions_mark_failed_and_retry(line: Line) -> None:
    assert "item 4 is failed" in line("hn", "mark-failed", "4", "--reason", "odd")
    assert "odd" in line("failed", "hn_item", "--contains", "odd")
    assert line.json("hn", "transitions", "4")["transitions"][0]["name"] == "retry_processing"
    assert line.json("hn", "mark-failed", "3") == {"graph": line.where, "id": 3, "state": "failed"}
    assert line.json("hn", "retry", "3") == {"graph": line.where, "retried": 1}
    assert "1 item to be processed again" in line("hn", "retry", "4")
    assert "2 claimed, 2 done" in line("work", "hn_item", "--until-empty")
    assert line.json("hn", "transitions", "4")["state"] == "completed"
    assert "it is completed" in line("hn", "retry", "4", status=1)


def test_add_from_standard_input(line: Line) -> None:
    array = json.dumps([{"id": 8, "type": "job", "title": "x"}, {"id": 9, "type": "job"}], indent=1)
    assert line("hn", "add", given=array).strip() == "2 new"
    assert line("hn", "add", "-", given=json.dumps({"id": 8, "type": "job", "title": "x"})).strip() == "1 unchanged"
    assert "neither JSON nor JSON Lines" in line("hn", "add", given="[1, 2", status=1)
    assert "nothing in it" in line("hn", "add", given=" \n", status=1)


def test_pull(line: Line, server: HackerNewsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHVINE_HN_BASE_URL", server.url)
    server.items = {id: {"id": id, "type": "story", "title": f"story {id}"} for id in range(10, 31)}
    assert line("hn", "pull", "--ids", "10,11,9").strip() == "3 asked for: 2 new, 1 without an item"
    assert line.json("hn", "pull", "--from", "10", "--to", "20")["taken"]["new"] == 9
    assert "in one way" in line("hn", "pull", "--ids", "1", "--updates", status=2)
    assert "belong together" in line("hn", "pull", "--from", "1", status=2)
    assert "such as 1,2,3" in line("hn", "pull", "--ids", "1;2", status=2)
