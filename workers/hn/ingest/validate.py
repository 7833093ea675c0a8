"""What an item may hold, by the schema of the Firebase API.

Only what the document requires refuses an item: its id and its type here, its parent or poll where threads are built. A
field that is optional and wrong is kept in `extra`, with the reason under `_notes`, and the item stays. Fields that the
schema does not know are kept in `extra` too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from graphvine.workers.hn.ingest.html_text import cleaned_and_plain
from graphvine.workers.hn.ingest.item import MAX_ID, NOTES, TYPES, Draft, hash_of
from graphvine.workers.hn.ingest.usual import (
    AHEAD_SECONDS,
    EARLIEST,
    MAX_LIST,
    MAX_NAME,
    MAX_NUMBER,
    MAX_TEXT,
    MAX_TITLE,
    MAX_URL,
    PLAIN_URL,
    usual,
)

MAX_EXTRA = 100_000
_OWN = frozenset({"id", "hnId", "fetchedAt", NOTES})
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"\s")
_HOST = re.compile(r"[^\s/@?#\\<>\"^`{|}]+")


class BadField(ValueError):
    """A field that can't be what it is given as."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field, self.problem = field, problem


def validate(draft: Draft) -> None:
    """Fill the draft's content from what was given; BadField names the field without which it is no item."""
    if (found := usual(draft.given, draft.fetched_at)) is not None:
        draft.content, draft.hash = found
        if (text := draft.content["text"]) is not None:
            draft.content["text"], draft.content["plain"] = cleaned_and_plain(text)
    else:
        validate_each_field(draft)


def validate_each_field(draft: Draft) -> None:
    """The same for items of any form."""
    given = draft.given
    content: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    notes: dict[str, str] = {}
    if given.get("fetchedAt") is not None:
        try:
            draft.fetched_at = _fetched_at("fetchedAt", given["fetchedAt"])
        except BadField as error:
            extra["fetchedAt"], notes["fetchedAt"] = given["fetchedAt"], error.problem
    for name, value in given.items():
        if value is None or name in _OWN:
            continue
        read = _FIELDS.get(name)
        if read is None:
            extra[name] = value
            continue
        try:
            content[name] = read(name, value, draft, notes)
        except BadField as error:
            if name == "type":
                raise
            extra[name], notes[name] = value, error.problem
    if "type" not in content:
        raise BadField("type", "there is none")
    # An option belongs to its poll, anything else to its parent: the other of the two is only kept.
    stray = "parent" if content["type"] == "pollopt" else "poll"
    if stray in content:
        extra[stray] = content.pop(stray)
    if (text := content.get("text")) is not None:
        content["text"], content["plain"] = cleaned_and_plain(text)
    if extra or notes:
        content["extra"] = _extra(extra, notes)
    if "fetchedAt" in given:  # when a copy was made is no part of what it says
        given = {name: value for name, value in given.items() if name != "fetchedAt"}
    draft.content, draft.hash = content, hash_of(given)


Notes = dict[str, str]


def _type(name: str, value: Any, draft: Draft, notes: Notes) -> str:
    if not isinstance(value, str) or value not in TYPES:
        raise BadField(name, f"{value!r:.60} is none of {', '.join(TYPES)}")
    return value


