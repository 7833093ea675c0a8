"""Looks at wikitext before it is parsed: what is too large or torn beyond reading is named at once.

mwparserfromhell goes back and tries again at every bracket that is never closed. Measured on one core: 2,000
open templates take 4 s, 2,000 open tables over 20 s, 10,000 open <div> 9 s, and the time grows with the square
of the number or worse. The limits here keep each kind below a second; what mixes them is stopped by the clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKENS = re.compile(
    r"(?P<template_open>\{\{)|(?P<template_close>\}\})|(?P<link_open>\[\[)|(?P<link_close>\]\])"
    r"|(?P<table_open>^[ \t:]*\{\|)|(?P<table_close>^[ \t]*\|\})"
    r"|<(?P<slash>/?)(?P<tag>div|span|ref|table|center|small|big|sub|sup|blockquote|nowiki|b|i|u|s|code|pre|math)"
    r"\b(?P<rest>[^<>]{0,300})>?",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Limits:
    """How large and how torn a page may be."""

    max_characters: int = 2_500_000
    max_templates_open: int = 300
    max_links_open: int = 1_000
    max_tables_open: int = 100
    max_tags_open: int = 1_000
    parse_seconds: float = 20.0
    memory_bytes: int = 2 * 1024**3


def trouble(wikitext: str, limits: Limits) -> str | None:
    """Why a text should not be parsed, or None."""
    if len(wikitext) > limits.max_characters:
        return f"its text has {len(wikitext):,} characters, the limit is {limits.max_characters:,}"
    most = {
        "template": (limits.max_templates_open, "templates"),
        "link": (limits.max_links_open, "links"),
        "table": (limits.max_tables_open, "tables"),
        "tag": (limits.max_tags_open, "tags"),
    }
    opened = dict.fromkeys(most, 0)
    for token in _TOKENS.finditer(wikitext):
        kind, closing = _kind(token)
        if kind:
            opened[kind] = max(0, opened[kind] + (-1 if closing else 1))
            limit, word = most[kind]
            if opened[kind] > limit:
                return f"more than {limit:,} {word} are open at once: the text is torn or made to confuse"
    return None


def _kind(token: re.Match[str]) -> tuple[str, bool]:
    """Which count a token changes, and whether it closes."""
    if token["tag"]:
        return ("", False) if token["rest"].endswith("/") else ("tag", bool(token["slash"]))
    kind, _, what = str(token.lastgroup).partition("_")
    return kind, what == "close"
