"""Every route with every token: what writes is refused without one, and a smaller scope never does what a larger may."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

import graphvine
from graphvine.graph import Graph
from graphvine.settings import Settings
from graphvine.workers.serve import access
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.engine_routes import OPS
from graphvine.workers.serve.http_server import HttpServer
from graphvine.workers.serve.settings import ServeSettings
from tests.support.shared_graphs import TOKEN
from tests.support.stores import QUICK, Place
from tests.support.waiting import WAIT_LIMIT

# What reads, although it is no GET; and what is exchanged for a token.
READS = {("post", "/cypher"), ("post", "/mcp")}
LOGIN = ("post", "/login")
ADMIN = {("post", "/login/codes"), ("post", "/engine/execute")}


@pytest.fixture(scope="module")
def graph(template: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    place = template.copy_to(tmp_path_factory.mktemp("scopes") / "store")
    with graphvine.open(place.path, settings=Settings(**QUICK)) as opened:
        opened.seed("article", ["Vine"])
        yield opened


@pytest.fixture(scope="module")
def address(graph: Graph) -> Iterator[str]:
    settings = ServeSettings(port=0, refused_per_minute=1e6, requests_per_second=1e6)
    server = HttpServer(AppState(settings, TOKEN, "a test", where=graph.where))
    server.app_state.enter(graph)
    server.open()
    yield server.address
    server.close(wait=False)


@pytest.fixture(scope="module")
def tokens(graph: Graph) -> dict[str, str]:
    return {scope: access.create(graph.where, f"for {scope}", scope) for scope in ("read", "work", "admin")}  # type: ignore[arg-type]


def asking(address: str, token: str = "", **headers: str) -> httpx.Client:
    given = {**headers, **({"Authorization": f"Bearer {token}"} if token else {})}
    return httpx.Client(base_url=address, headers=given, timeout=WAIT_LIMIT, trust_env=False)


def routes(address: str) -> list[tuple[str, str]]:
    """All of them: those of the description, those of our own processes, and the tools for assistants."""
    with asking(address, TOKEN) as client:
        described: dict[str, Any] = client.get("/openapi.json").json()["paths"]
    found = [(method, path) for path, ways in described.items() for method in ways]
    assert len(found) > 60
    return [*found, ("post", "/mcp"), *(("post", f"/engine/{name}") for name in OPS)]


def writing(address: str) -> list[tuple[str, str]]:
    return [one for one in routes(address) if one[0] != "get" and one not in READS and one != LOGIN]


def sent(client: httpx.Client, method: str, path: str) -> int:
    """With a body that no route takes: who is let in gets another error."""
    path = path.replace("{", "").replace("}", "")
    with client.stream(method.upper(), path, content=b"?", headers={"Content-Type": "text/odd"}) as answer:
        return answer.status_code


def test_what_writes_needs_a_token_and_the_scope_work(address: str, graph: Graph, tokens: dict[str, str]) -> None:
    before = graph.status(), graph.query("MATCH (a) RETURN count(*)").rows
    with (
        asking(address) as nobody,
        asking(address, tokens["read"]) as reader,
        asking(address, tokens["work"]) as worker,
    ):
        for route in writing(address):
            assert sent(nobody, *route) == 401, route
            assert sent(reader, *route) == 403, route
            assert (sent(worker, *route) == 403) is (route in ADMIN), route
    assert (graph.status(), graph.query("MATCH (a) RETURN count(*)").rows) == before


def test_a_token_that_was_revoked_is_refused_everywhere(address: str, graph: Graph) -> None:
    token = access.create(graph.where, "gone", "admin")
    access.revoke(graph.where, "gone")
    with asking(address, token) as client:
        assert {sent(client, *route) for route in routes(address) if route != ("get", "/events")} == {401}


@pytest.mark.parametrize("headers", [{"X-Forwarded-For": "203.0.113.7"}, {"Forwarded": "for=203.0.113.7"}])
def test_through_a_proxy_every_route_needs_a_token(address: str, headers: dict[str, str]) -> None:
    is_open = {("get", "/healthz"), ("get", "/readyz"), LOGIN}
    with asking(address, **headers) as client:
        for route in routes(address):
            assert (sent(client, *route) == 401) is (route not in is_open), route


def test_cypher_writes_for_admins_alone(address: str, graph: Graph, tokens: dict[str, str]) -> None:
    body = {"statement": "CREATE (:Article {title: 'written'})", "accessMode": "WRITE"}
    for scope, status in (("", 403), ("read", 403), ("work", 403), ("admin", 202)):
        with asking(address, tokens.get(scope, "")) as client:
            assert client.post("/cypher", json={**body, "accessMode": "READ"}).status_code == 403, scope
            assert client.post("/cypher", json=body).status_code == status, scope
    assert graph.query("MATCH (a:Article {title: 'written'}) RETURN count(*)").rows == [[1]]
