"""Every list of the HTTP API is read page by page and filtered alike; a query takes what the command line takes."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from graphvine.graph import Graph
from graphvine.workers.hn.api import HackerNews
from tests.support.articles import fail_for_good
from tests.support.shared_graphs import Served


@pytest.fixture
def graph(served: Served) -> Graph:
    return served.graph


def _make_lists(owner: httpx.Client, graph: Graph) -> dict[str, tuple[str, list[str]]]:
    """Five rows of every list: by path, the field that tells them apart, and its values in the list's order."""
    names = [f"name{number}" for number in range(5)]
    graph.seed("article", names)
    for name in names:
        fail_for_good(graph, name, "no such page")
    for number, name in enumerate(names):
        owner.post("/scrape/batches", json={"urls": [f"http://example.org/{name}"], "name": name})
        bad = json.dumps({"id": "no number", "type": name})
        owner.post("/uploads", files={"file": (name, f"{bad}\n" * (number + 1))}, data={"auto": "no"})
        graph.execute(
            "CREATE (:NewsArticle {id: $id, link: $id, title: $id, state: 'processed', topic: 'BTC', seq: $seq,"
            " due: 4503599627370496, lease: 0, date: timestamp('2026-01-01'), addedAt: timestamp('2026-01-01')})",
            {"id": name, "seq": 1000 + number},
        )  # fmt: skip
    for _ in names:
        assert owner.post("/refresh", json={}).status_code == 202
    jobs = sorted((one["started_at"], one["id"]) for one in owner.get("/jobs").json()["rows"])
    newest = names[::-1]
    return {
        "/pipelines/article/rows": ("key", names), "/articles": ("title", names),
        "/pipelines/article/failed": ("key", newest), "/scrape/batches": ("name", newest),
        "/uploads": ("filename", newest), "/news/articles": ("id", newest), "/jobs": ("id", [id for _, id in jobs[::-1]]),
    }  # fmt: skip


def test_lists_are_read_page_by_page_and_filtered_alike(owner: httpx.Client, graph: Graph) -> None:
    for path, (field, wanted) in _make_lists(owner, graph).items():
        found, after = list[str](), ""
        while after is not None:
            page = owner.get(path, params={"limit": 2, **({"after": after} if after else {})}).json()
            assert set(page) == {"rows", "next"} and len(page["rows"]) <= 2, path
            found += [row[field] for row in page["rows"]]
            after = page["next"]
        assert found == wanted, path
        assert owner.get(path, params={"limit": 5, "after": "x"}).status_code in (200, 422), path
        if path != "/jobs":
            one = owner.get(path, params={"contains": "AME3"}).json()
            assert [row[field] for row in one["rows"]] == ["name3"] and one["next"] is None, path
        if path != "/pipelines/article/failed":
            first = owner.get(path).json()["rows"][0]
            assert owner.get(path, params={"state": first.get("state") or first["status"]}).json()["rows"], path
            assert owner.get(path, params={"state": "removed"}).json().get("rows", []) == [], path


def test_a_query_takes_what_the_command_line_takes(owner: httpx.Client, graph: Graph) -> None:
    HackerNews(graph).add([{"id": 1, "type": "story", "title": "Climbing vines", "by": "ann", "time": 1_600_000_000}])

    def found(**given: Any) -> list[str]:
        answer = owner.get("/search", params={"q": "vines", "mode": "text", **given})
        assert answer.status_code == 200, answer.text
        return [one["key"] for one in answer.json()]

    for kind in ("hn", ["hn"], ["hn", "news"], "hn,news"):
        assert found(kind=kind) == ["1"], kind
    assert found(kind="news") == []
    assert found(kind="hn", after="2020-01-01") == ["1"] and found(kind="hn", before="2020-01-01") == []
    for wrong in ({"after": "yesterday"}, {"kind": "fish"}, {"limit": "many"}):
        assert owner.get("/search", params={"q": "vines", **wrong}).status_code in (400, 422), wrong
