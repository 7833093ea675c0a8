"""Tidies text that was freed from its markup."""

from __future__ import annotations

import re

_APOSTROPHES = re.compile(r"'{2,}")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u2060\ufeff]")
_BLANKS = re.compile("[ \t\u00a0\u2002-\u200a\u202f\u205f\u3000]+")
_LINE_EDGES = re.compile(r" *\n *")
_MANY_LINES = re.compile(r"\n{3,}")
# What is left of a remark in brackets when its templates are gone.
_EMPTY_BRACKETS = re.compile(r" ?\([ ,;:]*\)")
_BRACKET_START = re.compile(r"\( *[,;:] *")
_BRACKET_END = re.compile(r" *[,;:] *\)")
_SPACE_BEFORE_MARK = re.compile(r" +([,;.!?](?:\s|$))")


def without_quotes(text: str) -> str:
    """Take off the marks of bold and italic; an apostrophe beyond them stays, as MediaWiki shows it."""
    return _APOSTROPHES.sub(_apostrophes, text) if "''" in text else text


def _apostrophes(match: re.Match[str]) -> str:
    count = len(match[0])
    return "'" * (1 if count == 4 else max(0, count - 5))


def clean_text(text: str) -> str:
    """Lines without blanks at their ends, paragraphs with one empty line between them."""
    text = _BLANKS.sub(" ", _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    if "(" in text:
        text = _EMPTY_BRACKETS.sub("", text)
        text = _BRACKET_END.sub(")", _BRACKET_START.sub("(", text))
    text = _SPACE_BEFORE_MARK.sub(r"\1", text)
    return _MANY_LINES.sub("\n\n", _LINE_EDGES.sub("\n", text)).strip()


def clean_line(text: str) -> str:
    """The same on a single line."""
    return re.sub(r"\s+", " ", clean_text(text))
