"""Which network addresses may be talked to: public ones, and the private ones that somebody has allowed by name."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urljoin, urlsplit, urlunsplit

from graphvine.errors import SettingsError
from graphvine.workers.common.fetching.errors import FetchError

Address = IPv4Address | IPv6Address
# What IANA's registries of special addresses do not call global, written down here: what Python knows of them depends
# on its patch version. Besides, addresses at which clouds serve credentials to their machines.
_NOT_PUBLIC_4 = [
    IPv4Network(one)
    for one in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
    )
]  # fmt: skip
# Of IPv6, only this is handed out to hosts of the internet: all that lies outside (site-local, unique local,
# link-local, IPv4-compatible and translated addresses, segment routing, multicast) is not.
_UNICAST_6 = IPv6Network("2000::/3")
# IETF protocols with Teredo and ORCHID, and documentation, twice.
_NOT_PUBLIC_6 = [IPv6Network(one) for one in ("2001::/23", "2001:db8::/32", "3fff::/20")]
_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Whether an address lies on the open internet, and so does the IPv4 address that it stands for."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)  # the same host by another spelling
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))  # a gateway translates to its last four bytes
    if address.sixtofour is not None and not is_public(address.sixtofour):
        return False
    return address in _UNICAST_6 and not any(address in network for network in _NOT_PUBLIC_6)


class AllowedHosts:
    """Private hosts that may be talked to: names, addresses or networks, each with a port or for all ports.

    A name allows what it resolves to, wherever that is; so it should be one that its owner controls.
    """

    def __init__(self, listed: str = "") -> None:
        self._names: set[tuple[str, int | None]] = set()
        self._networks = []
        for part in filter(None, (part.strip() for part in listed.replace(",", " ").split())):
            host, port = _split(part)
            try:
                self._networks.append((ip_network(host, strict=False), port))
            except ValueError:
                if "/" in host or not host:
                    raise SettingsError(
                        f"allowed_private_hosts: {part!r} is no host, host:port, address or network"
                    ) from None
                self._names.add((host.lower().rstrip("."), port))

    def allow(self, host: str, port: int, address: str) -> bool:
        """Whether this host, which was resolved to this address, may be connected to at this port."""
        try:
            found = ip_address(address.partition("%")[0])
        except ValueError:
            return False
        if is_public(found):
            return True
        name = host.lower().rstrip(".")
        if (name, port) in self._names or (name, None) in self._names:
            return True
        plain = getattr(found, "ipv4_mapped", None) or found
        return any(plain in network and wanted in (None, port) for network, wanted in self._networks)


def _split(part: str) -> tuple[str, int | None]:
    """`host:port` apart; an IPv6 address with a port stands in brackets."""
    if part.startswith("["):
        host, _, rest = part[1:].partition("]")
        port = rest.removeprefix(":")
    elif part.count(":") == 1:
        host, port = part.split(":")
    else:
        host, port = part, ""
    if not port:
        return host, None
    if not port.isdigit() or not 0 < int(port) < 65_536:
        raise SettingsError(f"allowed_private_hosts: {part!r} has a port that is none")
    return host, int(port)


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
