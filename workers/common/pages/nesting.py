"""Bounds how deep the elements of a page lie in one another, as browsers do, so that the parser reads it to its end.

The parser of HTML leaves out all that lies deeper than 256 elements, without a word. Real pages get there: with fonts,
quotes and tables that nobody closes, with answers to answers. Beyond the bound a tag is left out and its text stays.
"""

from __future__ import annotations

import re
from collections import Counter

MAX_DEPTH = 200
_TAG = re.compile(r"<!--|<(/?)([A-Za-z][^\s/<>]{0,40})[^<>]*>")
_IGNORED = frozenset({
    "area", "base", "basefont", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param",
    "source", "track", "wbr", "html", "head", "body",
})  # fmt: skip
# The parser ends these by itself where one of their kind begins, or of a kind that they can't hold: no more than five
# lie in one another, so they are kept beyond the bound.
_SHORT = {
    "p": 1, "rp": 1, "rt": 1, "option": 1, "li": 2, "dt": 2, "dd": 2, "td": 3, "th": 3, "tr": 4, "tbody": 5, "thead": 5,
    "tfoot": 5,
}  # fmt: skip
# An end closes what was left open inside, but nothing that weighs more.
_WEIGHTS = {"div": 1, "td": 2, "th": 2, "tr": 3, "tbody": 4, "thead": 4, "tfoot": 4, "table": 5}
# Their content is no markup.
_RAW = {name: re.compile(rf"</{name}\b", re.IGNORECASE) for name in ("script", "style", "textarea", "title", "xmp")}
_KEPT = frozenset({"html", "head", "body", "p", "br", "meta", *_RAW})
_INLINE = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "big", "code", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "small",
    "span", "strong", "tt", "u", "var",
})  # fmt: skip


def bounded(text: str) -> str:
    """The same page, no deeper than the parser goes; the very same where it is not that deep."""
    if not _is_too_deep(text):
        return text
    left = _without_the_deepest(text)
    return _flat(text) if _is_too_deep(left) else left


def _is_too_deep(text: str) -> bool:
    """Whether the parser leaves something out: it notes so."""
    from lxml import etree

    parser = etree.HTMLParser(remove_comments=True, remove_pis=True, encoding="utf-8")
    try:
        etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.LxmlError, ValueError):
        return False  # no page at all: who reads it says so
    return any("depth" in entry.message for entry in parser.error_log)


def _flat(text: str) -> str:
    """For tags in an order that nothing foresees: paragraphs and raw elements stay of all tags."""
    return _TAG.sub(lambda found: found[0] if (found[2] or "p").lower() in _KEPT else _in_place_of(found[2]), text)


def _in_place_of(tag: str) -> str:
    return "" if tag.lower() in _INLINE else "<br>"


def _without_the_deepest(text: str) -> str:
    """Leave out what lies deeper than the bound, by a guess at what the parser ends by itself."""
    parts: list[str] = []
    opened: list[str] = []
    # By name: those that are open, and those beyond the bound whose ends are left out, too.
    names, left_out = Counter[str](), Counter[str]()
    kept_until = at = 0
    while found := _TAG.search(text, at):
        at = found.end()
        if found[2] is None:
            at = text.find("-->", at) + 3
            if at < 3:
                break
            continue
        name, ends = found[2].lower(), bool(found[1])
        if name in _RAW:
            closing = at if ends else _position(_RAW[name], text, at)
            if closing is None:
                break
            at = closing
        elif name in _IGNORED or found[0].endswith("/>"):
            continue
        elif ends and not left_out[name]:
            _close(name, opened, names)
        else:
            if not ends:
                _make_room(name, opened, names)
            if not ends and (len(opened) < MAX_DEPTH or name in _SHORT):
                opened.append(name)
                names[name] += 1
                continue
            left_out[name] += -1 if ends else 1
            parts += [text[kept_until : found.start()], _in_place_of(name)]
            kept_until = at
    return "".join([*parts, text[kept_until:]])


def _position(pattern: re.Pattern[str], text: str, at: int) -> int | None:
    found = pattern.search(text, at)
    return found.start() if found else None


def _make_room(name: str, opened: list[str], names: Counter[str]) -> None:
    """End what the parser ends by itself where this one begins."""
    rank = _SHORT.get(name, 0 if name in _INLINE else 1)
    while opened and (0 < _SHORT.get(opened[-1], 9) <= rank or opened[-1] == name == "a"):
        names[opened.pop()] -= 1


def _close(name: str, opened: list[str], names: Counter[str]) -> None:
    if not names[name]:
        return
    weight, place = _WEIGHTS.get(name, 0), len(opened) - 1
    while opened[place] != name:
        if _WEIGHTS.get(opened[place], 0) > weight:
            return
        place -= 1
    for one in opened[place:]:
        names[one] -= 1
    del opened[place:]
