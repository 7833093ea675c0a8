"""From what a wiki answers for a title to a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphvine.workers.wikipedia.api_query import Answer
from graphvine.workers.wikipedia.redirects import follow, redirect_in
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Failed, Hop, Missing, Page, Result


def result_of(title: str, answer: Answer, with_links: bool) -> Result | None:
    """The result for a title; None if the wiki says that there is a page and does not send it."""
    raw = answer.page_of(title)
    if raw is None:
        if title in answer.interwiki:
            return Failed(title, title, "interwiki", "the title belongs to another wiki")
        return Failed(title, title, "invalid_title", "the wiki does not answer for this title")
    if raw.get("invalid"):
        return Failed(title, title, "invalid_title", str(raw.get("invalidreason", "the wiki refuses this title")))
    if raw.get("special"):
        return Failed(title, title, "special", "a page that the software makes up has no text of its own")
    if raw.get("missing"):
        return Missing(title, str(raw["title"]))
    return _page(title, raw, with_links) if raw.get("revisions") else None


def _page(title: str, raw: Mapping[str, Any], with_links: bool) -> Page | Failed:
    full, revision = str(raw["title"]), raw["revisions"][0]
    # Wikis before 1.32 know no slots and put the text into the revision itself.
    slot = revision.get("slots", {}).get("main", revision)
    if slot.get("texthidden") or slot.get("suppressed"):
        return Failed(title, full, "hidden", "its newest text was taken out of public view")
    model = slot.get("contentmodel", "wikitext")
    if model != "wikitext":
        return Failed(title, full, "not_wikitext", f"its content is {model}, not wikitext")
    if "content" not in slot:
        return Failed(title, full, "broken", "the wiki has lost its text")
    return Page(
        asked=title,
        title=full,
        namespace=int(raw["ns"]),
        page_id=int(raw["pageid"]),
        revision_id=int(revision["revid"]),
        timestamp=str(revision.get("timestamp", "")),
        wikitext=str(slot["content"]),
        links=tuple(str(row["title"]) for row in raw.get("links", ())) if with_links else None,
        categories=tuple(str(row["title"]) for row in raw.get("categories", ())),
        properties={str(key): str(value) for key, value in raw.get("pageprops", {}).items()},
    )


def with_redirects(page: Page, led: Answer, rules: SiteRules) -> Page | Failed:
    """The page with every hop that the wiki follows from it, as its answer with `redirects` says."""
    hops = dict[str, Hop]()
    for start, row in led.redirects.items():
        if not row.get("tointerwiki"):
            hops[start] = Hop(str(row["to"]), str(row.get("tofragment", "")))
        elif start == page.title:
            return Failed(page.asked, page.title, "interwiki", f"it redirects to another wiki: {row['to']}")
    if page.title not in hops:
        # The wiki's own list lags behind its pages now and then.
        own = redirect_in(page.wikitext, rules)
        hops |= {page.title: own} if own else {}
    return follow(page, hops.get)
