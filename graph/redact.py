"""The one redactor: takes passwords, keys and tokens out of what people, logs and other programs are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

HIDDEN = "***"
_LONGEST = 1_000_000
# Everything that stands between :// and the next space or quote; what is secret in it is found by _without_userinfo.
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30}://)([^\s\"'<>]{1,4000})")
_NAMES = (
    r"api[_-]?key|access[_-]?key|x-access-key|x-api-key|access[_-]?token|auth[_-]?token|token|password|passwd|secret"
)
_PARAMETER = re.compile(rf"([?&;](?:{_NAMES}|key|apikey)=)[^&#;\s\"']{{1,4000}}", re.IGNORECASE)
_HEADER = re.compile(
    rf"\b((?:{_NAMES})\s*[:=]\s*|authorization:\s*\w+\s+|bearer\s+)[^\s,;\"'&]{{4,4000}}", re.IGNORECASE
)
_OPTION = re.compile(rf"--(?:[a-z-]{{0,20}}-)?(?:{_NAMES}|key)", re.IGNORECASE)


def redact(text: str) -> str:
    """The text without the user names and passwords of addresses, and without keys in queries, headers and options."""
    text = text[:_LONGEST]
    text = _ADDRESS.sub(lambda found: found[1] + _without_userinfo(found[2]), text)
    return _HEADER.sub(rf"\1{HIDDEN}", _PARAMETER.sub(rf"\1{HIDDEN}", text))


def without_secrets(where: str) -> str:
    """An address without what stands before its host. A path stays as it is."""
    scheme, mark, rest = where.partition("://")
    return scheme + mark + _without_userinfo(rest) if mark else where


def redact_arguments(arguments: Sequence[str]) -> str:
    """A command line as it may be shown: values of options that hold secrets are left out, too."""
    shown, hide = [], False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        secret = bool(_OPTION.fullmatch(name))
        shown.append(HIDDEN if hide else f"{name}={HIDDEN}" if secret and equals else redact(argument))
        hide = secret and not equals
    return " ".join(shown)


def redact_values(value: Any) -> Any:
    """The same for every text in lists and dictionaries."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: redact_values(inner) for name, inner in value.items()}
    return [redact_values(inner) for inner in value] if isinstance(value, list | tuple) else value


def _without_userinfo(rest: str) -> str:
    """Of what follows ://, the part from the host on. A password may hold slashes and @s: where a colon stands before
    the first of them, all up to the last @ is taken for a name and a password."""
    authority, slash, path = rest.partition("/")
    userinfo, mark, host = authority.rpartition("@")
    first = userinfo if mark else authority
    if ":" in first and not first.startswith("[") and "@" in rest:
        return rest.rpartition("@")[2]
    return host + slash + path
