"""The Firebase API of Hacker News: many requests at once, no faster than is polite, tried again where it may help."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import msgspec

from graphvine import __version__
from graphvine.workers.hn.errors import NoSuchUser, SourceAway
from graphvine.workers.hn.settings import HNSettings

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
# How often a fetch looks whether it is to end.
_LOOK_SECONDS = 0.5


@dataclass
class Fetched:
    """Items by id; ids for which there is nothing (null), and those that could not be had, with the reason."""

    items: dict[int, dict[str, Any]] = field(default_factory=dict)
    missing: list[int] = field(default_factory=list)
    away: dict[int, str] = field(default_factory=dict)


class Firebase:
    """A client that is used from ordinary code; the requests of one call share a loop of their own."""

    def __init__(self, settings: HNSettings) -> None:
        self._settings = settings
        self._base = settings.base_url.rstrip("/")

    def max_item(self) -> int:
        """The newest id that there is."""
        found = self._one("maxitem")
        if isinstance(found, bool) or not isinstance(found, int) or found <= 0:
            raise SourceAway(f"{self._base}/maxitem.json", f"{found!r:.60} is no id")
        return found

    def ids(self, listing: str) -> list[int]:
        """A list of ids, such as `topstories`."""
        return _ids(self._one(listing))

    def updates(self) -> list[int]:
        """The ids of items that changed lately."""
        found = self._one("updates")
        return _ids(found.get("items") if isinstance(found, dict) else None)

    def submitted(self, user: str) -> list[int]:
        """The ids of what a user has written, the newest first."""
        found = self._one(f"user/{quote(user, safe='')}")
        if found is None:
            raise NoSuchUser(user)
        return _ids(found.get("submitted") if isinstance(found, dict) else None)

    def fetch(
        self, ids: Sequence[int], stopping: Callable[[], bool] = lambda: False,
        on_answers: Callable[[int], None] = lambda count: None,
    ) -> Fetched:  # fmt: skip
        """All of these, each asked for on its own, as the API wants it; tells now and then how many answered."""
        return asyncio.run(self._fetch(list(dict.fromkeys(ids)), stopping, on_answers))

    def _one(self, path: str) -> Any:
        async def ask() -> Any:
            async with self._client() as client:
                return await self._get(client, path, _Pace(self._settings.requests_per_second))

        return asyncio.run(ask())

    async def _fetch(self, ids: list[int], stopping: Callable[[], bool], on_answers: Callable[[int], None]) -> Fetched:
        fetched, pace, waiting = Fetched(), _Pace(self._settings.requests_per_second), list(reversed(ids))

        async def work(client: Any) -> None:
            while waiting and not stopping():
                id = waiting.pop()
                try:
                    found = await self._get(client, f"item/{id}", pace)
                except SourceAway as error:
                    fetched.away[id] = error.reason
                    continue
                if found is None:
                    fetched.missing.append(id)
                elif isinstance(found, dict) and found.get("id") == id:
                    fetched.items[id] = found
                else:
                    fetched.away[id] = f"the answer is not item {id}: {found!r:.60}"

        async with self._client() as client:
            working = {asyncio.create_task(work(client)) for _ in range(min(self._settings.concurrency, len(ids)))}
            while working:
                done, working = await asyncio.wait(working, timeout=_LOOK_SECONDS)
                for task in done:
                    if not task.cancelled():
                        task.result()
                if working:
                    on_answers(len(fetched.items) + len(fetched.missing) + len(fetched.away))
                if stopping():  # what is on its way is left: a site that hangs must keep nobody from ending
                    for task in working:
                        task.cancel()
        return fetched

    async def _get(self, client: Any, path: str, pace: _Pace) -> Any:
        import httpx

        url, reason, wait = f"{self._base}/{path}.json", "", 0.0
        for attempt in range(self._settings.attempts):
            if attempt:
                await asyncio.sleep(max(wait, self._backoff(attempt)))
            await pace.turn()
            try:
                status, body, wait = await asyncio.wait_for(self._read(client, url), self._settings.timeout_seconds)
            except (httpx.HTTPError, TimeoutError, OSError) as error:
                reason = f"{type(error).__name__} {error}".strip()
                continue
            if status == 200:
                try:
                    return msgspec.json.decode(body)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                    reason = f"the answer is no JSON: {error}"
                    continue
            reason = f"status {status}"
            if status not in _AGAIN:
                break
        raise SourceAway(url, reason)

    async def _read(self, client: Any, url: str) -> tuple[int, bytes, float]:
        body = bytearray()
        async with client.stream("GET", url) as answer:
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > self._settings.max_response_bytes:
                    raise SourceAway(url, f"the answer has more than {self._settings.max_response_bytes} bytes")
            after = answer.headers.get("retry-after", "")
            wait = min(float(after), self._settings.backoff_max_seconds) if after.isdigit() else 0.0
            return answer.status_code, bytes(body), wait

    def _backoff(self, attempt: int) -> float:
        longest = min(self._settings.backoff_max_seconds, self._settings.backoff_seconds * 2.0 ** (attempt - 1))
        return longest * random.uniform(0.5, 1.0)

    def _client(self) -> Any:
        import httpx

        limits = httpx.Limits(max_connections=self._settings.concurrency)
        return httpx.AsyncClient(
            timeout=self._settings.timeout_seconds, limits=limits, follow_redirects=False,
            headers={"User-Agent": f"graphvine/{__version__}", "Accept": "application/json"},
        )  # fmt: skip


class _Pace:
    """Lets one request through after another, so many in a second."""

    def __init__(self, per_second: float) -> None:
        self._gap, self._next = 1 / per_second, 0.0

    def turn(self) -> Awaitable[None]:
        now = asyncio.get_running_loop().time()
        at = max(now, self._next)
        self._next = at + self._gap
        return asyncio.sleep(at - now)


def _ids(found: Any) -> list[int]:
    listed = found if isinstance(found, list) else []
    return [id for id in listed if isinstance(id, int) and not isinstance(id, bool) and id > 0]
