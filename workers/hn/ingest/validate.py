"""What an item may hold, by the schema of the Firebase API. Every error names its field; unknown fields are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from graphvine.workers.hn.ingest.clean import clean, plain
from graphvine.workers.hn.ingest.item import MAX_ID, TYPES, Draft, hash_of

# Hacker News opened in 2006; an item of tomorrow may come from a clock that is ahead, one of next week may not.
EARLIEST, AHEAD_SECONDS = 1_136_073_600, 86_400
MAX_NAME, MAX_TITLE, MAX_URL, MAX_TEXT, MAX_LIST, MAX_EXTRA = 100, 5_000, 4_000, 200_000, 50_000, 100_000
MAX_NUMBER = (1 << 53) - 1
_OWN = frozenset({"id", "hnId", "fetchedAt"})
_SURROGATE = re.compile("[\ud800-\udfff]")
_HOST = re.compile(r"[^\s/@?#\\<>\"^`{|}]+")


class BadField(ValueError):
    """A field that can't be what it is given as."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field


def validate(draft: Draft) -> None:
    """Fill the draft's content from what was given; BadField names the first field that is wrong."""
    given = draft.given
    content: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, value in given.items():
        if value is None or name in _OWN:
            continue
        read = _FIELDS.get(name)
        if read is None:
            extra[name] = value
        else:
            content[name] = read(name, value, draft)
    if "type" not in content:
        raise BadField("type", "there is none")
    # An option belongs to its poll, anything else to its parent: the other of the two is only kept.
    stray = "parent" if content["type"] == "pollopt" else "poll"
    if stray in content:
        extra[stray] = content.pop(stray)
    text = content.get("text")
    if text is not None:
        bare = plain(text)
        content["plain"] = bare if bare != text else None
    if extra:
        content["extra"] = _extra(extra)
    if "fetchedAt" in given:  # when a copy was made is no part of what it says
        given = {name: value for name, value in given.items() if name != "fetchedAt"}
    draft.content, draft.hash = content, hash_of(given)


def fetched_at(given: Mapping[str, Any], default: int) -> int:
    """When the copy was fetched, in ms: what it says itself, otherwise when it was handed over."""
    own = given.get("fetchedAt")
    if own is None:
        return default
    if isinstance(own, bool) or not isinstance(own, int) or not EARLIEST * 1000 <= own <= MAX_NUMBER:
        raise BadField("fetchedAt", f"{own!r:.60} is not a time in milliseconds")
    return own


def _type(name: str, value: Any, draft: Draft) -> str:
    if not isinstance(value, str) or value not in TYPES:
        raise BadField(name, f"{value!r:.60} is none of {', '.join(TYPES)}")
    return value


def _time(name: str, value: Any, draft: Draft) -> int:
    number = _count(name, value, draft)
    if number < EARLIEST or number > draft.fetched_at // 1000 + AHEAD_SECONDS:
        raise BadField(name, f"{number} is not a time between 2006 and when the item was fetched")
    return number


def _count(name: str, value: Any, draft: Draft) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadField(name, f"{value!r:.60} is not a whole number")
    if not 0 <= value <= MAX_NUMBER:
        raise BadField(name, f"{value} is negative" if value < 0 else f"{value} is too large")
    return value


def _id(name: str, value: Any, draft: Draft) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= MAX_ID:
        raise BadField(name, f"{value!r:.60} is no id of an item")
    return value


def _ids(name: str, value: Any, draft: Draft) -> list[int] | None:
    if not isinstance(value, list | tuple) or len(value) > MAX_LIST:
        raise BadField(name, f"must be a list of at most {MAX_LIST} ids")
    for one in value:
        if _id(name, one, draft) <= draft.id:
            raise BadField(name, f"{one} is not younger than {draft.id}, which lists it")
    return list(dict.fromkeys(value)) or None


def _text(name: str, value: Any, longest: int) -> str:
    if not isinstance(value, str):
        raise BadField(name, f"must be a text, not {type(value).__name__}")
    if len(value) > longest:
        raise BadField(name, f"has {len(value)} characters, {longest} at most")
    if not value.isascii() and _SURROGATE.search(value):
        raise BadField(name, "holds half a character (a lone surrogate)")
    return value.replace("\0", "") if "\0" in value else value


def _name(name: str, value: Any, draft: Draft) -> str | None:
    return _text(name, value, MAX_NAME) or None


def _title(name: str, value: Any, draft: Draft) -> str | None:
    return clean(_text(name, value, MAX_TITLE)) or None


def _body(name: str, value: Any, draft: Draft) -> str | None:
    return clean(_text(name, value, MAX_TEXT)) or None


def _url(name: str, value: Any, draft: Draft) -> str | None:
    url = _text(name, value, MAX_URL).strip()
    if not url:
        return None
    try:
        parts = urlsplit(url)
        well_formed = parts.scheme in ("http", "https", "ftp") and bool(_HOST.fullmatch(parts.hostname or ""))
        _ = parts.port
    except ValueError:
        well_formed = False
    if not well_formed or any(character.isspace() for character in url):
        raise BadField(name, f"{url!r:.100} is not a well-formed address")
    return url


def _flag(name: str, value: Any, draft: Draft) -> bool:
    if not isinstance(value, bool):
        raise BadField(name, f"{value!r:.60} is neither true nor false")
    return value


def _extra(extra: dict[str, Any]) -> str:
    try:
        text = json.dumps(extra, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise BadField(next(iter(extra)), f"can't be kept as JSON: {error}") from None
    if len(text) > MAX_EXTRA:
        raise BadField(next(iter(extra)), f"fields beyond the schema have {len(text)} characters, {MAX_EXTRA} at most")
    return text


_FIELDS: dict[str, Callable[[str, Any, Draft], Any]] = {
    "type": _type, "by": _name, "time": _time, "title": _title, "text": _body, "url": _url, "score": _count,
    "descendants": _count, "parent": _id, "poll": _id, "kids": _ids, "parts": _ids, "deleted": _flag, "dead": _flag,
}  # fmt: skip
