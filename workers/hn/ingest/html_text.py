"""The HTML of an item's text: a safe subset is kept, and the plain text of it for search."""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Any

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


# How Hacker News writes the signs of HTML, apostrophes and slashes.
_USUAL_ENTITIES = {"#x27": "'", "quot": '"', "#x2F": "/", "gt": ">", "lt": "<", "amp": "&"}


def cleaned_and_plain(text: str) -> tuple[str | None, str | None]:
    """A text with nothing left that could do harm on a page, and its plain text where that differs."""
    # With no tag but paragraphs, no expression has to look at every character.
    bare = text.replace("<p>", "\n").strip() if "<" in text else text
    if "<" not in bare and ">" not in bare:
        start, *parts = bare.split("&")
        for part in parts:
            name, semicolon, rest = part.partition(";")
            sign = _USUAL_ENTITIES.get(name)
            if sign is None or not semicolon:
                break
            start += sign + rest
        else:
            return text, start if start != text else None
    cleaned = clean(text)
    bare = plain(cleaned)
    return cleaned or None, bare if cleaned and bare != cleaned else None


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
