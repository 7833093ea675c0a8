"""Fetching: limits on everything, manners, and no way into a private network, whatever a name or a redirect says."""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import socket
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.errors import SettingsError
from graphvine.workers.common.fetching import AllowedHosts, Fetcher, FetchError, FetchLimits
from graphvine.workers.common.fetching.addresses import checked_url, is_public
from graphvine.workers.common.fetching.errors import retry_after
from tests.support.waiting import WAIT_LIMIT
from tests.support.web_server import Request, WebServer

BOMB = gzip.compress(bytes(20_000_000), 1)
LIMITS = FetchLimits(
    max_bytes=10_000, total_seconds=WAIT_LIMIT, read_seconds=WAIT_LIMIT, connect_seconds=WAIT_LIMIT, max_redirects=3
)
# For what has no end: by the time in all, and by the time without a byte.
HASTY, IMPATIENT = replace(LIMITS, total_seconds=0.6), replace(LIMITS, read_seconds=0.6)


def fetch(url: str, limits: FetchLimits = LIMITS, **options: Any) -> Any:
    async def run() -> Any:
        async with Fetcher(limits, **{"allowed_private_hosts": "127.0.0.1", **options}) as fetcher:
            return await fetcher.fetch(url)

    return asyncio.run(run())


def refused(url: str, **options: Any) -> FetchError:
    with pytest.raises(FetchError) as caught:
        fetch(url, **options)
    return caught.value


async def site(request: Request) -> None:
    path = request.path
    if path == "/page":
        await request.answer("Grün".encode("latin-1"), media_type='Text/HTML; charset="ISO-8859-1"', Set_Cookie="a=b")
    elif path == "/gzip":
        await request.answer(gzip.compress(b"small" * 100), Content_Encoding="gzip")
    elif path == "/bomb":
        await request.answer(BOMB, Content_Encoding="gzip")
    elif path == "/not-gzip":
        await request.answer(b"plain", Content_Encoding="gzip")
    elif path == "/huge":
        await request.answer(b"x" * 20_000)
    elif path == "/stream":
        await request.begin()
        for _ in range(30):
            await request.send(b"x" * 1_000)
    elif path == "/drip":
        await request.begin()
        while True:
            await request.send(b"x")
            await request.pause(0.05)
    elif path == "/silent":
        await request.pause(WAIT_LIMIT)
    elif path == "/broken":
        await request.begin(Content_Length="100")
        await request.send(b"half")
    elif path.startswith("/to/"):
        await request.answer(status=302, Location=path.removeprefix("/to/"))
    elif path == "/circle":
        await request.answer(status=301, Location="/circle")
    elif path.startswith("/status/"):
        await request.answer(status=int(path.split("/")[2]), Retry_After="7")
    elif path == "/headers":
        await request.answer(repr(request.headers).encode())


@pytest.fixture(scope="module")
def server() -> Any:
    with WebServer(site) as running:
        yield running


def test_a_page_with_its_type_and_encoding(server: WebServer) -> None:
    page = fetch(f"{server.url}/page#part")
    assert (page.status, page.media_type, page.charset, page.body) == (200, "text/html", "ISO-8859-1", b"Gr\xfcn")
    assert page.url == f"{server.url}/page"
    assert fetch(f"{server.url}/gzip").body == b"small" * 100


def test_who_asks_says_so_and_carries_no_cookies(server: WebServer) -> None:
    async def twice() -> Any:
        async with Fetcher(LIMITS, allowed_private_hosts="127.0.0.1", contact="mailto:a@b.example") as fetcher:
            await fetcher.fetch(f"{server.url}/page")
            return await fetcher.fetch(f"{server.url}/headers")

    said = asyncio.run(twice()).body.decode()
    assert "graphvine/" in said and "mailto:a@b.example" in said and "cookie" not in said


@pytest.mark.parametrize(
    ("path", "kind", "permanent"),
    [
        ("/huge", "too_large", True), ("/stream", "too_large", True), ("/bomb", "too_large", True),
        ("/broken", "protocol", False),
        ("/not-gzip", "protocol", False), ("/circle", "redirects", True),
        ("/status/404", "status", True), ("/status/410", "status", True), ("/status/204", "status", True),
        ("/status/429", "status", False), ("/status/503", "status", False), ("/status/500", "status", False),
        ("/to/ftp://a.example/", "address", True), ("/to/http://a:b@c.example/", "address", True),
    ],
)  # fmt: skip
def test_what_can_t_be_had_says_whether_another_try_helps(
    server: WebServer, path: str, kind: str, permanent: bool
) -> None:
    error = refused(f"{server.url}{path}")
    assert (error.kind, error.permanent) == (kind, permanent), str(error)


@pytest.mark.parametrize(("path", "limits"), [("/drip", HASTY), ("/silent", HASTY), ("/silent", IMPATIENT)])
def test_what_has_no_end_is_left_after_a_time(server: WebServer, path: str, limits: FetchLimits) -> None:
    error = refused(f"{server.url}{path}", limits=limits)
    assert (error.kind, error.permanent) == ("timeout", False), str(error)


def test_a_site_that_asks_to_wait_is_heard(server: WebServer) -> None:
    assert refused(f"{server.url}/status/429").retry_after_seconds == 7
    assert retry_after("Wed, 21 Oct 2015 07:28:00 GMT", 100) == 0
    assert (retry_after("soon", 100), retry_after("999999", 100)) == (None, 100)


