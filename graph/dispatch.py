"""Runs a request: here, or in the daemon that holds the store. This is the one place that decides which.

A job that ended with its daemon is given to the next one: every job goes on where it was.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import ExitStack, closing
from queue import SimpleQueue
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, get_args, get_type_hints

import msgspec

from graphvine.errors import GraphvineError

if TYPE_CHECKING:
    from graphvine.engines.protocol import ServedEngine
    from graphvine.graph import Graph
    from graphvine.requests import Request

E = TypeVar("E")
R = TypeVar("R")
T = TypeVar("T")
_WAIT_SECONDS, _WAIT_FOR_STOP_SECONDS = 10.0, 0.5
_ENDED = object()


class JobFailed(GraphvineError):
    """A job failed in the daemon; the message is the daemon's."""


class Run(ExitStack, Generic[E]):
    """One run of a request: who gets its events, whether it should stop, and what it may keep open.

    `in_daemon` is set where workers of the same process may hold part of what was asked for.
    """

    def __init__(
        self, on_event: Callable[[str, E], None] | None = None, stop: threading.Event | None = None, *,
        in_daemon: bool = False, keep_open: Callable[[str, Callable[[], Any]], Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._on_event, self._keep_open, self.in_daemon = on_event, keep_open, in_daemon
        self.stop = stop or threading.Event()

    def __enter__(self) -> Self:
        return self

    def publish(self, event: E, name: str = "progress") -> None:
        """Publish an event to whoever watches."""
        if self._on_event is not None:
            self._on_event(name, event)

    def open(self, name: str, make: Callable[[], T]) -> T:
        """Something that is closed after this run; the daemon keeps it open for the next."""
        if self._keep_open is not None:
            kept: T = self._keep_open(name, make)
            return kept
        return self.enter_context(closing(make()))  # type: ignore[type-var]


def dispatch(
    graph: Graph, request: Request[R], *, on_event: Callable[[Any], None] | None = None,
    stop: threading.Event | None = None, part_of: Run[Any] | None = None,
) -> R:  # fmt: skip
    """Run a request and return its result; `on_event` gets its events, setting `stop` ends it cleanly.

    As part of a run that is under way, it uses what that keeps open.
    """
    daemon = _daemon(graph, request)
    if daemon is None and part_of is not None:
        return request.run(graph, part_of)
    if daemon is None:
        with Run[Any](None if on_event is None else lambda _, event: on_event(event), stop) as run:
            return request.run(graph, run)
    types = _types(request.work())
    if request.where == "job":
        kind = (get_args(types["run"]) or (Any,))[0]
        publish = None if on_event is None else lambda facts: on_event(msgspec.convert(facts, kind))
        found: R = msgspec.convert(_watch(daemon, _packed(request), publish, stop), types["return"])
        return found
    total: Any = None
    for part in request.parts():
        answer = msgspec.convert(daemon.ask("/engine/dispatch", _packed(part)), types["return"])
        total = answer if total is None else total + answer
        if on_event is not None:
            on_event(total)
    return total  # type: ignore[no-any-return]


def check(graph: Graph, request: Request[Any]) -> None:
    """Refuse what could not be sent, before anything is done for it."""
    if _daemon(graph, request) is not None:
        request.sent()


def iterate(graph: Graph, request: Request[Any], kind: type[T], stop: threading.Event | None = None) -> Iterator[T]:
    """The events of a request as they happen; leaving the iterator early stops the work cleanly."""
    stop, events, errors = stop or threading.Event(), SimpleQueue[Any](), list[BaseException]()

    def work() -> None:
        try:
            dispatch(graph, request, on_event=events.put, stop=stop)
        except BaseException as error:  # raised again where the events are read
            errors.append(error)
        finally:
            events.put(_ENDED)

    thread = threading.Thread(target=work, name=f"graphvine-{request.verb}")
    thread.start()
    try:
        while (event := events.get()) is not _ENDED:
            yield event
    finally:
        stop.set()
        thread.join()
    if errors:
        raise errors[0]


async def stream(
    graph: Graph, request: Request[Any], here: Callable[[], AsyncGenerator[T, None]],
    stop: threading.Event | None = None,
) -> AsyncGenerator[T, None]:  # fmt: skip
    """The same for `async for`: the events that `here` gives, or those of the job in the daemon."""
    if _daemon(graph, request) is None:
        events = here()
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()
        return
    import asyncio

    stop, loop, queue = stop or threading.Event(), asyncio.get_running_loop(), asyncio.Queue[Any]()

    def publish(event: T) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, event)

    running = asyncio.create_task(asyncio.to_thread(dispatch, graph, request, on_event=publish, stop=stop))
    running.add_done_callback(lambda _: queue.put_nowait(_ENDED))
    try:
        while (event := await queue.get()) is not _ENDED:
            yield event
    finally:
        stop.set()
        await running


def _daemon(graph: Graph, request: Request[Any]) -> ServedEngine | None:
    """Who runs this request: the daemon that holds the store, or None where it runs here."""
    return None if request.where == "here" else graph.store.served


def _types(work: Callable[..., Any]) -> dict[str, Any]:
    """What a run publishes and returns, by the annotations of the function that does the work."""
    named = {name: work.__annotations__.get(name, "object") for name in ("run", "return")}
    return get_type_hints(SimpleNamespace(__annotations__=named), work.__globals__)


def _packed(request: Request[Any]) -> dict[str, Any]:
    return {"verb": request.verb, "fields": request.sent()}


def _watch(
    daemon: ServedEngine, job: dict[str, Any], publish: Callable[[Any], None] | None, stop: threading.Event | None
) -> Any:
    """Give the daemon a job and watch it to its end."""
    from graphvine.engines.http.wire import DaemonError

    seconds = _WAIT_SECONDS if stop is None else _WAIT_FOR_STOP_SECONDS
    while True:
        id, number, stopping = daemon.ask("/engine/start_job", job), 0, False
        try:
            while True:
                if stop is not None and stop.is_set() and not stopping:
                    daemon.ask("/engine/stop_job", {"id": id})
                    stopping = True
                found = daemon.ask("/engine/watch_job", {"id": id, "after": number, "seconds": seconds})
                for event in found["events"]:
                    number = event["number"]
                    if publish is not None:
                        publish(event["facts"])
                if found["cut"]:
                    break
                if found["state"] != "running":
                    if found["error"] is not None:
                        raise JobFailed(found["error"])
                    return found["result"]
        except DaemonError as error:
            if error.kind != "UnknownJob":
                raise  # otherwise the daemon was restarted: give the job to the new one
