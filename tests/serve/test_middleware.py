"""What an attacker tries at the front store, each refused: other sites' pages, guessed tokens, bodies without end."""

from __future__ import annotations

import json
import socket
from typing import Any

import httpx
import pytest

from graphvine.settings import Settings
from graphvine.workers.serve.settings import ServeSettings
from tests.serve.conftest import AUTHORISED, asking
from tests.support.shared_graphs import TOKEN, Served
from tests.support.stores import QUICK, Place
from tests.support.waiting import WAIT_LIMIT


def port_of(served: Served) -> int:
    return served.http_server.port


def raw(served: Served, text: str, *, wait: bool = True) -> bytes:
    """Send these bytes and read until the other side closes, or has said enough."""
    with socket.create_connection(("127.0.0.1", port_of(served)), timeout=WAIT_LIMIT) as line:
        line.sendall(text.encode())
        return line.recv(65536) if wait else b""


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "127.0.0.1:x", "", "localhost.evil:{port}",
     "127.0.0.1:{port}@evil.example", "[::2]:{port}"],
)  # fmt: skip
def test_a_name_that_was_bent_to_this_machine_gets_nothing(served: Served, client: httpx.Client, host: str) -> None:
    """DNS rebinding: a page's own name suddenly points here, and the browser thinks that we are that page's site."""
    given = {"Host": host.format(port=port_of(served))}
    for path in ("/status", "/", "/healthz", "/openapi.json"):
        answer = client.get(path, headers=given)
        assert answer.status_code == 421, path
        assert "pipelines" not in answer.text
    assert client.post("/cypher", json={"statement": "RETURN 1"}, headers=given).status_code == 421


def test_a_refused_name_is_told_with_the_setting_that_allows_it(client: httpx.Client) -> None:
    told = client.get("/status", headers={"Host": "vines.example:9000"}).json()["error"]["message"]
    assert "'vines.example'" in told and "serve.allowed_hosts" in told


def test_through_a_tunnel_or_a_mapped_port_everything_needs_the_token(
    client: httpx.Client, owner: httpx.Client
) -> None:
    tunnel = {"Host": "localhost:9000"}
    assert client.get("/healthz", headers=tunnel).status_code == 200
    assert client.get("/status", headers=tunnel).status_code == 401
    assert owner.get("/status", headers=tunnel).status_code == 200
    page = {**tunnel, "Origin": "http://localhost:9000"}
    assert owner.post("/seeds", json={"titles": ["Vine"]}, headers=page).json() == {"new": 1, "known": 0}
    other = {**tunnel, "Origin": "http://localhost:9001"}
    assert owner.post("/seeds", json={"titles": ["Ivy"]}, headers=other).status_code == 403


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_our_own_names_are_answered(served: Served, client: httpx.Client, name: str) -> None:
    assert client.get("/status", headers={"Host": f"{name}:{port_of(served)}"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost.evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
        {"Origin": ""},
    ],
)  # fmt: skip
def test_pages_of_other_sites_can_not_act_through_a_browser(
    served: Served, owner: httpx.Client, headers: dict[str, str]
) -> None:
    """CSRF, and reading across sites too; not even with the token."""
    assert owner.post("/seeds", json={"titles": ["forged"]}, headers=headers).status_code == 403
    assert owner.get("/status", headers=headers).status_code == 403
    assert served.graph.status()[0].total == 0


def test_no_answer_invites_other_sites(owner: httpx.Client) -> None:
    answer = owner.options("/seeds", headers={"Access-Control-Request-Method": "POST"})
    assert not [name for name in answer.headers if name.startswith("access-control")]
    headers = owner.get("/status").headers
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["content-security-policy"].startswith("default-src 'none'")
    drawing = owner.get("/map?around=Nothing")
    assert drawing.headers["content-security-policy"].startswith("default-src 'none'"), "a drawing runs no script"
    assert "script-src 'self'" in owner.get("/ui/").headers["content-security-policy"], "the page's own is kept"


def test_our_own_page_may_act(served: Served, owner: httpx.Client) -> None:
    same = {"Origin": served.address, "Sec-Fetch-Site": "same-origin"}
    assert owner.post("/seeds", json={"titles": ["a"]}, headers=same).json() == {"new": 1, "known": 0}


