"""Addresses of pages: checked before anything is sent, and taken apart for politeness."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit, urlunsplit

from graphvine.workers.parts.fetching.errors import FetchError

_SCHEMES = ("http", "https")
_PORTS = {"http": 80, "https": 443}


def checked_url(url: str, max_characters: int = 1_900, base: str | None = None) -> str:
    """The address without its fragment; FetchError says what is wrong with it."""
    shown = url[:200]
    if len(url) > max_characters:
        raise _bad(shown, f"the address has {len(url)} characters, {max_characters} at most")
    if any(character <= " " or "\ud800" <= character <= "\udfff" or character == "\x7f" for character in url.strip()):
        raise _bad(shown, "the address holds white space or characters that are not text")
    try:
        parts = urlsplit(urljoin(base, url.strip()) if base else url.strip())
        host, _ = parts.hostname, parts.port
        (host or "").encode("idna")
    except (ValueError, UnicodeError):
        raise _bad(shown, "it is no address of a page") from None
    if parts.scheme.lower() not in _SCHEMES:
        raise _bad(shown, f"only http and https are fetched, not {parts.scheme[:20] or 'an address without a scheme'}")
    if not host:
        raise _bad(shown, "the address names no host")
    if parts.username is not None or parts.password is not None:
        raise _bad(f"{parts.scheme}://{host}", "an address with a user name or a password in it is not fetched")
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", parts.query, ""))


def host_of(url: str) -> str:
    """Host and port: what politeness is counted by."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or _PORTS.get(parts.scheme, 0)}"


def site_of(url: str) -> str:
    """Scheme, host and port: what a robots.txt speaks for."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _bad(url: str, reason: str) -> FetchError:
    return FetchError("address", url, reason, permanent=True)
