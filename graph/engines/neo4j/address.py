"""Where a Neo4j server is, who asks, and how patiently. What is secret here is never shown."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from typing import Annotated
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec

from graphvine.errors import SettingsError
from graphvine.redact import without_secrets

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
USER, PASSWORD = "GRAPHVINE_NEO4J_USER", "GRAPHVINE_NEO4J_PASSWORD"
_FIRST_USER = "neo4j"

_Positive = msgspec.Meta(gt=0)


def _help(text: str) -> msgspec.Meta:
    return msgspec.Meta(description=text)


class Neo4jSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table [neo4j] of graphvine.toml, or GRAPHVINE_NEO4J_*."""

    pool_size: Annotated[int, _Positive, _help("connections that one process keeps to a server at most")] = 50
    pool_seconds: Annotated[float, _Positive, _help("the longest wait for a free connection")] = 30
    connect_seconds: Annotated[float, _Positive, _help("the longest wait for a new connection")] = 10
    retry_seconds: Annotated[float, _Positive, _help("how long a write that lost a race is tried again")] = 60
    wait_seconds: Annotated[float, _Positive, _help("how long to wait for a server that has gone away")] = 300
    unit_seconds: Annotated[float, _Positive, _help("the longest that one transaction may take")] = 300


@dataclass(frozen=True, slots=True)
class Address:
    """A server and one database on it ('' for the server's default)."""

    uri: str
    database: str
    user: str | None
    password: str | None = field(repr=False)

    @property
    def shown(self) -> str:
        """The address for people: without name and password."""
        plain = self.uri.partition("?")[0]
        return f"{plain}/{self.database}" if self.database else plain

    @property
    def in_the_clear(self) -> bool:
        """Whether a password would travel unencrypted beyond this machine."""
        parts = urlsplit(self.uri)
        return self.password is not None and "+" not in parts.scheme and not _is_this_machine(parts.hostname or "")


def is_address(where: str) -> bool:
    scheme, _, rest = where.partition(":")
    return scheme.lower() in SCHEMES and rest.startswith("//")


def parse_address(where: str) -> Address:
    """neo4j://[user:password@]host[:port][/database]; the name and the password may come from the environment."""
    try:
        parts = urlsplit(where)
        _ = parts.port
    except ValueError:
        parts = SplitResult("", "", "", "", "")
    if not parts.hostname:
        raise SettingsError(
            f"{without_secrets(where)} is not a valid address; examples: neo4j://host:7687, neo4j://host:7687/database"
        )
    database = unquote(parts.path.strip("/"))
    if "/" in database or parts.fragment:
        raise SettingsError(
            f"{without_secrets(where)} is not a valid address: the path must be the name of one database"
        )
    host = parts.netloc.rpartition("@")[2]
    query = f"?{parts.query}" if parts.query else ""
    password = unquote(parts.password) if parts.password is not None else os.environ.get(PASSWORD)
    user = unquote(parts.username) if parts.username else os.environ.get(USER)
    if password is not None and not user:
        user = _FIRST_USER
    return Address(f"{parts.scheme}://{host}{query}", database, user, password)


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
