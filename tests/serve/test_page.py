"""The dashboard's files: what is served, under which policy, and what may not stand in them."""

from __future__ import annotations

import re

import httpx
import pytest

from graphvine.settings import Settings
from graphvine.workers.serve.api.page import POLICY, load
from graphvine.workers.serve.settings import ServeSettings
from tests.serve.conftest import asking
from tests.support.articles import linking
from tests.support.shared_graphs import Served
from tests.support.stores import QUICK, Place

SCRIPTS = {name: part.body.decode() for name, part in load().items() if name.endswith(".js")}
# Ways by which a text could become markup or code.
SINKS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc"
    r"|\beval\(|new Function|setAttribute\(\"(style|on)|javascript:"
)


def test_the_page_and_its_parts_are_served_under_a_strict_policy(visitor: httpx.Client) -> None:
    page = visitor.get("/")
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    asked = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text))
    asked |= {f"/static/{name}" for text in SCRIPTS.values() for name in re.findall(r'from "\./([^"]+)"', text)}
    assert asked == {f"/static/{name}" for name in load() if name != "index.html"}, "none is missing, none is idle"
    for address in (*asked, "/", "/favicon.ico"):
        answer = visitor.get(address)
        assert answer.status_code == 200, address
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        again = visitor.get(address, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304 and again.content == b""
    assert "unsafe" not in POLICY and "default-src 'none'" in POLICY and "*" not in POLICY


@pytest.mark.parametrize(
    "path", ["/static/", "/static/no.js", "/static/../app.py", "/static/%2e%2e%2fapp.py", "/static/..%2f..%2fserve%2fapp.py",
             "/static/%2fetc%2fpasswd", "/static/page.py", "/static/index.html%00.js"],
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
            assert stranger.get("/").status_code == stranger.get("/static/main.js").status_code == 200
            for path in ("/status", "/events", "/machines", "/neighbourhood?label=Article&key=x"):
                assert stranger.get(path).status_code == 401
    finally:
        served.close()


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_scripts_put_nothing_in_as_markup_and_ask_nobody_else(name: str) -> None:
    text = SCRIPTS[name]
    assert not SINKS.search(text), SINKS.search(text)
    elsewhere = set(re.findall(r"https?://[^\s\"'`)]+", text)) - {"http://www.w3.org/2000/svg"}
    assert not elsewhere
    assert len(text.splitlines()) <= 150 and max(map(len, text.splitlines())) <= 140


def test_the_page_holds_no_script_and_no_style_of_its_own() -> None:
    page = load()["index.html"].body.decode()
    assert re.findall(r"<script[^>]*>", page) == ['<script type="module" src="/static/main.js">']
    assert not re.search(r"\s(style|on[a-z]+)=|<style", page)
    assert not re.search(r"https?://", page + load()["style.css"].body.decode())


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
