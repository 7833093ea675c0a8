"""Puts a server that speaks on standard input and output behind an address: the suite knows no other way to one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import anyio
import uvicorn
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from tests.support.waiting import eventually
from tests.tools.package_tree import REPOSITORY


class StdioBridge:
    """An ASGI application; each session is a process of its own, and its messages pass unchanged."""

    def __init__(self, module: str) -> None:
        self._command = StdioServerParameters(command=sys.executable, args=["-m", module], cwd=REPOSITORY)
        self._sessions: dict[str, StreamableHTTPServerTransport] = {}
        self._tasks: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        given = dict(scope["headers"]).get(b"mcp-session-id", b"").decode()
        transport = self._sessions.get(given)
        if transport is None:
            transport = StreamableHTTPServerTransport(mcp_session_id=uuid4().hex)
            self._sessions[str(transport.mcp_session_id)] = transport
            await self._tasks.start(self._run, transport)
        await transport.handle_request(scope, receive, send)

    async def _live(self, receive: Any, send: Any) -> None:
        async with anyio.create_task_group() as self._tasks:
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            for transport in self._sessions.values():
                await transport.terminate()
            self._tasks.cancel_scope.cancel()
        await send({"type": "lifespan.shutdown.complete"})

    async def _run(
        self, transport: StreamableHTTPServerTransport, *, task_status: Any = anyio.TASK_STATUS_IGNORED
    ) -> None:  # fmt: skip
        asked: list[Any] = []
        async with transport.connect() as (from_client, to_client), stdio_client(self._command) as (answers, questions):

            async def forward() -> None:
                async for message in from_client:
                    assert isinstance(message, SessionMessage)
                    if hasattr(message.message, "method") and hasattr(message.message, "id"):
                        asked.append(message.message.id)
                    await questions.send(SessionMessage(message.message))

            async def back() -> None:
                async for message in answers:
                    assert isinstance(message, SessionMessage)
                    # What the server says on its own belongs to the call that runs: the suite makes one at a time.
                    metadata = ServerMessageMetadata(related_request_id=asked[-1]) if asked else None
                    await to_client.send(SessionMessage(message.message, metadata))

            async with anyio.create_task_group() as both:
                both.start_soon(forward)
                both.start_soon(back)
                task_status.started()


@contextmanager
def bridged(module: str) -> Iterator[str]:
    """The address at which the module answers, as a process per session."""
    config = uvicorn.Config(StdioBridge(module), host="127.0.0.1", port=0, log_level="warning", lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()

    def port() -> int:
        assert server.started
        return int(server.servers[0].sockets[0].getsockname()[1])

    try:
        yield f"http://127.0.0.1:{eventually(port)}/mcp"
    finally:
        server.should_exit = True
        thread.join()
