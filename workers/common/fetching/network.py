"""Connections for httpx that are checked where they are made.

A name is resolved here, each address it has is checked, and the connection goes to an address that passed: there is no
second look-up whose answer could differ (DNS rebinding), and a redirect is checked like any other request.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterable
from functools import cache
from typing import Any

import httpcore
import httpx

from graphvine.workers.common.fetching.addresses import AllowedHosts


class PrivateAddress(Exception):
    """All that a host resolves to is out of bounds."""

    def __init__(self, host: str, addresses: list[str]) -> None:
        super().__init__(f"{host} is in a private network ({', '.join(addresses[:3])})")


class NameUnknown(Exception):
    """A host that resolves to nothing."""


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    def __init__(self, allowed: AllowedHosts) -> None:
        self._allowed, self._below = allowed, httpcore.AnyIOBackend()

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:  # fmt: skip
        try:
            async with asyncio.timeout(timeout):
                found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except TimeoutError:
            raise httpcore.ConnectTimeout(f"looking up {host} took too long") from None
        except (socket.gaierror, UnicodeError) as error:
            raise NameUnknown(f"the name {host} is not known: {error}") from None
        addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
        allowed = [address for address in addresses if self._allowed.allow(host, port, address)]
        if not allowed:
            raise PrivateAddress(host, addresses)
        for address in allowed[:-1]:
            try:
                return await self._below.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue  # the next of its addresses may answer
        return await self._below.connect_tcp(allowed[-1], port, timeout, local_address, socket_options)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise httpcore.UnsupportedProtocol("no page is behind a socket of this machine")

    async def sleep(self, seconds: float) -> None:
        await self._below.sleep(seconds)


class CheckedTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport with checked connections below it. Proxies are left out: they would resolve for us."""

    def __init__(self, allowed: AllowedHosts, *, connections: int) -> None:
        super().__init__(verify=_trusted(), trust_env=False)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=_trusted(), max_connections=connections,
            max_keepalive_connections=connections, keepalive_expiry=5.0, network_backend=CheckedNetwork(allowed),
        )  # fmt: skip


@cache
def _trusted() -> ssl.SSLContext:
    """Reading the certificates takes some 30 ms, and they are the same for every fetcher."""
    return httpx.create_ssl_context(trust_env=False)
