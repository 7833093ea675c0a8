"""One query to a wiki with all its continuations, merged into whole pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from graphvine.workers.wikipedia.errors import Fault, SourceRefused, SourceUnavailable
from graphvine.workers.wikipedia.redirects import follow, redirect_in
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Failed, Hop, Missing, Page, Result

if TYPE_CHECKING:
    import mwclient


# 50 pages of 5,000 links each are 500 calls; what goes on beyond this does not end.
_MAX_CALLS = 2_000
_TRANSIENT: Mapping[str, Fault] = {
    "maxlag": "maxlag", "ratelimited": "ratelimited", "actionthrottledtext": "ratelimited",
    "readonly": "readonly", "toomanyrequests": "too_many_requests", "timeouterror": "timeout",
}  # fmt: skip


@dataclass
class Answer:
    """What a query said, over all its continuations."""

    pages: dict[str, dict[str, Any]] = field(default_factory=dict)
    # What was asked -> how the wiki spells it.
    spelt: dict[str, str] = field(default_factory=dict)
    interwiki: set[str] = field(default_factory=set)
    redirects: dict[str, dict[str, Any]] = field(default_factory=dict)
    rest: dict[str, Any] = field(default_factory=dict)
    # The wiki could not go on: what comes next is larger than what it sends in one answer.
    stuck: bool = False

    def take(self, query: Mapping[str, Any]) -> None:
        """Add one answer's part."""
        for pair in (*query.get("normalized", ()), *query.get("converted", ())):
            asked = unquote(pair["from"]) if pair.get("fromencoded") else pair["from"]
            self.spelt[asked] = pair["to"]
        self.interwiki |= {row["title"] for row in query.get("interwiki", ())}
        for row in query.get("redirects", ()):
            self.redirects[row["from"]] = row
        for page in query.get("pages", ()):
            _merge(self.pages.setdefault(str(page["title"]), {}), page)
        for key, value in query.items():
            if isinstance(value, list) and key not in _OWN_KEYS:
                self.rest.setdefault(key, []).extend(value)
            elif isinstance(value, dict) or key not in _OWN_KEYS:
                self.rest[key] = value

    def page_of(self, title: str) -> dict[str, Any] | None:
        """The page for a title that was asked; None where the wiki left it out."""
        for _ in range(3):
            if title not in self.spelt:
                break
            title = self.spelt[title]
        return self.pages.get(title)


_OWN_KEYS = frozenset({"normalized", "converted", "interwiki", "redirects", "pages"})


def run_query(
    site: mwclient.Site, source: str, maxlag_seconds: int, *, once: bool = False, **parameters: Any
) -> Answer:
    """Ask until the wiki has nothing to continue with; or once, for the beginning of a long list."""
    answer = Answer()
    more: dict[str, Any] = {}
    for _ in range(_MAX_CALLS):
        body = _call(site, source, parameters | {"maxlag": maxlag_seconds, "formatversion": 2} | more)
        try:
            answer.take(body.get("query", {}))
        except (KeyError, TypeError, AttributeError) as error:
            raise SourceUnavailable(source, "bad_json", f"its answer has no known form ({error!r})") from error
        following = body.get("continue")
        if not following or once:
            return answer
        if following == more:
            if "result" not in body.get("warnings", {}):
                break
            answer.stuck = True
            return answer
        more = dict(following)
    raise SourceUnavailable(source, "endless_continuation", "its answer goes on without end")


def _call(site: mwclient.Site, source: str, parameters: dict[str, Any]) -> Mapping[str, Any]:
    from mwclient import errors

    try:
        body = site.post("query", **parameters)
    except errors.APIError as error:
        raise _classified(source, str(error.code), str(error.info)) from error
    except errors.InvalidResponse as error:
        raise SourceUnavailable(source, "bad_json", "its answer is not JSON") from error
    except errors.MaximumRetriesExceeded as error:
        raise SourceUnavailable(source, "server_error", "its database does not answer") from error
    except errors.APIDisabledError as error:
        raise SourceRefused(source, "its API is switched off", "Read from a dump instead.") from error
    except (AttributeError, KeyError, TypeError) as error:
        # JSON, but not of the form that mwclient knows how to read.
        raise SourceUnavailable(source, "bad_json", f"its answer has no known form ({error!r})") from error
    if not isinstance(body, dict) or not isinstance(body.get("query", {}), dict):
        raise SourceUnavailable(source, "bad_json", "its answer has no known form")
    return body


def _classified(source: str, code: str, info: str) -> SourceUnavailable | SourceRefused:
    """An error that the wiki names: will it pass, or does a setting have to change?"""
    if code in _TRANSIENT:
        return SourceUnavailable(source, _TRANSIENT[code], f"it says {info.rstrip('.')!r}")
    if code.startswith("internal_api_error"):
        return SourceUnavailable(source, "server_error", f"it says {info.rstrip('.')!r}")
    advice = {
        "readapidenied": "This wiki is private; read from a dump instead.",
        "toomanyvalues": "Ask for at most 50 titles a call.",
    }.get(code, "Check wikipedia.api_url and whether this address is blocked.")
    return SourceRefused(source, f"it says {info.rstrip('.')!r} ({code})", advice)


def _merge(page: dict[str, Any], part: Mapping[str, Any]) -> None:
    """Add what one answer tells of a page: lists grow, the rest is the same or new."""
    for key, value in part.items():
        if isinstance(value, list):
            page.setdefault(key, []).extend(value)
        elif isinstance(value, dict):
            page.setdefault(key, {}).update(value)
        else:
            page[key] = value


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
