"""What an item may hold, by the schema of the Firebase API, and which HTML is kept of its text.

Only what the document requires refuses an item: its id and its type here, its parent or poll where threads are built. A
field that is optional and wrong is kept in `extra`, with the reason under `_notes`, and the item stays. Fields that the
schema does not know are kept in `extra` too.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from graphvine.workers.hn.ingest.item import MAX_ID, NOTES, TYPES, Draft, hash_of

# Hacker News opened in 2006; an item of tomorrow may come from a clock that is ahead, one of next week may not.
EARLIEST, AHEAD_SECONDS = 1_136_073_600, 86_400
MAX_NAME, MAX_TITLE, MAX_URL, MAX_TEXT, MAX_LIST, MAX_EXTRA = 100, 5_000, 4_000, 200_000, 50_000, 100_000
MAX_NUMBER = (1 << 53) - 1
_OWN = frozenset({"id", "hnId", "fetchedAt", NOTES})
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"\s")
# Most addresses: what needs no closer look, which takes ten times as long. The host is the first group.
_PLAIN_URL = re.compile(r"https?://([A-Za-z0-9.-]++)(?::[0-9]{1,4})?(?:[/?#][!-~]*+)?")
_HOST = re.compile(r"[^\s/@?#\\<>\"^`{|}]+")


class BadField(ValueError):
    """A field that can't be what it is given as."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field, self.problem = field, problem


def validate(draft: Draft) -> None:
    """Fill the draft's content from what was given; BadField names the field without which it is no item."""
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
    text = content.get("text")
    if text is not None:
        bare = plain(text)
        content["plain"] = bare if bare != text else None
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
    return clean(_text(name, value, MAX_TEXT, notes)) or None


def _url(name: str, value: Any, draft: Draft, notes: Notes) -> str | None:
    url = _text(name, value, MAX_URL, notes).strip()
    if not url:
        return None
    if _PLAIN_URL.fullmatch(url):
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
    plain_one = _PLAIN_URL.fullmatch(url)
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


# HTML: a safe subset is kept, and the plain text of it for search.
TAGS = frozenset({"p", "a", "i", "b", "em", "strong", "pre", "code", "br", "blockquote", "ul", "ol", "li"})
_ENTITY = r"&(?:#x?[0-9a-fA-F]{1,6}|amp|lt|gt|quot);"
# What Hacker News itself writes is inside the subset already; looking is thirty times cheaper than cleaning.
_OWN_STYLE = re.compile(
    rf"(?:[^<>&\0]++|{_ENTITY}|</?(?:p|i|pre|code|a)>"
    rf'|<a href="https?:(?:[^"<>&\0\s]|{_ENTITY})*+"(?: rel="nofollow")?>)*+'
)
_TAG = re.compile(r"<(/?)([a-z]+)[^>]*>")
_BREAKS = re.compile(r"</?(?:p|br|pre|blockquote|ul|ol|li)\b[^>]*>")
_ANY_TAG = re.compile(r"<[^>]*>")


def clean(text: str) -> str:
    """The same text with nothing left that could do harm on a page."""
    if "<" not in text and "&" not in text and ">" not in text:
        return text
    if _OWN_STYLE.fullmatch(text) and _balanced(text):
        return text
    cleaned: str = _cleaner().clean(text)
    return cleaned


def plain(cleaned: str) -> str:
    """The words of a cleaned text, paragraphs on lines of their own."""
    if "<" in cleaned:
        cleaned = _ANY_TAG.sub("", _BREAKS.sub("\n", cleaned)).strip()
    return html.unescape(cleaned).replace("\0", "") if "&" in cleaned else cleaned


def _balanced(text: str) -> bool:
    """Whether every tag but <p> is closed in order."""
    if "<" not in text:
        return True
    open_tags: list[str] = []
    for closing, name in _TAG.findall(text):
        if name == "p":
            continue
        if not closing:
            open_tags.append(name)
        elif not open_tags or open_tags.pop() != name:
            return False
    return not open_tags


@cache
def _cleaner() -> Any:
    import nh3

    return nh3.Cleaner(
        tags=set(TAGS),
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener noreferrer",
    )
