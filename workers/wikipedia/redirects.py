"""Redirects: what a page's text says, and where a chain of them leads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import unquote

from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Failed, Hop, Page
from graphvine.workers.wikipedia.titles import InvalidTitle, Title, parse_title

# Wikis repair double redirects; a chain of this length is a trap.
MAX_HOPS = 20
# The keyword and its link stand at the very beginning of the text.
_LOOKED_AT_CHARACTERS = 2_000
_LINK = re.compile(r"\s*:?\s*\[\[([^\[\]|\n]*)(?:\|[^\]\n]*)?\]\]")

_ANY_KEYWORD = re.compile(r"\s*#[^\[\]\n]{1,60}\[\[([^\[\]|\n]*)(?:\|[^\]\n]*)?\]\]")


def redirect_title(wikitext: str, rules: SiteRules) -> Title | None:
    """The title that a redirect page points to, of this wiki or of another; None for any other page."""
    start = wikitext[:_LOOKED_AT_CHARACTERS].lstrip()
    if not start.startswith("#"):
        return None
    lowered = start.lower()
    for word in rules.redirect_words:
        # A lowered text has the same length but for a few letters, none of which stands in a keyword.
        link = _LINK.match(start, len(word)) if lowered.startswith(word) else None
        if link:
            try:
                target = parse_title(unquote(link[1]) if "%" in link[1] else link[1], rules)
            except InvalidTitle:
                return None
            return target if target.full or target.interwiki else None
    return None


def redirect_in(wikitext: str, rules: SiteRules) -> Hop | None:
    """Where a redirect page leads within its own wiki."""
    target = redirect_title(wikitext, rules)
    return Hop(target.full, target.fragment) if target and not target.interwiki else None


def marked_redirect(title: str, wikitext: str, rules: SiteRules) -> Hop:
    """Where a page leads that its source marks as a redirect to this title; the text tells the section, in whatever
    language its keyword is."""
    marked = parse_title(title, rules)
    link = _ANY_KEYWORD.match(wikitext[:_LOOKED_AT_CHARACTERS])
    try:
        target = parse_title(unquote(link[1]) if "%" in link[1] else link[1], rules) if link else marked
    except InvalidTitle:
        target = marked
    return Hop(marked.full, target.fragment if target.full == marked.full else marked.fragment)


def follow(page: Page, next_hop: Callable[[str], Hop | None]) -> Page | Failed:
    """The page with all hops from it, or the failure that they lead round in a circle."""
    seen, hops, place = {page.title}, list[Hop](), page.title
    while hop := next_hop(place):
        hops.append(hop)
        place = hop.title
        chain = " -> ".join([page.title, *(each.title for each in hops)])
        if place in seen:
            return Failed(page.asked, page.title, "redirect_loop", f"its redirects lead in a circle: {chain}")
        if len(hops) > MAX_HOPS:
            return Failed(page.asked, page.title, "redirect_loop", f"more than {MAX_HOPS} redirects: {chain}")
        seen.add(place)
    return replace(page, redirects=tuple(hops))
