"""Fetches one page at a time for many callers, and says in one error why a page can't be had."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from graphvine import __version__
from graphvine.workers.common.fetching.addresses import AllowedHosts, checked_url, host_of, site_of
from graphvine.workers.common.fetching.bodies import BodyBroken, BodyTooLarge, FetchLimits, read_body
from graphvine.workers.common.fetching.errors import FetchError, FetchPartsMissing, judge, retry_after
from graphvine.workers.common.fetching.politeness import AGENT, Politeness, Robots, Rules

if TYPE_CHECKING:
    import httpx

_ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.9,application/pdf;q=0.8,*/*;q=0.5"
_MOST_REFUSAL_BYTES = 16 << 10
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer that is complete, with its last address after redirects."""

    url: str
    final_url: str
    status: int
    media_type: str
    charset: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


class Fetcher:
    """`async with Fetcher(...) as fetcher: page = await fetcher.fetch(url)`; made for one event loop."""

    def __init__(
        self, limits: FetchLimits | None = None, *, allowed_private_hosts: str = "", contact: str = "",
        obey_robots: bool = True, connections: int = 32,
    ) -> None:  # fmt: skip
        self.limits = limits or FetchLimits()
        self._politeness = Politeness(self.limits.per_host_concurrency, self.limits.max_delay_seconds)
        self._robots = Robots(self._read_robots, self.limits.robots_seconds) if obey_robots else None
        self._client = _client(AllowedHosts(allowed_private_hosts), self.limits, contact, connections)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> Fetched:
        """The page at this address; raises FetchError, and nothing else, where it can't be had."""
        start = at = checked_url(url, self.limits.max_address_characters)
        for _ in range(self.limits.max_redirects + 1):
            answer = await self._visit(at, headers or {})
            if answer.status not in _REDIRECTS:
                return Fetched(
                    start, answer.final_url, answer.status, answer.media_type, answer.charset, answer.body,
                    answer.headers,
                )  # fmt: skip
            where = answer.headers.get("location")
            if not where:
                raise FetchError("redirects", url, "it redirects without saying where to", permanent=True)
            at = checked_url(where, self.limits.max_address_characters, base=at)
        most = self.limits.max_redirects
        raise FetchError("redirects", url, f"it redirects more than {most} times", permanent=True)

    async def _visit(self, url: str, headers: Mapping[str, str]) -> Fetched:
        async with self._politeness.visiting(host_of(url)) as visit:
            delay = 0.0
            if self._robots is not None:
                rules = await self._rules(self._robots, url)
                if not rules.allow(url):
                    raise FetchError("robots", url, "its site's robots.txt forbids it", permanent=True)
                delay = rules.delay_seconds
            await visit.keep_distance(delay)
            return await self._ask(url, headers, self.limits.max_bytes)

    async def _rules(self, robots: Robots, url: str) -> Rules:
        try:
            return await robots.rules(site_of(url))
        except FetchError as error:
            reason = error.reason if error.kind == "private" else f"its robots.txt can't be had: {error.reason}"
            wait = error.retry_after_seconds
            raise FetchError(
                error.kind, url, reason, permanent=error.permanent, retry_after_seconds=wait
            ) from None  # fmt: skip

    async def _read_robots(self, url: str) -> str | None:
        try:
            answer = await self._ask(url, {}, self.limits.robots_bytes, follow=True)
        except FetchError as error:
            if error.permanent and error.kind in ("status", "redirects", "too_large"):
                return None  # 4xx and the like: there are no rules
            raise
        return answer.body.decode("utf-8", "replace") if answer.status == 200 else None

    async def _ask(self, url: str, headers: Mapping[str, str], max_bytes: int, *, follow: bool = False) -> Fetched:
        import httpx

        from graphvine.workers.common.fetching.network import NameUnknown, PrivateAddress

        seconds = self.limits.total_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(url, headers, max_bytes, follow)
        except TimeoutError:
            raise FetchError("timeout", url, f"it was not complete after {seconds:g} s", permanent=False) from None
        except httpx.TimeoutException as error:
            what = type(error).__name__.removesuffix("Timeout").lower() or "it"
            raise FetchError("timeout", url, f"it does not answer in time ({what})", permanent=False) from None
        except PrivateAddress as error:
            advice = "allow it by the setting allowed_private_hosts if that is meant"
            raise FetchError("private", url, f"{error}: {advice}", permanent=True) from None
        except NameUnknown as error:
            raise FetchError("name", url, str(error), permanent=False) from None
        except BodyTooLarge:
            raise FetchError("too_large", url, f"it is larger than {max_bytes} bytes", permanent=True) from None
        except BodyBroken as error:
            raise FetchError("protocol", url, str(error), permanent=False) from None
        except (httpx.TooManyRedirects, httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise FetchError("redirects", url, _words(error), permanent=True) from None
        except httpx.ConnectError as error:
            bad = _has_cause(error, ssl.SSLCertVerificationError)
            kind = "certificate" if bad else "connection"
            raise FetchError(kind, url, f"no connection: {_words(error)}", permanent=bad) from None  # type: ignore[arg-type]
        except httpx.HTTPError as error:
            raise FetchError("protocol", url, f"the answer broke off: {_words(error)}", permanent=False) from None

    async def _exchange(self, url: str, headers: Mapping[str, str], max_bytes: int, follow: bool) -> Fetched:
        request = self._client.build_request("GET", url, headers=dict(headers))
        response = await self._client.send(request, stream=True, follow_redirects=follow)
        try:
            status = response.status_code
            found = {name.lower(): value for name, value in response.headers.items()}
            if status in _REDIRECTS:
                return Fetched(url, str(response.url), status, "", "", b"", found)
            trouble = judge(status)
            if trouble is not None:
                wait = retry_after(found.get("retry-after", ""), self.limits.max_retry_after_seconds)
                raise FetchError(
                    "status", url, trouble.reason, permanent=trouble.permanent, retry_after_seconds=wait,
                    body=await _refusal(response.aiter_raw(), found.get("content-encoding", "")),
                )  # fmt: skip
            length = found.get("content-length", "")
            if length.isdigit() and int(length) > max_bytes:
                raise BodyTooLarge
            body = await read_body(response.aiter_raw(), found.get("content-encoding", ""), max_bytes)
            media_type, charset = _content_type(found.get("content-type", ""))
            return Fetched(url, str(response.url), status, media_type, charset, body, found)
        finally:
            await response.aclose()


def _client(allowed: AllowedHosts, limits: FetchLimits, contact: str, connections: int) -> httpx.AsyncClient:
    try:
        import httpx

        from graphvine.workers.common.fetching.network import CheckedTransport
    except ImportError as error:
        raise FetchPartsMissing(error.name or "httpx") from None
    about = f"; +{contact}" if contact else ""
    client = httpx.AsyncClient(
        transport=CheckedTransport(allowed, connections=connections),
        trust_env=False,
        max_redirects=limits.max_redirects,
        timeout=httpx.Timeout(limits.read_seconds, connect=limits.connect_seconds, pool=None),
        headers={
            "User-Agent": f"{AGENT}/{__version__} (knowledge graph worker{about})",
            "Accept": _ACCEPT,
            "Accept-Encoding": "gzip, deflate",
        },
    )
    # What one site sets must not be sent along by the next caller.
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return client


async def _refusal(chunks: AsyncIterator[bytes], encoding: str) -> bytes:
    """The body of an answer that is an error, if it is short: some say in it what is wrong."""
    try:
        return await read_body(chunks, encoding, _MOST_REFUSAL_BYTES)
    except (BodyTooLarge, BodyBroken):
        return b""


def _content_type(value: str) -> tuple[str, str]:
    media_type, _, rest = value.partition(";")
    charset = ""
    for part in rest.split(";"):
        name, _, given = part.partition("=")
        if name.strip().lower() == "charset":
            charset = given.strip().strip("\"'")
    return media_type.strip().lower(), charset


def _has_cause(error: BaseException | None, kind: type[BaseException]) -> bool:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, kind):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _words(error: BaseException) -> str:
    text: Any = str(error) or type(error).__name__
    return " ".join(str(text).split())[:300]
