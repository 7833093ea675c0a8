"""The HTML that wikitext may hold, and what becomes of it."""

from __future__ import annotations

import html
import re

from graphvine.workers.wikipedia.placeholders import SUB, SUB_END, SUP, SUP_END

BLOCK_TAGS = frozenset(
    {
        "blockquote", "center", "div", "dl", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "poem",
        "ul", "br", "hr", "section", "article", "figure", "figcaption", "details", "summary",
    }
)  # fmt: skip
TABLE_TAGS = frozenset({"table", "tr", "td", "th", "caption", "thead", "tbody", "tfoot", "col", "colgroup"})
# Set apart from what stands around them: digits on both sides are not one number.
APART_TAGS = frozenset({"small", "s", "del", "strike", "rt", "rp", "ref", "references", "gallery"})
INLINE_TAGS = frozenset(
    {
        "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em", "font", "i", "ins", "kbd", "link",
        "mark", "meta", "nowiki", "noinclude", "includeonly", "onlyinclude", "pre", "q", "rb", "rtc", "ruby", "samp",
        "span", "strong", "time", "translate", "tt", "tvar", "u", "var", "wbr", "math", "syntaxhighlight",
        "source", "languages",
    }
)  # fmt: skip
RAISED_TAGS = {"sup": (SUP, SUP_END), "sub": (SUB, SUB_END)}
# Boxes beside or below the text, in tables and in blocks.
_BOXES = re.compile(
    r"infobox|navbox|navigation|sidebar|ambox|metadata|noprint|mw-empty|\btoc\b|succession|vevent|catlinks"
)
_CLASS = re.compile(r"""\bclass\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9A-Fa-f]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});")
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)


_SET_APART = re.compile(r"vertical-align\s*:|overline|line-through|visibility\s*:\s*hidden", re.IGNORECASE)


class StyledTags:
    """Inline tags whose style says more than how digits look: raised, crossed out, repeating without end."""

    def __init__(self) -> None:
        # By name: those that are open, from the first one on that sets its text apart.
        self._open: dict[str, list[bool]] = {}

    def is_edge(self, name: str, closing: bool, attributes: str) -> bool:
        """Whether a tag begins or ends such a text: digits on both sides of it are not one number."""
        opened = self._open.get(name)
        if closing:
            return bool(opened) and self._open[name].pop()
        apart = bool(attributes) and not attributes.endswith("/") and bool(_SET_APART.search(attributes))
        if apart or (opened and not attributes.endswith("/")):
            self._open.setdefault(name, []).append(apart)
        return apart


def is_box(attributes: str) -> bool:
    """Whether what has these attributes is a box beside the text, or hidden."""
    if not attributes:
        return False
    named = _CLASS.search(attributes)
    if named and _BOXES.search((named[1] or named[2] or named[3] or "").lower()):
        return True
    return bool(_HIDDEN.search(attributes))


def unescaped(text: str) -> str:
    """With the characters that &names; and &#numbers; stand for."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