def test_a_redirect_is_followed_and_its_end_is_told(server: WebServer) -> None:
    page = fetch(f"{server.url}/to//gzip")
    assert (page.url, page.final_url) == (f"{server.url}/to//gzip", f"{server.url}/gzip")


# Private networks


def test_loopback_is_out_of_bounds_unless_it_is_allowed(server: WebServer) -> None:
    asked = len(server.traffic.asked)
    for host in ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"):
        error = refused(f"http://{host}:{server.port}/page", allowed_private_hosts="")
        assert (error.kind, error.permanent) == ("private", True), host
    assert len(server.traffic.asked) == asked, "no request was made"
    assert fetch(f"{server.url}/page", allowed_private_hosts=f"127.0.0.1:{server.port}").status == 200
    assert refused(f"{server.url}/page", allowed_private_hosts="127.0.0.1:1").kind == "private"


def test_a_redirect_into_a_private_network_is_refused(server: WebServer) -> None:
    error = refused(f"{server.url}/to/http://10.0.0.1/", obey_robots=False)
    assert error.kind == "private"


def test_the_address_that_is_checked_is_the_one_that_is_connected_to(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that answers with a public address first and a private one next (DNS rebinding) gains nothing."""
    answers = iter([["93.184.216.34", "127.0.0.1"], ["127.0.0.1"]])
    looked_up: list[str] = []

    async def look_up(self: Any, host: str, port: int, **_: Any) -> list[Any]:
        looked_up.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in next(answers)]

    connected: list[str] = []

    async def connect(self: Any, host: str, port: int, *_: Any, **__: Any) -> Any:
        import httpcore

        connected.append(host)
        raise httpcore.ConnectError("nobody is there")

    import httpcore

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", look_up)
    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)
    url = f"http://rebind.example:{server.port}/page"
    assert refused(url, allowed_private_hosts="", obey_robots=False).kind == "connection"
    assert (looked_up, connected) == (["rebind.example"], ["93.184.216.34"]), "one look-up, and what passed it"
    assert refused(url, allowed_private_hosts="", obey_robots=False).kind == "private"
    assert connected == ["93.184.216.34"]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "::1", "fe80::1", "fc00::1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::a00:1", "ff02::1", "::",
    ],
)  # fmt: skip
def test_private_addresses_in_every_spelling(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    assert not AllowedHosts().allow("host.example", 80, address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"]
)
def test_public_addresses(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


def test_hosts_are_allowed_by_name_address_network_and_port() -> None:
    allowed = AllowedHosts("intranet.example, 10.0.0.0/8 192.168.1.5:8080 [fc00::1]:80")
    assert allowed.allow("INTRANET.example.", 443, "192.168.9.9") and allowed.allow("x", 1, "10.9.9.9")
    assert allowed.allow("x", 8080, "192.168.1.5") and not allowed.allow("x", 80, "192.168.1.5")
    assert allowed.allow("x", 80, "fc00::1") and not allowed.allow("x", 81, "fc00::1")
    assert allowed.allow("x", 1, "::ffff:10.1.1.1") and not allowed.allow("x", 1, "no address")


@pytest.mark.parametrize("listed", ["10.0.0.0/99", "host:port", "host:99999", "a/b"])
def test_a_list_of_hosts_that_makes_no_sense_is_refused(listed: str) -> None:
    with pytest.raises(SettingsError, match="allowed_private_hosts"):
        AllowedHosts(listed)


# Manners


def test_robots_txt_is_obeyed_and_asked_for_once() -> None:
    async def run(server: WebServer) -> list[Any]:
        async with Fetcher(LIMITS, allowed_private_hosts="127.0.0.1") as fetcher:
            return await asyncio.gather(
                *(fetcher.fetch(f"{server.url}{path}") for path in ("/gzip", "/secret/a", "/page")),
                return_exceptions=True,
            )

    with WebServer(site, robots="User-agent: *\nDisallow: /secret/*\n") as server:
        first, second, third = asyncio.run(run(server))
        assert isinstance(second, FetchError) and second.kind == "robots" and second.permanent
        assert first.status == third.status == 200 and sorted(server.traffic.asked) == ["/gzip", "/page"]
        assert fetch(f"{server.url}/to//gzip", obey_robots=False).status == 200


def test_few_requests_at_once_to_one_host() -> None:
    async def slow(request: Request) -> None:
        await request.pause(0.05)
        await request.answer(b"page")

    async def run(server: WebServer) -> None:
        limits = FetchLimits(per_host_concurrency=2)
        async with Fetcher(limits, allowed_private_hosts="127.0.0.1") as fetcher:
            await asyncio.gather(*(fetcher.fetch(f"{server.url}/{number}") for number in range(8)))

    with WebServer(slow) as server:
        asyncio.run(run(server))
        assert server.traffic.most == 2 and len(server.traffic.asked) == 8


def test_a_site_that_is_down_is_not_scraped_past_its_robots_txt() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = refused(f"http://127.0.0.1:{port}/")
    assert (error.kind, error.permanent) == ("connection", False) and "robots.txt" in error.reason


# Wild addresses


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_a_clear_refusal(text: str) -> None:
    try:
        url = checked_url(text)
    except FetchError as error:
        refusal = error
    else:
        assert url.startswith(("http://", "https://")) and checked_url(url) == url
        return
    assert refusal.kind == "address" and refusal.permanent
