"""The main text of an HTML page by trafilatura, and what the page says about itself."""

from __future__ import annotations

import logging
import re
from typing import Any

from graphvine.workers.parts.pages.page import Page, PageLimits, UnreadablePage, clean, made

_BLANKS = re.compile(r"\n\s*\n\s*")


def read_html(text: str, url: str, limits: PageLimits) -> Page:
    """The page's own text, without menus and the like; all of its text where no main part can be told."""
    import trafilatura
    from lxml import etree

    # It tells of every page that it finds odd.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    text = _without_control(clean(text))
    try:
        tree = trafilatura.load_html(text)
        if tree is None:
            raise UnreadablePage("it is not HTML that can be read")
        whole = _all_text(tree)
        found: Any = trafilatura.bare_extraction(
            tree, url=url or None, with_metadata=True, include_comments=False, include_tables=True, deduplicate=False
        )
    except (etree.LxmlError, ValueError, RecursionError) as error:
        raise UnreadablePage(f"it is not HTML that can be read: {error}") from None
    told = found.as_dict() if found is not None else {}
    main = str(told.get("text") or "")
    return made(
        "html", _word(told, "title") or _title(text), main if main.strip() else whole, limits,
        author=_word(told, "author"), date=_word(told, "date"), site=_word(told, "sitename"),
        language=_word(told, "language") or _language(text), description=_word(told, "description"),
    )  # fmt: skip


def _all_text(tree: Any) -> str:
    """Everything that a reader would see."""
    parts = []
    for element in tree.iter():
        hidden = not isinstance(element.tag, str) or element.tag in ("script", "style", "noscript", "template", "title")
        if element.text and not hidden:
            parts.append(element.text.strip())
        if element.tail:
            parts.append(element.tail.strip())
    return _BLANKS.sub("\n", "\n".join(filter(None, parts)))


def _without_control(text: str) -> str:
    return re.sub(r"[\x01-\x08\x0b\x0c\x0e-\x1f]", " ", text)


def _word(told: dict[str, Any], name: str) -> str:
    value = told.get(name)
    return str(value) if value else ""


def _title(text: str) -> str:
    import html

    found = re.search(r"<title[^>]{0,200}>([^<]{1,500})", text[:200_000], re.IGNORECASE)
    return " ".join(html.unescape(found.group(1)).split()) if found else ""


def _language(text: str) -> str:
    found = re.search(r"<html[^>]{0,500}?\blang\s*=\s*[\"']?([A-Za-z]{2,3})", text[:20_000], re.IGNORECASE)
    return found.group(1).lower() if found else ""
