"""Webhooks: what the event stream tells, sent to addresses of the settings as signed POST requests.

One thread sends for all; each address has a queue of its own, so that a slow one keeps no other waiting. Everything is
bounded: events that wait (the oldest go), attempts, their time, what is read of an answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import os
import random
import threading
import time
import uuid
from collections import deque
from typing import TYPE_CHECKING

import msgspec

import graphvine
from graphvine.errors import SettingsError
from graphvine.redact import without_secrets
from graphvine.workers.serve.events import Event, Hub
from graphvine.workers.serve.settings import ServeSettings

if TYPE_CHECKING:
    import httpx

_log = logging.getLogger("graphvine.serve")
_MOST_WAITING, _MOST_ADDRESSES, _MOST_BYTES = 1_000, 20, 1_000_000
_ATTEMPTS, _SECONDS, _LONGEST_PAUSE = 5, 10.0, 60.0
_END_SECONDS = 2.0
# Once a second, while somebody looks: too many to send.
_LEFT_OUT = frozenset({"status"})
# The other side may be well again later; any other refusal holds for this event.
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


class Webhooks:
    def __init__(self, settings: ServeSettings, hub: Hub, *, pause_seconds: float = 1.0) -> None:
        from graphvine.workers.common.fetching.addresses import AllowedHosts

        self._secret = secret_of(settings)
        self._queues = [_Queue(address) for address in _addresses(settings)]
        self._wanted, self._hub, self._pause = frozenset(settings.webhook_events), hub, pause_seconds
        self._allowed = AllowedHosts(settings.webhook_private_hosts)
        self._loop = asyncio.new_event_loop()
        self._ending = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="graphvine-webhooks", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._hub.add_sink(self.put)

    def close(self) -> None:
        """Send what waits, for a moment; the rest is given up."""
        self._hub.remove_sink(self.put)
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end)
            self._thread.join(_END_SECONDS + 1.0)

    def put(self, event: Event) -> None:
        """Called by the thread in which something happened: it never waits."""
        if event.name in _LEFT_OUT or (self._wanted and event.name not in self._wanted) or self._loop.is_closed():
            return
        body = msgspec.json.encode({"id": event.number, "event": event.name, "data": event.facts}, enc_hook=str)
        if len(body) <= _MOST_BYTES:
            self._loop.call_soon_threadsafe(self._put, _Event(event.name, body, str(uuid.uuid4())))

    def _put(self, event: _Event) -> None:
        for queue in self._queues:
            queue.put(event)

    def _end(self) -> None:
        self._ending.set()
        for queue in self._queues:
            queue.wake.set()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        import httpx

        from graphvine.workers.common.fetching.network import CheckedTransport

        transport = CheckedTransport(self._allowed, connections=len(self._queues))
        async with httpx.AsyncClient(
            transport=transport, timeout=_SECONDS, follow_redirects=False, trust_env=False
        ) as client:
            sending = [asyncio.ensure_future(self._send_all(client, queue)) for queue in self._queues]
            await self._ending.wait()
            _, late = await asyncio.wait(sending, timeout=_END_SECONDS)
            for one in late:
                one.cancel()
            await asyncio.gather(*sending, return_exceptions=True)

    async def _send_all(self, client: httpx.AsyncClient, queue: _Queue) -> None:
        while queue.waiting or not self._ending.is_set():
            if not queue.waiting:
                queue.wake.clear()
                await queue.wake.wait()
                continue
            event = queue.waiting.popleft()
            try:
                problem = await self._send(client, queue.address, event)
            except Exception as error:  # a fault of ours must not end the others
                problem = f"{type(error).__name__}: {error}"
            if problem:
                _log.warning("the webhook %s did not get an event %r: %s", queue.shown, event.name, problem)

    async def _send(self, client: httpx.AsyncClient, address: str, event: _Event) -> str:
        """Send one event, in a few attempts; returns why it was given up, '' when it arrived."""
        problem = ""
        for attempt in range(_ATTEMPTS):
            if attempt:
                if self._ending.is_set():
                    break
                pause = min(self._pause * 2.0 ** (attempt - 1), _LONGEST_PAUSE)
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            problem, again = await self._try(client, address, event)
            if not problem or not again:
                break
        return problem

    async def _try(self, client: httpx.AsyncClient, address: str, event: _Event) -> tuple[str, bool]:
        """One attempt: what went wrong, and whether another could help."""
        import httpx

        from graphvine.workers.common.fetching.network import NameUnknown, PrivateAddress

        at = str(int(time.time()))
        headers = {
            "Content-Type": "application/json", "User-Agent": f"graphvine/{graphvine.__version__}",
            "X-Graphvine-Event": event.name, "X-Graphvine-Delivery": event.delivery, "X-Graphvine-Timestamp": at,
            "X-Graphvine-Signature": signature(self._secret, at, event.body),
        }  # fmt: skip
        try:
            async with (
                asyncio.timeout(_SECONDS),
                client.stream("POST", address, content=event.body, headers=headers) as answer,
            ):  # its body is not read
                status = answer.status_code
        except PrivateAddress as error:
            return f"{error}: allow it with serve.webhook_private_hosts if it is meant", False
        except (TimeoutError, httpx.HTTPError, NameUnknown, OSError) as error:
            return f"{type(error).__name__}: {error}"[:300], True
        return ("", False) if 200 <= status < 300 else (f"it answered {status}", status in _PASSING)


class _Event(msgspec.Struct, frozen=True):
    name: str
    body: bytes
    delivery: str


class _Queue:
    """What waits for one address; touched by the loop's thread alone."""

    def __init__(self, address: str) -> None:
        self.address, self.shown = address, without_secrets(address).partition("?")[0]
        self.waiting: deque[_Event] = deque()
        self.wake = asyncio.Event()
        self._dropped = 0

    def put(self, event: _Event) -> None:
        self.waiting.append(event)
        if len(self.waiting) > _MOST_WAITING:
            self.waiting.popleft()
            self._dropped += 1
            if self._dropped % 100 == 1:
                _log.warning("the webhook %s is too slow: %d events were left out", self.shown, self._dropped)
        self.wake.set()


