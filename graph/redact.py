"""The one redactor: takes passwords, keys and tokens out of what people, logs and other programs are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

HIDDEN = "***"
_LONGEST = 1_000_000
# Everything that stands between :// and the next space or quote; what is secret in it is found by _without_userinfo.
# With one slash, too: that is what is left of an address that was taken for a path.
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,30}:/{1,2})([^\s\"'<>]{1,4000})")
_NAMES = r"api[_-]?key|access[_-]?key|private[_-]?key|token|password|passwd|pwd|secret"
# In front of a name there may be others: GRAPHVINE_NEO4J_PASSWORD, X-Api-Key.
_BEFORE = r"(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,30}[_-]){0,6}"
_PARAMETER = re.compile(
    rf"([?&;](?:[A-Za-z0-9]{{1,30}}[_-]){{0,6}}(?:{_NAMES}|key|apikey|sig|signature|credential)=)[^&#;\s\"']{{1,4000}}",
    re.IGNORECASE,
)
# As in headers, in assignments and in JSON, where quotes stand around name and value.
_HEADER = re.compile(
    rf"({_BEFORE}(?:{_NAMES})[\"']?\s{{0,9}}[:=]\s{{0,9}}[\"']?"
    r"|\bauthorization[\"']?\s{0,9}[:=]\s{0,9}[\"']?\w{1,30}\s{1,9}|\bbearer\s{1,9})[^\s,;\"'&]{4,4000}",
    re.IGNORECASE,
)
_COOKIE = re.compile(r"\b((?:set-)?cookie\s{0,9}:\s{0,9})[^\r\n]{4,4000}", re.IGNORECASE)
_OPTION = re.compile(rf"--(?:[a-z-]{{0,20}}-)?(?:{_NAMES}|key)", re.IGNORECASE)


def redact(text: str) -> str:
    """The text without the user names and passwords of addresses, and without keys in queries, headers and options."""
    text = text[:_LONGEST]
    text = _ADDRESS.sub(lambda found: found[1] + _without_userinfo(found[2]), text)
    for pattern in (_PARAMETER, _HEADER, _COOKIE):
        text = pattern.sub(rf"\1{HIDDEN}", text)
    return text


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
        return {redact_values(name): redact_values(inner) for name, inner in value.items()}
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
