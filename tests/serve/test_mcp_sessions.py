"""Sessions at /mcp: how they begin and end, streams that are taken up again, and their bounds."""

from __future__ import annotations

import asyncio

import httpx
from mcp.server.streamable_http import EventMessage
from mcp.types import JSONRPCNotification

from graphvine.workers.mcp.sessions import RecentEvents
from tests.serve.conftest import Serve
from tests.serve.test_mcp_http import ACCEPTED, HELLO, KNOWN, TABLES, messages
from tests.support.shared_graphs import Served
from tests.support.waiting import WAIT_LIMIT, eventually


def hello(client: httpx.Client) -> dict[str, str]:
    """The headers of a new session."""
    answer = client.post("/mcp", json=HELLO, headers=ACCEPTED)
    assert answer.status_code == 200
    session = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert client.post("/mcp", json=done, headers={**KNOWN, **session}).status_code == 202
    return session


def events(answer: httpx.Response) -> list[dict[str, str]]:
    """The events of a stream that has ended, each with its fields."""
    parts = answer.text.replace("\r\n", "\n").strip().split("\n\n")
    return [dict(line.partition(": ")[::2] for line in part.splitlines()) for part in parts]


def test_a_session_begins_with_hello_and_ends_with_delete(full_house: Served, visitor: httpx.Client) -> None:
    mine, other = hello(visitor), hello(visitor)
    assert mine != other
    answer = visitor.post("/mcp", json=TABLES, headers={**KNOWN, **mine})
    assert answer.headers["mcp-session-id"] == mine["Mcp-Session-Id"]
    assert not messages(answer)[0]["result"]["isError"]
    assert visitor.delete("/mcp", headers={**KNOWN, **mine}).status_code == 200
    for method, body in (("POST", TABLES), ("GET", None), ("DELETE", None)):
        assert visitor.request(method, "/mcp", json=body, headers={**KNOWN, **mine}).status_code == 404, method
    assert messages(visitor.post("/mcp", json=TABLES, headers={**KNOWN, **other}))[0]["id"] == 7
    assert visitor.delete("/mcp", headers={**KNOWN, **other}).status_code == 200


def test_a_stream_that_was_cut_is_taken_up_again_in_its_session_alone(
    full_house: Served, visitor: httpx.Client
) -> None:
    mine, other = hello(visitor), hello(visitor)
    first, answer = events(visitor.post("/mcp", json=TABLES, headers={**KNOWN, **mine}))
    assert first["data"] == "" and first["retry"], "it says from where, and when, to go on"
    from_there = {**KNOWN, "Last-Event-ID": first["id"]}
    with visitor.stream("GET", "/mcp", headers={**from_there, **mine}) as stream:
        again = next(line for line in stream.iter_lines() if line.startswith("data: {"))
    assert again == f"data: {answer['data']}"
    assert visitor.get("/mcp", headers={**from_there, **other}).text == ""
    for session in (mine, other):
        visitor.delete("/mcp", headers={**KNOWN, **session})


def test_what_is_kept_of_a_session_is_bounded() -> None:
    async def kept(count: int, size: int) -> list[str | None]:
        store, found = RecentEvents(), list[str | None]()

        async def note(event: EventMessage) -> None:
            found.append(event.event_id)

        first = await store.store_event("1", None)
        for _ in range(count):
            await store.store_event("1", JSONRPCNotification(jsonrpc="2.0", method="x" * size))
        for id in range(int(first), count + 2):
            if await store.replay_events_after(str(id), note):
                return found
        return found

    assert asyncio.run(kept(10, 10)) == [str(number) for number in range(2, 12)]
    assert len(asyncio.run(kept(1_000, 10))) == 63
    assert len(asyncio.run(kept(20, 100_000))) == 4
    assert asyncio.run(kept(1, 1_000_000)) == []


def test_sessions_are_bounded_and_whoever_comes_late_is_answered_without_one(serve: Serve) -> None:
    served = serve(mcp_sessions=1)
    with httpx.Client(base_url=served.address, timeout=WAIT_LIMIT, trust_env=False) as client:
        mine = {**KNOWN, **hello(client)}
        with client.stream("GET", "/mcp", headers=mine) as stream:
            assert stream.status_code == 200
            late = client.post("/mcp", json=HELLO, headers=ACCEPTED)
            assert late.status_code == 200 and "mcp-session-id" not in late.headers
            assert not messages(client.post("/mcp", json=TABLES, headers=KNOWN))[0]["result"]["isError"]
            assert client.get("/mcp", headers=mine).status_code == 503, "it has a stream"
        assert client.delete("/mcp", headers=mine).status_code == 200
        hello(client)


def test_a_session_in_which_nothing_is_asked_ends(serve: Serve) -> None:
    served = serve(mcp_sessions=1, mcp_session_seconds=0.01)
    with httpx.Client(base_url=served.address, timeout=WAIT_LIMIT, trust_env=False) as client:

        def begun() -> str:
            answer = client.post("/mcp", json=HELLO, headers=ACCEPTED)
            assert "mcp-session-id" in answer.headers
            return answer.headers["mcp-session-id"]

        first = begun()
        assert eventually(begun) != first
        assert client.post("/mcp", json=TABLES, headers={**KNOWN, "Mcp-Session-Id": first}).status_code == 404


def test_streams_end_with_the_service(serve: Serve) -> None:
    served = serve()
    with (
        httpx.Client(base_url=served.address, timeout=WAIT_LIMIT, trust_env=False) as client,
        client.stream("GET", "/mcp", headers={**KNOWN, **hello(client)}) as stream,
    ):
        served.http_server.close(wait=False)
        assert list(stream.iter_lines()) == []
