"""The dashboard's files and the routes that it asks: pages, rows, history, login, overview."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import httpx
import pytest

from graphvine.errors import ClaimLost
from graphvine.settings import Settings
from graphvine.workers.serve.api import page
from graphvine.workers.serve.api.page import POLICY
from graphvine.workers.serve.journal import Journal
from graphvine.workers.serve.settings import ServeSettings
from tests.serve.conftest import asking
from tests.support.articles import fail_for_good, linking
from tests.support.shared_graphs import TOKEN, Served
from tests.support.stores import QUICK, Place
from tests.tools.package_tree import REPOSITORY


def test_the_page_is_served_under_a_strict_policy_at_every_address(visitor: httpx.Client) -> None:
    for address in ("/ui/", "/ui/queue/article?state=failed", "/ui/row/article?key=AC%2FDC"):
        answer = visitor.get(address)
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        again = visitor.get(address, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304 and again.content == b""
    assert visitor.get("/").headers["location"] == "/ui/" and visitor.get("/docs").headers["location"] == "/ui/api"
    assert "unsafe" not in POLICY and "default-src 'none'" in POLICY and "*" not in POLICY


def test_without_a_bundle_the_page_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(page, "files", lambda _: tmp_path)
    page.load.cache_clear()
    try:
        text = page.load()["index.html"].body.decode()
    finally:
        page.load.cache_clear()
    assert "make ui" in text and "<script" not in text


@pytest.mark.parametrize(
    "path", ["/static/", "/static/no.js", "/static/../app.py", "/static/%2e%2e%2fapp.py", "/static/..%2f..%2fserve%2fapp.py",
             "/static/%2fetc%2fpasswd", "/static/page.py", "/static/index.html%00.js", "/static/assets/../../app.py"],
)  # fmt: skip
def test_nothing_else_is_served(visitor: httpx.Client, path: str) -> None:
    request = visitor.build_request("GET", visitor.base_url)
    request.url = httpx.URL(str(visitor.base_url)).copy_with(raw_path=path.encode())
    answer = visitor.send(request)
    assert answer.status_code in (404, 405) and "root:" not in answer.text and "FastAPI" not in answer.text


def test_beyond_loopback_the_page_is_open_and_what_it_shows_is_not(place: Place) -> None:
    served = Served(place.path, Settings(**QUICK), serve=ServeSettings(host="0.0.0.0", port=0))
    try:
        with asking(served) as stranger:
            assert stranger.get("/ui/queue").status_code == 200
            for path in ("/status", "/overview", "/events", "/machines", "/settings", "/pipelines/article/rows"):
                assert stranger.get(path).status_code == 401
            assert stranger.post("/login/codes").status_code == 401
    finally:
        served.close()


def test_a_code_is_exchanged_for_the_token_once(client: httpx.Client, owner: httpx.Client) -> None:
    link = owner.post("/login/codes").json()["path"]
    code = link.partition("#code=")[2]
    assert client.post("/login", json={"code": "guessed"}).status_code == 401
    assert client.post("/login", json={"code": code}).json() == {"token": TOKEN}
    assert client.post("/login", json={"code": code}).status_code == 401


def test_rows_are_filtered_counted_and_come_in_parts(served: Served, client: httpx.Client) -> None:
    graph = served.graph
    graph.seed("article", [f"Leaf {n:02}" for n in range(25)])
    claims = graph.claims("article", "a gardener")
    for claim in claims.claim(5):
        claims.fail(claim, "eaten", permanent=True)
    held = claims.claim(3)
    path = "/pipelines/article/rows"
    first = client.get(path, params={"limit": 10, "state": "failed"}).json()
    assert [row["key"] for row in first["rows"]] == [f"Leaf {n:02}" for n in range(5)] and first["next"] is None
    seen, after = list[str](), None
    while True:
        part = client.get(path, params={"limit": 10, **({"after": after} if after else {})}).json()
        seen += [row["key"] for row in part["rows"]]
        after = part["next"]
        if after is None:
            break
    assert seen == [f"Leaf {n:02}" for n in range(25)]
    assert client.get(f"{path}/count", params={"state": ["failed", "claimed"]}).json() == {
        "count": 8,
        "first": "1",
        "last": "8",
        "states": {"failed": 5, "claimed": 3},
    }
    assert client.get(f"{path}/count", params={"standing": "ready"}).json()["count"] == 17
    assert client.get(f"{path}/count", params={"contains": "LEAF 1"}).json()["count"] == 10
    assert client.get(f"{path}/count", params={"reason": "eaten", "max_depth": 0}).json()["count"] == 5
    soon, long_ago = "2100-01-01T00:00:00Z", "2000-01-01T00:00:00"
    assert client.get(f"{path}/count", params={"since": long_ago, "until": soon}).json()["count"] == 25
    for outside in ({"since": soon}, {"until": long_ago}):
        assert client.get(f"{path}/count", params=outside).json()["count"] == 0
    ended = first["rows"][4]["at"]
    assert client.get(f"{path}/count", params={"since": ended, "state": "failed"}).json()["count"] >= 1
    assert client.get(f"{path}/count", params={"until": ended, "state": "failed"}).json()["count"] <= 4
    newest = client.get(path, params={"newest": True, "limit": 1}).json()
    assert newest["rows"][0]["key"] == "Leaf 24"
    assert client.get("/pipelines/article/reasons").json() == [{"reason": "eaten", "count": 5, "example": "Leaf 00"}]
    assert client.get("/pipelines/article").json()["ready"] == 17
    for claim in held[:2]:
        claims.fail(claim, f"there is no page {claim.key!r}", permanent=True)
    told = {"reason": "there is no page '…'", "count": 2, "example": "Leaf 05"}
    assert client.get("/pipelines/article/reasons").json()[1] == told
    assert client.get(f"{path}/count", params={"reason": told["reason"]}).json()["count"] == 2
    claims.release(held[2:])


@pytest.mark.parametrize(
    "pipeline", ["article", "hn_item", "upload", "news_article", "scrape_item", "section", "vector"]
)
def test_rows_of_every_pipeline_are_filtered_by_time(client: httpx.Client, pipeline: str) -> None:
    asked = {"since": "2020-01-01T00:00:00Z", "until": "2021-01-01T00:00:00Z", "contains": "x", "standing": "ready"}
    found = client.get(f"/pipelines/{pipeline}/rows", params=asked)
    assert (found.status_code, found.json()["rows"]) == (200, [])


def test_rows_are_prioritised_and_released_by_their_keys(served: Served, owner: httpx.Client) -> None:
    graph = served.graph
    graph.seed("article", [f"Leaf {n}" for n in range(5)])
    queue = "/pipelines/article"
    assert owner.post(f"{queue}/prioritise", json={"keys": ["Leaf 3"]}).json() == {"prioritised": 1}
    found = owner.get(f"{queue}/rows").json()["rows"]
    assert [row["prioritised"] for row in found] == [False, False, False, True, False]
    claims = graph.claims("article", "a worker that hangs")
    (held,) = claims.claim(1)
    assert held.key == "Leaf 3"
    assert owner.post(f"{queue}/release", json={"keys": ["Leaf 3", "Leaf 4"]}).json() == {"released": 1}
    with pytest.raises(ClaimLost):
        claims.complete(held)
    assert owner.get(f"{queue}/row", params={"key": "Leaf 3"}).json()["history"][0]["move"] == "release"
    for verb in ("exclude", "prioritise", "release", "requeue"):
        for odd in ({}, [], 7, None, " "):
            refused = owner.post(f"{queue}/{verb}", json={"keys": [odd]})
            assert (refused.status_code, refused.json()["error"]["type"]) == (400, "BadKey"), (verb, odd)


def test_a_row_has_its_history_across_a_restart_and_within_its_bound(place: Place) -> None:
    settings, serve = Settings(**QUICK), ServeSettings(port=0, history_rows=50)
    for turn in range(2):
        served = Served(place.path, settings, serve=serve)
        try:
            if turn == 0:
                served.graph.seed("article", ["Vine"])
                fail_for_good(served.graph, "Vine", "no water")
            with asking(served) as client:
                found = client.get("/pipelines/article/row", params={"key": "Vine"}).json()
                assert [one["state"] for one in found["history"]] == ["failed", "claimed", "discovered"]
                assert found["history"][0]["note"] == "no water" and found["history"][1]["worker"]
                assert found["row"]["standing"] == "at rest" and found["failures"][0]["message"] == "no water"
        finally:
            served.http_server.app_state.close()
            served.close()
    journal = Journal(served.graph, 50)
    for _ in range(30):
        journal._waiting += [(0, "article", 1, "seed", "discovered", None, None)] * 1_000
        journal.flush()
    assert len(journal.of("article", 1)) <= 200
    with sqlite3.connect(f"{place.path}.history") as database:
        assert database.execute("SELECT count(*) FROM event").fetchone()[0] < 20_100
    journal.close()


def test_numbers_that_a_browser_can_not_hold_are_texts(client: httpx.Client) -> None:
    found = client.post(
        "/cypher", json={"statement": "RETURN 9007199254740993 AS big, 7 AS small, 'a1234567890123456789' AS t"}
    )
    assert found.json()["data"]["values"] == [["9007199254740993", 7, "a1234567890123456789"]]


def test_metrics_and_overview_tell_ages_and_builds(served: Served, owner: httpx.Client) -> None:
    graph = served.graph
    graph.seed("article", ["Vine", "Ivy"])
    claims = graph.claims("article", "a gardener")
    claims.complete(claims.claim(1)[0])
    text = owner.get("/metrics").text
    assert 'graphvine_build_info{engine="kuzu"' in text
    assert 'graphvine_claim_seconds_count{pipeline="article"} 1.0' in text
    assert 'graphvine_queue_oldest_ready_seconds{pipeline="article"}' in text
    found = {one["status"]["pipeline"]: one for one in owner.get("/overview").json()["pipelines"]}
    assert found["article"]["finished"] == 1 and found["article"]["status"]["ready"] == 1
    assert found["article"]["activity"] == "waiting for a worker" and found["hn_item"]["activity"] == "empty"
    assert found["article"]["oldest_ready_seconds"] >= 0
    samples = served.http_server.app_state.samples
    assert samples is not None
    for now in (100.0, 110.0):
        samples.tick(now)
    hour = owner.get("/samples").json()["hour"]
    assert len(hour["at"]) == 2 and hour["pipelines"]["article"]["ready"] == [1, 1]


def test_neither_direction_of_a_neighbourhood_crowds_out_the_other(served: Served, client: httpx.Client) -> None:
    graph = served.graph
    graph.seed("article", ["Hub", *(f"In {n}" for n in range(3))])
    claims = graph.claims("article", "a gardener")
    for claim in claims.claim(4):
        titles = [f"Out {n}" for n in range(20)] if claim.key == "Hub" else ["Hub"]
        claims.complete(claim, linking(graph, claim, titles))

    def around(limit: int) -> tuple[int, int]:
        found = client.get("/neighbourhood", params={"label": "Article", "key": "Hub", "limit": limit}).json()
        out = sum(edge["source"]["key"] == "Hub" for edge in found["edges"])
        return out, len(found["edges"]) - out

    assert around(100) == (20, 3)
    assert around(10) == (7, 3)
    assert around(4) == (2, 2)
    assert around(1) == (1, 0)


def test_the_grafana_dashboard_asks_for_metrics_that_exist(served: Served, owner: httpx.Client) -> None:
    served.graph.seed("article", ["Vine"])
    text = owner.get("/metrics").text
    there = set(re.findall(r"^# TYPE (\w+)", text, re.M))
    panels = json.loads((REPOSITORY / "docs" / "grafana-dashboard.json").read_text("utf-8"))["panels"]
    asked = {
        name for one in panels for target in one["targets"] for name in re.findall(r"graphvine_\w+", target["expr"])
    }
    missing = {name for name in asked if not {name, re.sub(r"_(bucket|count|sum|total)$", "", name)} & there}
    assert not missing
    made = {name for name in there if name.startswith("graphvine_") and not name.endswith("_created")}
    shown = {re.sub(r"_(bucket|count|sum)$", "", name) for name in asked}
    assert made <= shown, "every metric of ours is on it"


def test_a_whole_graph_comes_by_communities_and_as_columns(served: Served, client: httpx.Client) -> None:
    served.graph.seed("article", ["Hub", "Moss"])
    claims = served.graph.claims("article", "test")
    for claim in claims.claim(1):
        claims.complete(claim, linking(served.graph, claim, ["One", "Two"]))
    assert "Article" in client.get("/communities/kinds").json()
    found = client.get("/communities", params={"label": "Article"}).json()
    assert found["total"] == {"nodes": 4, "edges": 2, "communities": 2} and found["communities"][0]["name"] == "Hub"
    inside = client.get("/communities/0", params={"label": "Article"}).json()
    assert inside["size"] == 3 and inside["keys"][0] == "Hub" and len(inside["pairs"]) == 4
    served.graph.seed("article", ["Fern"])
    assert len(client.get("/drawing").json()["keys"]) == 4, "what was found is kept for a while"
    assert len(client.get("/drawing", params={"fresh": True}).json()["keys"]) == 5
    refused = client.get("/communities", params={"label": "Section"})
    assert refused.status_code == 404 and "joined among its own" in refused.json()["error"]["message"]
