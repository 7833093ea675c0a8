"""The file beside a graph that names who serves it: address, token, process. Only its owner can read it.

The token is made at the first start and stays; the address is there while somebody serves. What a kill left behind is
recognised by the process: it has ended, or another one has its number.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

import msgspec

from graphvine.errors import GraphvineError
from graphvine.process_state import is_running, started_at

ENDING = ".service"
_TOKEN_BYTES = 32
_LONGEST = 1 << 20


class NotPrivate(GraphvineError):
    """A file with a token, or with an address to send one to, that others could have written."""


class Service(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who serves a graph; without an address, nobody does."""

    token: str
    address: str = ""
    pid: int = 0
    began: str = ""  # tells a process from a later one with the same number
    what: str = ""
    version: str = ""
    certificate: str = ""  # the PEM file of a daemon that speaks HTTPS


def path_of(where: str) -> str:
    """The path of an embedded graph, whatever its engine."""
    return str(Path(where.removeprefix("ladybug:")).expanduser())


def file_of(where: str) -> Path:
    """The file that belongs to an embedded graph."""
    path = Path(path_of(where))
    return path.with_name(path.name + ENDING)


def find(where: str) -> Service | None:
    """Who serves this graph now; None when nobody does, whatever a dead process has left there."""
    service = _read(file_of(where))
    if service is None or not service.address or not _alive(service):
        return None
    return service


def announce(where: str, address: str, *, what: str, version: str, certificate: str = "") -> Service:
    """Say that this process serves the graph. Whoever holds the graph may do so, and nobody else."""
    me = os.getpid()
    service = Service(token_of(where), address, me, started_at(me), what, version, certificate)
    write_private(file_of(where), msgspec.json.encode(service))
    return service


def withdraw(where: str) -> None:
    """The graph is no longer served; the token stays for the next process."""
    service = _read(file_of(where))
    if service is not None and service.pid == os.getpid():
        write_private(file_of(where), msgspec.json.encode(Service(service.token)))


def token_of(where: str) -> str:
    """The token of this graph, made where there is none."""
    path = file_of(where)
    found = _read(path)
    if found is not None and found.token:
        return found.token
    made = Service(secrets.token_urlsafe(_TOKEN_BYTES))
    write_private(path, msgspec.json.encode(made))
    return made.token


def _read(path: Path) -> Service | None:
    try:
        content = read_private(path)
        return None if content is None else msgspec.json.decode(content, type=Service)
    except (OSError, msgspec.DecodeError):
        return None  # another's, or no longer what it was: then nobody serves


def read_private(path: Path) -> bytes | None:
    """The content of a file that only its owner can have written; None where there is none.

    Whoever plants such a file decides where tokens and statements are sent: one of another user, or in a folder that
    others may write to, is refused.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotPrivate(f"{path} is a link, and not trusted: remove it") from None
        raise
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        problem = _problem(status, "file") or _problem(os.stat(path.absolute().parent), "folder")
        if problem:
            raise NotPrivate(f"{path} is not trusted: {problem}. Remove it, or mend that")
        return file.read(_LONGEST)


def _problem(status: os.stat_result, kind: str) -> str:
    me = os.geteuid()
    # A folder of the system with the sticky bit (/tmp) is fine: in it nobody replaces another's files.
    sticky = kind == "folder" and status.st_mode & stat.S_ISVTX
    if status.st_uid not in ((me, 0) if kind == "folder" else (me,)):
        return f"its {kind} belongs to another user" if kind == "folder" else "it belongs to another user"
    others = stat.S_IWOTH if kind == "folder" and status.st_gid == os.getegid() else stat.S_IWGRP | stat.S_IWOTH
    if status.st_mode & others and not sticky:
        return f"others may write to {'its folder' if kind == 'folder' else 'it'}"
    return ""


def write_private(path: Path, content: bytes) -> None:
    """Replace a file atomically, readable by its owner alone."""
    part = path.with_name(f"{path.name}.{os.getpid()}.new")
    with contextlib.suppress(FileNotFoundError):
        part.unlink()
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.replace(part, path)


def _alive(service: Service) -> bool:
    return is_running(service.pid) and started_at(service.pid) == service.began
