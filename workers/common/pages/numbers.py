"""Keeps numbers apart that only their markup keeps apart: 10<sup>6</sup> is not 106 once the tags are gone."""

# ruff: noqa: RUF001
from __future__ import annotations

import re

# Tags between a digit and the next one, which may have a sign.
_BETWEEN = re.compile(r"(?<=\d)((?:<[^<>]{0,500}>){1,40})(?=([-+−–±]?)\d)")
_APART = re.compile(r"<(/?)(sup|sub|del|s|strike|small|rt|rp)\b", re.IGNORECASE)
_FRACTION = re.compile(
    r"<sup\b[^<>]{0,300}>\s?(\d{1,9})</sup>\s?[/⁄]\s?<sub\b[^<>]{0,300}>\s?(\d{1,9})</sub>", re.IGNORECASE
)
_FORMULA = re.compile(r"(<(msup|msub|mfrac)\b[^<>]{0,300}>\s*<(m[ino])\b[^<>]{0,300}>[^<>]{0,80}</\3>)", re.IGNORECASE)
_FORMULA_END = re.compile(r"</(?:msup|msub|mfrac)>(?=(?:\s*<[^<>]{0,300}>){0,5}\s*\d)", re.IGNORECASE)
# Raised, crossed out or repeating without end by its style alone.
_STYLED = re.compile(
    r"<(\w{1,10})\b[^<>]{0,300}(?:vertical-align\s*:|overline|line-through)[^<>]{0,300}>([^<>]{0,80})</\1>",
    re.IGNORECASE,
)
_JOINS = {"sup": "^", "sub": "_", "msup": "^", "msub": "_", "mfrac": "/"}


def numbers_apart(html: str) -> str:
    """The same HTML, with a sign or a blank where digits would run into each other."""
    if "<" not in html:
        return html
    html = _FRACTION.sub(_fraction, html)
    html = _STYLED.sub(_styled, html)
    html = _FORMULA.sub(lambda found: found[1] + _JOINS[found[2].lower()], html)
    html = _FORMULA_END.sub(r"\g<0> ", html)
    return _BETWEEN.sub(_between, html)


def _between(found: re.Match[str]) -> str:
    tags = _APART.findall(found[1])
    if not tags:
        return found[1]
    closing, name = tags[-1]
    mark = _JOINS.get(name.lower(), "") if not closing else ""
    return found[1] + (mark or ("" if found[2] else " "))


def _styled(found: re.Match[str]) -> str:
    before, after = found.string[max(0, found.start() - 1) : found.start()], found.string[found.end() : found.end() + 1]
    front = " " if before.isdigit() and found[2][:1].isdigit() else ""
    return front + found[0] + (" " if found[2][-1:].isdigit() and after.isdigit() else "")


def _fraction(found: re.Match[str]) -> str:
    behind = found.string[found.end() : found.end() + 1]
    return f" {found[1]}/{found[2]}" + (" " if behind.isdigit() else "")