def signature(secret: bytes, timestamp: str, body: bytes) -> str:
    """What a receiver compares: HMAC-SHA256 over the timestamp, a dot and the body, in hex."""
    return "sha256=" + hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def secret_of(settings: ServeSettings) -> bytes:
    """The secret, from the environment variable that the settings name; SettingsError where there is none."""
    found = os.environ.get(settings.webhook_secret_variable, "")
    if len(found) < 16:
        raise SettingsError(
            f"serve.webhooks need a secret of at least 16 characters in {settings.webhook_secret_variable}: receivers"
            " check by it that an event is from here"
        )
    return found.encode("utf-8", "surrogateescape")


def _addresses(settings: ServeSettings) -> list[str]:
    from graphvine.workers.common.fetching.addresses import checked_url
    from graphvine.workers.common.fetching.errors import FetchError

    if len(settings.webhooks) > _MOST_ADDRESSES:
        raise SettingsError(f"serve.webhooks has {len(settings.webhooks)} addresses, {_MOST_ADDRESSES} at most")
    try:
        return [checked_url(address) for address in dict.fromkeys(settings.webhooks)]
    except FetchError as error:
        raise SettingsError(f"serve.webhooks: {error}") from None


def check(settings: ServeSettings) -> None:
    """Raise SettingsError unless webhooks, where there are some, can be sent as the settings say."""
    from graphvine.workers.common.fetching.addresses import AllowedHosts

    if settings.webhooks:
        secret_of(settings)
        _addresses(settings)
        AllowedHosts(settings.webhook_private_hosts)


def start(settings: ServeSettings, hub: Hub) -> Webhooks | None:
    """Webhooks, where the settings name some."""
    if not settings.webhooks:
        return None
    made = Webhooks(settings, hub)
    made.start()
    return made
