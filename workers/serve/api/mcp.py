"""The tools for assistants by HTTP: /mcp, the Model Context Protocol's streamable transport (extra `mcp`).

A client that says hello (`initialize`) gets a session while there is room for one; every other request is an exchange
of its own, of which nothing is kept. How many sessions, streams and exchanges there are and how long one may last is
bounded, so nobody can use up the memory by opening them.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect
from starlette.requests import Request as StarletteRequest
from starlette.responses import Response
from starlette.routing import Route

from graphvine.installation import missing_part
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.responses import Json, as_error

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from graphvine.workers.mcp.sessions import Exchanges, Sessions

PATH = "/mcp"
_MAX_ROWS, _MAX_SECONDS = 200, 10.0
_PATIENCE_SECONDS = 5.0
_MOST_BYTES, _MOST_VALUES = 512 << 10, 20_000
# A call takes some seconds; a client that listens for changes, of which there are none, is asked to come again.
_EXCHANGE_SECONDS = 300.0
_LOOK_SECONDS = 0.25


def route(app_state: AppState) -> Route:
    """A route for every method, so that those the transport does not have are refused as it says."""
    return Route(PATH, McpEndpoint(app_state), methods=None, include_in_schema=False)


class McpEndpoint:
    """An ASGI application."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._sessions: Sessions
        self._exchanges: Exchanges
        self._living: asyncio.Task[None] | None = None
        self._open = {"POST": 0, "GET": 0, "DELETE": 0}
        self._preparing = asyncio.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = StarletteRequest(scope, receive)
        refusal = self._refusal(request)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        self._open[request.method] += 1
        try:
            async with asyncio.timeout(_EXCHANGE_SECONDS):
                body = await request.body()
                refusal = _too_much(body) or await self._prepared()
                if refusal is not None:
                    await refusal(scope, receive, send)
                elif "mcp-session-id" in request.headers or (_is_hello(body) and self._sessions.have_room):
                    await self._sessions.handle_request(scope, _again(body, receive), send)
                else:
                    await self._exchanges.handle_request(scope, _again(body, receive), send)
        except ClientDisconnect:
            return
        except TimeoutError:
            return  # whatever was being sent ends here, with the connection
        finally:
            self._open[request.method] -= 1

    def _refusal(self, request: StarletteRequest) -> Response | None:
        settings, method = self._app_state.settings, request.method
        if method not in self._open:
            return Json(
                as_error("Refused", "this answers to POST, GET and DELETE"), 405, {"Allow": "POST, GET, DELETE"}
            )
        if method != "POST" and "mcp-session-id" not in request.headers:
            # A stream is opened, and a session ended, within one; the protocol has this answer where there is none.
            return Json(as_error("Refused", "without a session this answers to POST alone"), 405, {"Allow": "POST"})
        if self._app_state.stopping.is_set():
            return Json(as_error("NotReady", "the service is about to end: try again when it is back"), 503)
        if self._open[method] >= (settings.mcp_sessions if method == "GET" else settings.mcp_at_once):
            message = f"{self._open[method]} requests of assistants are open already: try again in a moment"
            return Json(as_error("Busy", message), 503, {"Retry-After": "1"})
        return None

    async def _prepared(self) -> Response | None:
        """Have the server ready; an answer where a package is missing."""
        try:
            async with self._preparing:
                if self._living is None:
                    await asyncio.to_thread(_load)  # takes a second, in which everybody else is answered
                    ready = asyncio.get_running_loop().create_future()
                    self._living = asyncio.create_task(self._live(build_server(self._app_state), ready))
                    await ready
        except ModuleNotFoundError as error:
            advice = missing_part(error)
            if advice is None:
                raise
            return Json(as_error("NotInstalled", advice), 501)
        return None

    async def _live(self, server: Server[Any], ready: asyncio.Future[None]) -> None:
        """Keep the sessions until the service ends; their streams end with them."""
        from graphvine.workers.mcp.sessions import Exchanges, Sessions

        settings = self._app_state.settings
        self._sessions = Sessions(server, settings.mcp_sessions, settings.mcp_session_seconds, settings.max_body_bytes)
        self._exchanges = Exchanges(server, settings.max_body_bytes)
        async with self._exchanges.run(), self._sessions.run():
            ready.set_result(None)
            while not self._app_state.stopping.is_set():
                await asyncio.sleep(_LOOK_SECONDS)


def _is_hello(body: bytes) -> bool:
    """Whether a message asks for a session."""
    try:
        return b"initialize" in body and json.loads(body).get("method") == "initialize"
    except (ValueError, AttributeError, RecursionError):
        return False  # the transport says what is wrong with it


def _too_much(body: bytes) -> Response | None:
    """The SDK reads a body in the event loop: megabytes of empty lists would keep everybody waiting for seconds."""
    if len(body) > _MOST_BYTES or sum(map(body.count, (b",", b"[", b"{"))) > _MOST_VALUES:
        message = f"a message has {_MOST_BYTES:,} bytes and {_MOST_VALUES:,} values at most: send less at once"
        return Json(as_error("TooMuch", message), 413)
    return None


def _again(body: bytes, receive: Any) -> Any:
    """Hands out a body that was read, and then what else comes."""
    waiting: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Any:
        return waiting.pop() if waiting else await receive()

    return received


def _load() -> None:
    import_module("graphvine.workers.mcp.server")
    import_module("graphvine.workers.mcp.sessions")


def build_server(app_state: AppState) -> Server[Any]:
    """The server behind the endpoint; the protocol's conformance suite puts another one there."""
    import logging

    from graphvine.workers.mcp.server import build
    from graphvine.workers.mcp.tools import Tools

    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    settings = app_state.settings
    tools = Tools(
        lambda: nullcontext(app_state.graph), max_rows=min(_MAX_ROWS, settings.cypher_max_rows),
        seconds=min(_MAX_SECONDS, settings.cypher_seconds), run_search=app_state.run,
    )  # fmt: skip
    server = build(tools, at_once=settings.cypher_at_once, patience_seconds=_PATIENCE_SECONDS)
    # The SDK sets up logging for a process of its own, and tells of every request.
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("mcp").setLevel(logging.WARNING)
    server.streamable_http_app(stateless_http=True)  # what it is made of is reached by this way alone
    return server.session_manager.app