WRITES = [
    ("POST", "/seeds", {"titles": ["a"]}),
    ("POST", "/pipelines/article/pause", {"reason": "x"}),
    ("POST", "/pipelines/article/resume", None),
    ("POST", "/pipelines/article/requeue", {"everything": True}),
    ("POST", "/pipelines/article/exclude", {"keys": ["a"]}),
    ("POST", "/hn/items", {"id": 1}),
    ("POST", "/hn/items/1/mark-failed", {"reason": "x"}),
    ("POST", "/scrape/batches", {"urls": ["http://example.org/"]}),
    ("POST", "/grow", {"titles": ["a"]}),
    ("POST", "/reindex", None),
    ("DELETE", "/jobs/1", None),
    ("POST", "/engine/read", None),
    ("POST", "/engine/unit", None),
    ("POST", "/no/such/route", None),
]


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
@pytest.mark.parametrize(
    "headers",
    [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}, {"Authorization": f"Bearer {TOKEN}x"},
     {"Cookie": f"token={TOKEN}"}, {"X-Token": TOKEN}],
)  # fmt: skip
def test_nothing_is_written_without_the_token(
    full_house: Served, visitor: httpx.Client, method: str, path: str, body: Any, headers: dict[str, str]
) -> None:
    before = full_house.graph.status()
    for given in (path, f"{path}?token={TOKEN}"):
        answer = visitor.request(method, given, json=body, headers=headers)
        assert answer.status_code in (401, 429), answer.text
        assert TOKEN not in answer.text
    assert full_house.graph.status() == before


def test_every_route_that_is_not_for_reading_is_in_no_list_of_exceptions(visitor: httpx.Client) -> None:
    """A route that somebody adds is guarded without being named anywhere. A login has a code in place of the token."""
    described = visitor.get("/openapi.json").json()["paths"]
    writing = [
        (method, path)
        for path, ways in described.items()
        for method in ways
        if method not in ("get", "head", "options")
    ]
    assert len(writing) > 12
    for method, path in writing:
        answer = visitor.request(method.upper(), path.replace("{", "").replace("}", ""), json={})
        assert answer.status_code == (422 if path in ("/cypher", "/login") else 401), (method, path, answer.text)


def test_a_second_header_does_not_hide_the_first(served: Served) -> None:
    for doubled in (f"Host: 127.0.0.1:{port_of(served)}", f"Authorization: Bearer {TOKEN}"):
        said = raw(
            served, f"GET /status HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer x\r\n{doubled}\r\n\r\n"
        )
        assert said.startswith((b"HTTP/1.1 400", b"HTTP/1.1 421")), said[:80]


def test_guessing_tokens_is_slowed_down(place: Place) -> None:
    served = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0, refused_per_minute=5))
    try:
        with asking(served) as client:
            wrong = [{"Authorization": f"Bearer {n}"} for n in range(20)]
            guesses = [client.get("/status", headers=headers).status_code for headers in wrong]
        assert guesses[:5] == [401] * 5 and guesses[-1] == 429
    finally:
        served.close()


def test_asking_too_often_is_slowed_down(place: Place) -> None:
    served = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0, requests_per_second=0.001))
    try:
        with asking(served) as client:
            assert client.get("/healthz").status_code == 200
            answer = client.get("/healthz")
            assert answer.status_code == 429 and "retry-after" in answer.headers
            assert client.get("/healthz", headers=AUTHORISED).status_code == 200, "the owner is not slowed down"
    finally:
        served.close()


def test_beyond_loopback_everything_needs_the_token(place: Place) -> None:
    served = Served(place.path, Settings(**QUICK), serve=ServeSettings(host="0.0.0.0", port=0))
    try:
        with asking(served) as client:
            for path in ("/status", "/metrics", "/events", "/openapi.json", "/pipelines/article/failed", "/search?q=a"):
                assert client.get(path).status_code == 401, path
            assert client.post("/cypher", json={"statement": "RETURN 1"}).status_code == 401
            assert client.get("/healthz").status_code == 200
            assert client.get("/status", headers=AUTHORISED).status_code == 200
    finally:
        served.close()


def test_a_fault_tells_nothing_of_its_inside(
    served: Served, owner: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ZeroDivisionError(f"secret {TOKEN}")

    monkeypatch.setattr(served.graph, "tables", broken)
    answer = owner.get("/tables")
    assert answer.status_code == 500
    assert "secret" not in answer.text and TOKEN not in answer.text and "Zero" not in answer.text


def test_half_characters_and_huge_numbers_are_refused_in_words(owner: httpx.Client) -> None:
    for body in ('{"titles": ["\\ud800"]}', '{"titles": ["a", ' + "1" * 5_000 + "]}", '{"titles": [NaN]}', "[" * 5_000):
        answer = owner.post("/seeds", content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), answer.text
        json.loads(answer.text)
