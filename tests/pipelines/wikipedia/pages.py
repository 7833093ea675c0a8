"""Short ways to a page and to what is read out of it."""

from __future__ import annotations

from collections.abc import Mapping

from graphvine.workers.wikipedia.parse_page import Limits, parse_page
from graphvine.workers.wikipedia.parsed import Malformed, ParsedPage
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Hop, Page

RULES = SiteRules()


def a_page(
    wikitext: str,
    title: str = "Vine",
    *,
    links: tuple[str, ...] | None = None,
    categories: tuple[str, ...] | None = None,
    properties: Mapping[str, str] | None = None,
    redirects: tuple[Hop, ...] = (),
) -> Page:
    return Page(
        asked=title,
        title=title,
        namespace=0,
        page_id=1,
        revision_id=7,
        timestamp="2025-01-01T00:00:00Z",
        wikitext=wikitext,
        links=links,
        categories=categories,
        properties=properties or {},
        redirects=redirects,
    )


def read(wikitext: str, title: str = "Vine", rules: SiteRules = RULES) -> ParsedPage:
    """Parse a text that is fine."""
    parsed = parse_page(a_page(wikitext, title), rules)
    assert isinstance(parsed, ParsedPage), parsed
    return parsed


def text_of(wikitext: str, rules: SiteRules = RULES) -> str:
    """The lead of a text that has no headings."""
    parsed = read(wikitext, rules=rules)
    assert len(parsed.sections) == 1, parsed.sections
    return parsed.lead.text


def refused(wikitext: str, limits: Limits) -> Malformed:
    parsed = parse_page(a_page(wikitext), RULES, limits)
    assert isinstance(parsed, Malformed), parsed
    return parsed
