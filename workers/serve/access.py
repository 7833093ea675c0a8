"""Who may do what: the tokens of a graph, and what each route asks for.

The token in the `.service` file may do everything. Others are made for one purpose: `read` looks, `work` also claims
rows, sends results, starts jobs, makes backups and exports, `admin` also writes by Cypher. Only their hashes are kept,
in the file `.tokens` beside the graph.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from graphvine.errors import GraphvineError
from graphvine.service_file import path_of, read_private, write_private

Scope = Literal["read", "work", "admin"]
LEVELS: dict[str, int] = {"read": 1, "work": 2, "admin": 3}
ENDING = ".tokens"

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# Asked by anybody, wherever we listen: whether we live and can serve, and a page that holds no data.
_OPEN = frozenset({"/healthz", "/readyz", "/", "/ui", "/docs", "/favicon.ico"})
_OPEN_FOLDERS = ("/static/", "/ui/")
# A code that works once is exchanged for the token.
LOGIN = "/login"
# They read, but with a body; what /cypher may do beyond that is decided by its route.
_READS_BY_POST = frozenset({"/cypher", "/mcp"})
_ADMIN = frozenset({"/engine/execute", "/login/codes"})
ENGINE = "/engine/"


class TokenRecord(msgspec.Struct, frozen=True):
    """A token, without the token."""

    name: str
    scope: Scope
    hash: str
    created: str


def is_open(path: str) -> bool:
    return path in _OPEN or path.startswith(_OPEN_FOLDERS)


def needed_scope(method: str, path: str) -> Scope | None:
    """What a request needs; None where anybody may ask."""
    if (is_open(path) and method in SAFE_METHODS) or path == LOGIN:
        return None
    if path in _ADMIN:
        return "admin"
    if path.startswith(ENGINE):
        return "work"
    return "read" if method in SAFE_METHODS or path in _READS_BY_POST else "work"


class Tokens:
    """The tokens that a daemon knows; those of the file are read again when it changes."""

    def __init__(self, main: str, where: str | None) -> None:
        self._main = main.encode()
        self._file = tokens_file(where) if where is not None else None
        self._seen: tuple[int, int] | None = None
        self._records: list[TokenRecord] = []

    def is_main(self, token: str) -> bool:
        """Whether this is the token in the `.service` file."""
        return hmac.compare_digest(token.encode(), self._main)

    def scope_of(self, token: str) -> Scope | None:
        """What this token may do, None for one that is not known."""
        if self.is_main(token):
            return "admin"
        found: Scope | None = None
        given = _hash(token)
        for record in self._current():
            if hmac.compare_digest(record.hash, given):
                found = record.scope
        return found

    def _current(self) -> list[TokenRecord]:
        if self._file is None:
            return []
        try:
            status = self._file.stat()
        except OSError:
            self._seen, self._records = None, []
            return []
        seen = (status.st_mtime_ns, status.st_ino)
        if seen != self._seen:
            self._records, self._seen = _read(self._file), seen
        return self._records


def tokens_file(where: str) -> Path:
    return Path(path_of(where) + ENDING)


def create(where: str, name: str, scope: Scope) -> str:
    """Make a token; it is shown once, only its hash is kept."""
    if not name or len(name) > 100 or not name.isprintable():
        raise GraphvineError("a token needs a name of at most 100 printable characters: who or what it is for")
    records = listed(where)
    if any(record.name == name for record in records):
        raise GraphvineError(f"there is a token {name!r} already: revoke it first, or choose another name")
    token = f"gv_{secrets.token_urlsafe(32)}"
    made = TokenRecord(name, scope, _hash(token), datetime.now(UTC).isoformat(timespec="seconds"))
    _write(where, [*records, made])
    return token


def listed(where: str) -> list[TokenRecord]:
    return _read(tokens_file(where))


def revoke(where: str, name: str) -> None:
    """From the next request on, this token is refused."""
    records = listed(where)
    if all(record.name != name for record in records):
        known = ", ".join(repr(record.name) for record in records) or "none"
        raise GraphvineError(f"there is no token {name!r}; there are: {known}")
    _write(where, [record for record in records if record.name != name])


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _read(path: Path) -> list[TokenRecord]:
    content = read_private(path)
    if content is None:
        return []
    try:
        return msgspec.json.decode(content, type=list[TokenRecord])
    except msgspec.DecodeError as error:
        raise GraphvineError(f"{path} is damaged ({error}): remove it, and make the tokens again") from None


def _write(where: str, records: list[TokenRecord]) -> None:
    if not os.path.exists(path_of(where)):
        raise GraphvineError(f"there is no graph at {where}: tokens belong to a graph file")
    write_private(tokens_file(where), msgspec.json.encode(records))
