"""Who listens to what happens: each listener has a queue of its own, and one that is too slow loses the oldest."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from graphvine.errors import GraphvineError

if TYPE_CHECKING:
    from graphvine.workers.serve.app_state import AppState

_UNREAD = 500
_KEEP_ALIVE_SECONDS = 10.0
# Every statement would be too many to publish.
_QUIET = frozenset({"read", "write"})
# So often that the log would hold nothing else; only those who listen hear of them.
_FREQUENT = frozenset({"status", "batch", "upload", "scrape"})
_REMEMBERED = 500


class TooManyListeners(GraphvineError):
    """No more can listen."""


@dataclass(frozen=True, slots=True)
class Event:
    number: int
    name: str
    facts: dict[str, Any]


class Hub:
    def __init__(self) -> None:
        self._listeners: set[_Listener] = set()
        self._streams = 0  # of single jobs
        self._sinks: list[Callable[[Event], None]] = []
        self._lock = threading.Lock()
        self._number = 0
        self._closed = False
        self._recent: deque[Event] = deque(maxlen=_REMEMBERED)

    @property
    def listeners(self) -> int:
        return len(self._listeners)

    def publish_event(self, name: str, facts: Mapping[str, Any]) -> None:
        """Receives the events of the graph's store."""
        if name not in _QUIET and (name not in _FREQUENT or self._listeners or self._sinks):
            self.publish(name, **{key: _plain(value) for key, value in facts.items()})

    def publish(self, name: str, **facts: Any) -> None:
        with self._lock:
            self._number += 1
            event = Event(self._number, name, {"at": datetime.now(UTC).isoformat(), **facts})
            if name not in _FREQUENT:
                self._recent.append(event)
            for listener in self._listeners:
                listener.put(event)
            for sink in self._sinks:
                sink(event)

    def recent(self) -> list[Event]:
        """The last events, the newest first."""
        with self._lock:
            return list(self._recent)[::-1]

    def add_sink(self, sink: Callable[[Event], None]) -> None:
        """Give every event to this, too; it must not wait."""
        with self._lock:
            self._sinks.append(sink)

    def remove_sink(self, sink: Callable[[Event], None]) -> None:
        with self._lock:
            self._sinks = [one for one in self._sinks if one != sink]

    def tick(self, app_state: AppState) -> None:
        """Where everything stands, once a second, while somebody listens."""
        if self._listeners and app_state.ready:
            from graphvine.workers.serve.status_cache import status_of

            workers = app_state.supervisor.infos() if app_state.supervisor is not None else []
            self.publish(
                "status", pipelines=msgspec.to_builtins(status_of(app_state)), workers=msgspec.to_builtins(workers)
            )

    def refuse_more_than(self, most: int) -> None:
        if len(self._listeners) + self._streams >= most:
            raise TooManyListeners(f"{most} listen already: close one of them")

    @contextmanager
    def one_more(self, most: int) -> Iterator[None]:
        """Somebody listens to one job, which counts as listening."""
        with self._lock:
            self.refuse_more_than(most)
            self._streams += 1
        try:
            yield
        finally:
            with self._lock:
                self._streams -= 1

    async def subscribe(self, most: int) -> AsyncGenerator[Event | None, None]:
        """What happens from now on; None now and then, so that the line stays open."""
        listener = _Listener(asyncio.get_running_loop())
        with self._lock:
            self.refuse_more_than(most)
            self._listeners.add(listener)
        try:
            while not self._closed:
                yield await listener.get(_KEEP_ALIVE_SECONDS)
        finally:
            with self._lock:
                self._listeners.discard(listener)

    def close(self) -> None:
        self._closed = True
        self.publish("closing")


class _Listener:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._ready = loop, asyncio.Event()
        self._unread: deque[Event] = deque(maxlen=_UNREAD)

    def put(self, event: Event) -> None:
        self._unread.append(event)
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ready.set)

    async def get(self, seconds: float) -> Event | None:
        if not self._unread:
            self._ready.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._ready.wait()
            except TimeoutError:
                return None
        return self._unread.popleft() if self._unread else None


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
