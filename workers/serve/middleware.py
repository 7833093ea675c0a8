"""Middleware: host, origin, token, size, rate."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import anyio.to_thread

from graphvine.workers.serve.access import ENGINE, LEVELS, LOGIN, Scope, Tokens, is_open, needed_scope
from graphvine.workers.serve.answers import Answers
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.settings import ServeSettings

_ADDRESSES_KEPT = 10_000


class Rates:
    def __init__(self, per_second: float, most: float) -> None:
        self._per_second, self._most = per_second, max(most, 1.0)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, who: str, now: float | None = None) -> bool:
        """Take one; False when nothing is left. Called by the thread of the event loop alone."""
        now = time.monotonic() if now is None else now
        left, at = self._left.pop(who, (self._most, now))
        left = min(self._most, left + (now - at) * self._per_second)
        allowed = left >= 1
        self._left[who] = (left - 1 if allowed else left, now)
        if len(self._left) > _ADDRESSES_KEPT:
            self._left.popitem(last=False)
        return allowed


HttpScope = dict[str, Any]
Receive = Callable[[], Any]
Send = Callable[[dict[str, Any]], Any]

# Set by proxies: a request that carries one comes from somewhere else, whatever its connection says.
_FORWARDED = frozenset({
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port", "x-real-ip",
    "x-forwarded-server", "x-original-host", "x-client-ip", "cf-connecting-ip", "true-client-ip",
})  # fmt: skip
_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
_PIECE = 1_000_000
_LOGIN_BYTES = 10_000
# Threads that answer people's requests.
THREADS = 8


class SecurityMiddleware:
    def __init__(
        self, app: Any, app_state: AppState, *, port: Callable[[], int], upload_paths: tuple[str, ...] = (),
        abort: Callable[[Any], None],
    ) -> None:  # fmt: skip
        self._app, self._app_state, self._settings = app, app_state, app_state.settings
        self._port, self._upload_paths, self._counted = port, upload_paths, False
        self._loopback = app_state.settings.is_loopback()
        self._tokens = Tokens(app_state.token, app_state.where)
        self._bodies = 0  # bytes of bodies that requests hold now
        self._answers, self._abort = Answers(self._settings.max_answers_bytes, self._settings.body_seconds), abort
        self._asked = Rates(app_state.settings.requests_per_second, 2 * app_state.settings.requests_per_second)
        self._refused = Rates(app_state.settings.refused_per_minute / 60, app_state.settings.refused_per_minute)

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self._app(scope, receive, send)
            return
        if not self._counted:
            # More threads than this would each want a connection, and prepare its statements anew.
            anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
            self._counted = True
        began = time.monotonic()
        status = 500

        async def sending(message: dict[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                given = list(message.get("headers", ()))
                policy = [] if any(name.lower() == _POLICY[0] for name, _ in given) else [_POLICY]
                message["headers"] = [*given, *policy, *_HEADERS]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(sending, *refusal)
        else:
            await self._passed(scope, receive, sending)
        if self._app_state.metrics is not None:
            route = scope.get("route")
            path = getattr(route, "path", "other")
            self._app_state.metrics.request(scope["method"], path, status, time.monotonic() - began)

    def _refusal(self, scope: HttpScope) -> tuple[int, str, dict[str, str]] | None:
        headers = _headers(scope)
        if headers is None:
            return 400, "a header that may stand once stands twice", {}
        if "transfer-encoding" in headers and "content-length" in headers:
            # A proxy that goes by the other one would see another request behind this body.
            return 400, "a body has a length or comes in chunks, not both", {"Connection": "close"}
        host, origin = headers.get("host", ""), headers.get("origin")
        if not _ours(host, self._settings):
            return 421, _unknown_name(host), {}
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return 403, "requests of other sites' pages are refused", {}
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not is_open(scope["path"]):
            return 403, "requests of other sites' pages are refused", {}
        client = (scope.get("client") or ("?",))[0]
        given = headers.get("authorization", "")
        known = self._scope_of(given) if given else None
        if given and known is None:
            if not self._refused.take(client):
                return 429, "too many wrong tokens", {"Retry-After": "60"}
            return 401, "the token is wrong", {"WWW-Authenticate": "Bearer"}
        scope["graphvine_token"] = known
        # Whoever owns the graph, on this machine: the token in the `.service` file, and nobody between.
        scope["graphvine_owner"] = self._tokens.is_main(_bearer(given)) and self._is_direct(scope, headers, client)
        needed = needed_scope(scope["method"], scope["path"])
        scope["graphvine_reads"] = reads = known is not None or self._may_read(scope, headers, client)
        if needed is not None and known is None and not (needed == "read" and reads):
            return 401, "this needs the token, as 'Authorization: Bearer ...'", {"WWW-Authenticate": "Bearer"}
        if needed is not None and known is not None and LEVELS[known] < LEVELS[needed]:
            return 403, f"this needs a token of the scope {needed!r}; this one has {known!r}", {}
        if not known and not self._asked.take(client):
            return 429, "too many requests: slow down", {"Retry-After": "1"}
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._largest(scope):
            return 413, f"the body is larger than {self._largest(scope):,} bytes", {"Connection": "close"}
        return None

    def _scope_of(self, authorization: str) -> Scope | None:
        """What the token of a header may do; None for a wrong one."""
        token = _bearer(authorization)
        return self._tokens.scope_of(token) if token else None

    def _may_read(self, scope: HttpScope, headers: dict[str, str], client: str) -> bool:
        """Without a token: from this machine, by a name of this machine, with no proxy between; or on purpose."""
        if self._settings.open_reads:
            return True
        return self._loopback and self._is_direct(scope, headers, client)

    def _is_direct(self, scope: HttpScope, headers: dict[str, str], client: str) -> bool:
        """From this machine, by a name and the port of this service, with no proxy or tunnel between."""
        # Proxies speak HTTP/1.0 to what is behind them, unless they are configured otherwise.
        direct = scope.get("http_version") != "1.0" and _FORWARDED.isdisjoint(headers)
        name, port = _split(headers.get("host", ""))
        return direct and _is_loopback(client) and name in _LOOPBACK_NAMES and port in ("", str(self._port()))

    def _largest(self, scope: HttpScope) -> int:
        path = scope["path"]
        if path == LOGIN:
            return _LOGIN_BYTES  # anybody may send it
        if path.startswith(ENGINE):
            return self._settings.max_unit_bytes
        if path.startswith(self._upload_paths) and scope["method"] == "POST":
            return self._settings.max_upload_bytes + _PIECE
        return self._settings.max_body_bytes

    async def _passed(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        largest, seconds = self._largest(scope), self._settings.body_seconds
        loop = asyncio.get_running_loop()
        taken, began, over, started = 0, loop.time(), False, False
        refused: tuple[int, str] | None = None
        # Files and units are streamed, or come from our own processes.
        counted = largest <= self._settings.max_body_bytes
        answer = self._answers.sending(
            send, lambda: self._abort(scope.get("client")), counted=not scope["path"].startswith(ENGINE)
        )

        async def receiving() -> Any:
            nonlocal taken, over, refused
            if over:
                return await receive()
            # Each megabyte has its time, so that a large body may take longer, but a slow one not for ever.
            left = began + seconds * (1 + taken // _PIECE) - loop.time()
            try:
                async with asyncio.timeout(max(left, 0.001)):
                    message = await receive()
            except TimeoutError:
                refused = (408, "the body came too slowly")
                raise _Refused from None
            if message["type"] == "http.request":
                taken += len(message.get("body", b""))
                self._bodies += counted * len(message.get("body", b""))
                over = not message.get("more_body", False)
                if taken > largest:
                    refused = (413, f"the body is larger than {largest:,} bytes")
                    raise _Refused
                if counted and self._bodies > max(self._settings.max_bodies_bytes, largest):
                    refused = (503, "too many large bodies at once: try again in a moment")
                    raise _Refused
            return message

        async def sending(message: dict[str, Any]) -> None:
            nonlocal started
            if refused is not None and not started:
                return  # what the application makes of the cut body is not the answer
            started = started or message["type"] == "http.response.start"
            await answer(message)

        try:
            await self._app(scope, receiving, sending)
        except _Refused:
            pass
        except Exception:
            if refused is None:
                raise
        finally:
            answer.close()
            self._bodies -= counted * taken
        if refused is not None and not started:
            retry = {"Retry-After": "1"} if refused[0] == 503 else {}
            await _answer(send, *refused, {"Connection": "close", **retry})


class _Refused(Exception):
    """The rest of a body is not taken."""


_ONCE = frozenset({"host", "origin", "authorization", "content-length"})
# For answers that bring none of their own, such as drawings: they load and run nothing.
_POLICY = (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


def _headers(scope: HttpScope) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in found and key in _ONCE:
            return None
        found[key] = value.decode("latin-1")
    return found


def _ours(host: str, settings: ServeSettings) -> bool:
    """Whether this is a name of ours; with any port, since a tunnel or a container may map ours to another."""
    names = {*_LOOPBACK_NAMES, *settings.allowed_hosts}
    if settings.host not in ("0.0.0.0", "::"):
        names.add(f"[{settings.host}]" if ":" in settings.host else settings.host)
    return _split(host)[0] in names


def _unknown_name(host: str) -> str:
    """What to do about it, for whoever reaches the service by another name."""
    name = _split(host)[0]
    shown = f"{name[:100]!r}" if name.isprintable() and name else "nothing"
    return f"this service is not known as {shown}: if you reach it by that name, put the name into serve.allowed_hosts"


def _bearer(authorization: str) -> str:
    kind, _, token = authorization.partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _split(host: str) -> tuple[str, str]:
    """The name of a Host header, and its port."""
    name, _, port = host.rpartition(":")
    return (name.lower(), port) if port.isascii() and port.isdigit() else (host.lower(), "")


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


async def _answer(send: Send, status: int, message: str, headers: dict[str, str]) -> None:
    body = json.dumps({"error": {"type": "Refused", "message": message}}).encode()
    given = {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    await send(
        {
            "type": "http.response.start", "status": status,
            "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
        }
    )  # fmt: skip
    await send({"type": "http.response.body", "body": body})
