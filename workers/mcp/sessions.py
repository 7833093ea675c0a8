"""Sessions of assistants by HTTP: bounded in number, in idle time, and in what is kept to be sent again."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import JSONRPCMessage

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

# After a stream was cut, a client asks for the rest of it after this long.
_RETRY_MS = 500
_MOST_EVENTS, _MOST_CHARACTERS = 64, 512 << 10
# Host and origin were checked by the middleware, which knows the names that the settings allow.
_CHECKED = TransportSecuritySettings(enable_dns_rebinding_protection=False)


class RecentEvents(EventStore):
    """The last messages of one session, for a client whose stream was cut."""

    def __init__(self) -> None:
        self._events: deque[tuple[int, str, JSONRPCMessage | None, int]] = deque()
        self._last, self._characters = 0, 0

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        size = len(message.model_dump_json()) if message is not None else 0
        self._last += 1
        self._events.append((self._last, stream_id, message, size))
        self._characters += size
        while len(self._events) > _MOST_EVENTS or self._characters > _MOST_CHARACTERS:
            self._characters -= self._events.popleft()[-1]
        return str(self._last)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        stream = next((of for number, of, _, _ in self._events if str(number) == last_event_id), None)
        if stream is None:
            return None
        for number, of, message, _ in list(self._events):
            if number > int(last_event_id) and of == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


class Sessions(StreamableHTTPSessionManager):
    """Every session keeps events of its own: sessions number their streams alike."""

    def __init__(self, server: Server[Any], most: int, idle_seconds: float, most_bytes: int) -> None:
        super().__init__(
            server, retry_interval=_RETRY_MS, session_idle_timeout=idle_seconds, security_settings=_CHECKED,
            max_request_body_size=most_bytes, max_sessions=max(most, 1),
        )  # fmt: skip
        self._most = most

    @property
    def have_room(self) -> bool:
        """Whether one more can be opened; beyond that, clients are answered without sessions."""
        return len(self._server_instances) < self._most

    @property
    def event_store(self) -> EventStore:
        return RecentEvents()

    @event_store.setter
    def event_store(self, _: EventStore | None) -> None:
        """There is no one store for all."""


class Exchanges(StreamableHTTPSessionManager):
    """Requests that belong to no session."""

    def __init__(self, server: Server[Any], most_bytes: int) -> None:
        super().__init__(server, stateless=True, security_settings=_CHECKED, max_request_body_size=most_bytes)