def _fetched_at(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not EARLIEST * 1000 <= value <= MAX_NUMBER:
        raise BadField(name, f"{value!r:.60} is not a time in milliseconds")
    return value


def _time(name: str, value: Any, draft: Draft, notes: Notes) -> int:
    number = _count(name, value, draft, notes)
    if number < EARLIEST or number > draft.fetched_at // 1000 + AHEAD_SECONDS:
        raise BadField(name, f"{number} is not a time between 2006 and when the item was fetched")
    return number


def _count(name: str, value: Any, draft: Draft, notes: Notes) -> int:
    number = whole(value)
    if number is None:
        raise BadField(name, f"{value!r:.60} is not a whole number")
    if not 0 <= number <= MAX_NUMBER:
        raise BadField(name, f"{number} is negative" if number < 0 else f"{number} is too large")
    return number


def _id(name: str, value: Any, draft: Draft, notes: Notes) -> int:
    number = whole(value)
    if number is None or not 0 < number <= MAX_ID:
        raise BadField(name, f"{value!r:.60} is no id of an item")
    return number


def _ids(name: str, value: Any, draft: Draft, notes: Notes) -> list[int] | None:
    if not isinstance(value, list | tuple) or len(value) > MAX_LIST:
        raise BadField(name, f"must be a list of at most {MAX_LIST} ids")
    return list(dict.fromkeys([_id(name, one, draft, notes) for one in value])) or None


def _text(name: str, value: Any, longest: int, notes: Notes) -> str:
    if not isinstance(value, str):
        raise BadField(name, f"must be a text, not {type(value).__name__}")
    if len(value) > longest:
        raise BadField(name, f"has {len(value)} characters, {longest} at most")
    if not value.isascii() and _SURROGATE.search(value):
        value, notes[name] = _SURROGATE.sub("\ufffd", value), "held half a character (a lone surrogate)"
    found: str = value.replace("\0", "") if "\0" in value else value
    return found


def _name(name: str, value: Any, draft: Draft, notes: Notes) -> str | None:
    return _text(name, value, MAX_NAME, notes) or None


def _title(name: str, value: Any, draft: Draft, notes: Notes) -> str | None:
    """A title is plain text on Hacker News: it is kept as it is, and escaped where it is shown as HTML."""
    return _text(name, value, MAX_TITLE, notes) or None


def _body(name: str, value: Any, draft: Draft, notes: Notes) -> str | None:
    return _text(name, value, MAX_TEXT, notes) or None


def _url(name: str, value: Any, draft: Draft, notes: Notes) -> str | None:
    url = _text(name, value, MAX_URL, notes).strip()
    if not url:
        return None
    if PLAIN_URL.fullmatch(url):
        return url
    try:
        parts = urlsplit(url)
        well_formed = parts.scheme in ("http", "https", "ftp") and bool(_HOST.fullmatch(parts.hostname or ""))
        _ = parts.port
    except ValueError:
        well_formed = False
    if not well_formed or _SPACE.search(url):
        raise BadField(name, f"{url!r:.100} is not a well-formed address")
    return url


def host_of(url: str) -> str:
    """The host of an address that was found well-formed, in lower case."""
    plain_one = PLAIN_URL.fullmatch(url)
    return plain_one[1].lower() if plain_one else urlsplit(url).hostname or ""


def _flag(name: str, value: Any, draft: Draft, notes: Notes) -> bool:
    if value not in (True, False):  # 1 and 0 too
        raise BadField(name, f"{value!r:.60} is neither true nor false")
    return bool(value)


def whole(value: Any) -> int | None:
    """A whole number, also one that is written as 5.0; None for anything else."""
    if type(value) is int:
        return value
    return int(value) if type(value) is float and value.is_integer() else None


def _extra(extra: dict[str, Any], notes: Notes) -> str:
    """Fields beyond the schema as JSON; what can't be kept is only named."""
    try:
        text = json.dumps({**extra, NOTES: notes} if notes else extra, sort_keys=True, allow_nan=False)
        if len(text) <= MAX_EXTRA:
            return text
        problem = "too large to be kept"
    except (TypeError, ValueError, RecursionError):
        problem = "can't be kept as JSON"
    kept: dict[str, Any] = {}
    notes, room = dict(notes), MAX_EXTRA // 2
    for name in sorted(map(str, extra))[:1_000]:
        try:
            size = len(json.dumps({name: extra[name]}, allow_nan=False))
        except (KeyError, TypeError, ValueError, RecursionError):
            notes[name[:100]] = "can't be kept as JSON"
            continue
        if size > room:
            notes[name[:100]] = notes.get(name[:100], "") or problem
        else:
            kept[name], room = extra[name], room - size
    return json.dumps({**kept, NOTES: notes}, sort_keys=True)


_FIELDS: dict[str, Callable[[str, Any, Draft, Notes], Any]] = {
    "type": _type, "by": _name, "time": _time, "title": _title, "text": _body, "url": _url, "score": _count,
    "descendants": _count, "parent": _id, "poll": _id, "kids": _ids, "parts": _ids, "deleted": _flag, "dead": _flag,
}  # fmt: skip
