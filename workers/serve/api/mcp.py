"""The tools for assistants by HTTP: POST /mcp, the Model Context Protocol's streamable transport (extra `mcp`).

No sessions: each request is an exchange of its own, and nothing of it is kept when it is over. How many are open at a
time and how long one may last is bounded, so nobody can use up the memory by opening them.
"""

from __future__ import annotations

import asyncio
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

PATH = "/mcp"
_MAX_ROWS, _MAX_SECONDS = 200, 10.0
_PATIENCE_SECONDS = 5.0
_MOST_BYTES, _MOST_VALUES = 512 << 10, 20_000
# A call takes some seconds; a client that listens for changes, of which there are none, is asked to come again.
_EXCHANGE_SECONDS = 300.0


def route(app_state: AppState) -> Route:
    """A route for every method, so that those the transport does not have are refused as it says."""
    return Route(PATH, McpEndpoint(app_state), methods=None, include_in_schema=False)


class McpEndpoint:
    """An ASGI application."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._server: Server[Any] | None = None
        self._open, self._building = 0, asyncio.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        refusal = self._refusal(scope["method"])
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        self._open += 1
        try:
            async with asyncio.timeout(_EXCHANGE_SECONDS):
                body = await StarletteRequest(scope, receive).body()
                refusal = _too_much(body) or await self._prepared()
                if refusal is None:
                    await self._exchange(scope, _again(body, receive), send)
                else:
                    await refusal(scope, receive, send)
        except ClientDisconnect:
            return
        except TimeoutError:
            return  # whatever was being sent ends here, with the connection
        finally:
            self._open -= 1

    def _refusal(self, method: str) -> Response | None:
        if method != "POST":
            # There is no stream to open by GET and no session to end by DELETE; the protocol has this answer for both.
            return Json(as_error("Refused", "this answers to POST alone: it keeps no sessions"), 405, {"Allow": "POST"})
        if self._open >= self._app_state.settings.mcp_at_once:
            message = f"{self._open} requests of assistants are open already: try again in a moment"
            return Json(as_error("Busy", message), 503, {"Retry-After": "1"})
        return None

    async def _prepared(self) -> Response | None:
        """Have the server ready; an answer where a package is missing."""
        try:
            async with self._building:
                if self._server is None:
                    await asyncio.to_thread(_load)  # takes a second, in which everybody else is answered
                    self._server = build_server(self._app_state)
        except ModuleNotFoundError as error:
            advice = missing_part(error)
            if advice is None:
                raise
            return Json(as_error("NotInstalled", advice), 501)
        return None

    async def _exchange(self, scope: Any, receive: Any, send: Any) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings

        assert self._server is not None
        # Host and origin were checked by the middleware, which knows the names that the settings allow.
        checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        manager = StreamableHTTPSessionManager(
            self._server, stateless=True, security_settings=checked,
            max_request_body_size=self._app_state.settings.max_body_bytes,
        )  # fmt: skip
        async with manager.run():
            await manager.handle_request(scope, receive, send)


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
    import_module("mcp.server.streamable_http_manager")
    import_module("graphvine.workers.mcp.server")
    import_module("graphvine.workers.mcp.tools")


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
