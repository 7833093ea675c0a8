"""The tools for assistants at /mcp: the SDK's own client, requests without a session, and sessions."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import ResourceTemplateReference

from graphvine.workers.serve.access import needed_scope
from tests.serve.conftest import AUTHORISED, Serve
from tests.support.shared_graphs import TOKEN, Served
from tests.support.waiting import WAIT_LIMIT, eventually

ACCEPTED = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


def talk(served: Served, talking: Callable[[Client], Awaitable[Any]], token: str | None = None) -> Any:
    async def run() -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        address = f"{served.address}/mcp"
        async with (
            httpx2.AsyncClient(headers=headers, timeout=WAIT_LIMIT, trust_env=False) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            return await talking(client)

    return asyncio.run(asyncio.wait_for(run(), WAIT_LIMIT))


async def ask(client: Client, tool: str, **asked: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, asked)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return dict(answer.structured_content)


def messages(answer: httpx.Response) -> list[dict[str, Any]]:
    """The messages of an answer, which the server may send as a stream of events."""
    if answer.headers["content-type"].startswith("application/json"):
        return [answer.json()]
    lines = [line.removeprefix("data:") for line in answer.text.splitlines() if line.startswith("data:")]
    return [json.loads(line) for line in lines if line.strip()]


def test_every_tool_answers(full_house: Served) -> None:
    async def talking(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"search", "cypher", "tables", "status", "neighbourhood", "thread"}
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        found = await ask(client, "search", words="climbs", kind=["hn"], mode="text")
        assert found["found"][0]["citation"]["address"] == "https://news.ycombinator.com/item?id=2"
        rows = await ask(client, "cypher", statement="MATCH (a:Article) RETURN count(*)")
        assert rows["rows"] == [[4]]
        status = await ask(client, "status")
        article = next(one for one in status["pipelines"] if one["pipeline"] == "article")
        assert article["states"]["failed"] == 1 and article["ready"] == 3
        assert "Article" in {one["name"] for one in (await ask(client, "tables"))["tables"]}
        assert (await ask(client, "neighbourhood", label="Article", key="AC/DC"))["node"]["name"] == "AC/DC"
        assert [item["id"] for item in (await ask(client, "thread", id=1))["items"]] == [1, 2, 3]

    talk(full_house, talking)


def test_resources_are_listed_and_read(full_house: Served) -> None:
    async def talking(client: Client) -> None:
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        assert listed == {"graphvine://status", "graphvine://tables"}
        templates = {one.uri_template for one in (await client.list_resource_templates()).resource_templates}
        assert templates == {
            "graphvine://machines/{pipeline}", "graphvine://articles/{title}", "graphvine://nodes/{label}/{key}",
        }  # fmt: skip

        async def read(address: str) -> str:
            return str((await client.read_resource(address)).contents[0].text)

        assert json.loads(await read("graphvine://status"))["pipelines"]
        machine = json.loads(await read("graphvine://machines/article"))
        assert "discovered" in [state["name"] for state in machine["states"]]
        assert (await read("graphvine://articles/AC%2FDC")).startswith("# AC/DC")
        assert json.loads(await read("graphvine://nodes/HNItem/1"))["node"]["key"] == "1"
        for nothing in ("graphvine://articles/Nobody", "graphvine://machines/nothing", "graphvine://nodes/Nothing/x"):
            with pytest.raises(MCPError, match="there is no"):
                await read(nothing)
        with pytest.raises(MCPError):
            await read("file:///etc/passwd")
        template = ResourceTemplateReference(uri="graphvine://machines/{pipeline}", type="ref/resource")
        found = await client.complete(template, {"name": "pipeline", "value": "ar"})
        assert found.completion.values == ["article"]

    talk(full_house, talking)


def test_what_can_not_be_done_is_said_in_a_sentence(full_house: Served) -> None:
    async def talking(client: Client) -> None:
        for statement in ("CREATE (:Article {title: 'x'})", "MATCH (a:Article) SET a.title = 'x'",
                          "LOAD FROM '/etc/passwd' RETURN *"):  # fmt: skip
            refused = await client.call_tool("cypher", {"statement": statement})
            assert refused.is_error and "is not for reading" in refused.content[0].text

    talk(full_house, talking, TOKEN)  # not even with the token that may write elsewhere


def test_the_handshake_of_older_clients_needs_no_session(full_house: Served, visitor: httpx.Client) -> None:
    answer = visitor.post("/mcp", json=HELLO, headers=ACCEPTED)
    assert answer.status_code == 200
    told = messages(answer)[0]["result"]
    assert told["protocolVersion"] == "2025-11-25" and told["serverInfo"]["name"] == "graphvine"
    assert set(told["capabilities"]) >= {"tools", "resources", "completions"}
    known = {**ACCEPTED, "MCP-Protocol-Version": "2025-11-25"}
    done = visitor.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=known)
    assert done.status_code == 202
    pong = visitor.post("/mcp", json={"jsonrpc": "2.0", "id": 2, "method": "ping"}, headers=known)
    assert messages(pong) == [{"jsonrpc": "2.0", "id": 2, "result": {}}]


def test_what_the_protocol_does_not_have_is_refused(full_house: Served, visitor: httpx.Client) -> None:
    for method in ("GET", "DELETE"):
        refused = visitor.request(method, "/mcp", headers={**ACCEPTED, **AUTHORISED})
        assert refused.status_code == 405 and refused.headers["allow"] == "POST"
    assert visitor.post("/mcp", content=b"{", headers=ACCEPTED).status_code == 400
    assert visitor.post("/mcp", json=HELLO, headers={**ACCEPTED, "Accept": "text/html"}).status_code == 406
    wrong = visitor.post("/mcp", content=b"a=1", headers={**ACCEPTED, "Content-Type": "text/plain"})
    assert 400 <= wrong.status_code < 500
    known = {**ACCEPTED, "MCP-Protocol-Version": "2025-11-25"}
    unknown = visitor.post("/mcp", json={"jsonrpc": "2.0", "id": 3, "method": "nothing/here"}, headers=known)
    assert messages(unknown)[0]["error"]["code"] == -32601


def test_the_middleware_stands_in_front_of_it(serve: Serve) -> None:
    served = serve(max_body_bytes=20_000)
    with httpx.Client(base_url=served.address, timeout=WAIT_LIMIT, trust_env=False) as client:
        for headers, status in (
            ({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403),
            ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Authorization": "Bearer wrong"}, 401),
            ({"X-Forwarded-For": "10.0.0.1"}, 401), ({}, 200), (AUTHORISED, 200),
        ):  # fmt: skip
            assert client.post("/mcp", json=HELLO, headers={**ACCEPTED, **headers}).status_code == status, headers
        large = {**HELLO, "padding": "x" * 30_000}
        assert client.post("/mcp", json=large, headers=ACCEPTED).status_code == 413


KNOWN = {**ACCEPTED, "MCP-Protocol-Version": "2025-11-25"}
TABLES = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "tables", "arguments": {}}}


def test_a_token_that_reads_is_enough() -> None:
    assert needed_scope("POST", "/mcp") == "read"


def test_open_exchanges_are_bounded_and_leave_nothing(serve: Serve) -> None:
    """Whoever begins requests and does not end them holds so many places, and gives them back with the connection."""
    served = serve(mcp_at_once=3)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{served.http_server.port}\r\nContent-Length: 100\r\n"
        "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\r\n{"
    )
    held = [socket.create_connection(("127.0.0.1", served.http_server.port)) for _ in range(3)]
    with httpx.Client(base_url=served.address, timeout=WAIT_LIMIT, trust_env=False) as client:

        def hello() -> httpx.Response:
            return client.post("/mcp", json=HELLO, headers=ACCEPTED)

        assert hello().status_code == 200
        for one in held:
            one.sendall(head.encode())

        def full() -> None:
            answer = hello()
            assert answer.status_code == 503 and "try again" in answer.json()["error"]["message"]

        eventually(full)
        for one in held:
            one.close()

        def free() -> None:
            assert hello().status_code == 200

        eventually(free)
        before = threading.active_count()
        for _ in range(30):
            free()
        assert threading.active_count() <= before + 2


def test_without_the_sdk_it_says_what_to_install(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mcp", "mcp.server"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "graphvine.workers.mcp.server", raising=False)
    served = serve()
    with httpx.Client(base_url=served.address, timeout=WAIT_LIMIT, trust_env=False) as client:
        answer = client.post("/mcp", json=HELLO, headers=ACCEPTED)
        assert answer.status_code == 501
        assert "pip install 'graphvine[mcp]'" in answer.json()["error"]["message"]
        assert client.get("/status").status_code == 200


def test_it_leaves_the_logging_of_the_process_alone(serve: Serve) -> None:
    root = logging.getLogger()
    before = list(root.handlers)
    served = serve()
    httpx.post(f"{served.address}/mcp", json=HELLO, headers=ACCEPTED, timeout=WAIT_LIMIT, trust_env=False)
    assert list(root.handlers) == before
