"""Pages from the API of any MediaWiki, fifty titles a call."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from graphvine.workers.wikipedia.api_connection import CallLimits, Connection
from graphvine.workers.wikipedia.api_query import Answer, run_query
from graphvine.workers.wikipedia.errors import SourceRefused, SourceUnavailable
from graphvine.workers.wikipedia.redirects import follow, redirect_in
from graphvine.workers.wikipedia.site import SiteRules, rules_from_siteinfo
from graphvine.workers.wikipedia.sources import Failed, Hop, Missing, Page, Result, read_title
from graphvine.workers.wikipedia.titles import Title

T = TypeVar("T")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_PROPERTIES = {
    "rvprop": "ids|timestamp|content|contentmodel", "rvslots": "main",
    "pllimit": "max", "plnamespace": "0", "cllimit": "max", "clshow": "!hidden",
}  # fmt: skip


class MediaWikiSource:
    """A wiki behind its api.php. One call at a time, as the etiquette of Wikimedia asks."""

    def __init__(
        self,
        url: str = "https://en.wikipedia.org/w/api.php",
        *,
        contact: str = "",
        version: str = "0",
        batch_size: int = 50,
        maxlag_seconds: int = 5,
        with_links: bool = True,
        limits: CallLimits = CallLimits(),
    ) -> None:
        self._scheme, self._host, self._path = split_address(url)
        self._name = self._host
        if not contact.strip() and urlsplit(f"//{self._host}").hostname not in _LOOPBACK:
            raise SourceRefused(
                self._name,
                "a wiki wants to know whom to write to",
                "Set wikipedia_contact to a mail or web address.",
            )
        self._batch_size, self._maxlag_seconds, self._with_links = batch_size, maxlag_seconds, with_links
        agent = f"graphvine/{version} ({' '.join(contact.split()) or 'local test'}) mwclient"
        self._connection = Connection(self._name, agent, limits)
        self._lock = threading.Lock()
        self._site: Any = None
        self._rules: SiteRules | None = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def batch_size(self) -> int:
        return self._batch_size

    def rules(self) -> SiteRules:
        """The wiki's own rules, asked once."""
        with self._lock:
            if self._rules is None:
                parts = "general|namespaces|namespacealiases|interwikimap|magicwords"
                answer = self._query(meta="siteinfo", siprop=parts)
                try:
                    self._rules = rules_from_siteinfo(answer.rest)
                except (KeyError, TypeError, ValueError) as error:
                    raise SourceUnavailable(self._name, "bad_json", "it does not say what it is") from error
            return self._rules

    def fetch(self, titles: Sequence[str]) -> list[Result]:
        rules = self.rules()
        read = [read_title(asked, rules) for asked in titles]
        wanted = dict.fromkeys(title.full for title in read if isinstance(title, Title))
        found: dict[str, Result] = {}
        for some in _pieces(wanted, self._batch_size):
            found |= self._fetch_some(some, rules)
        return [
            title if isinstance(title, Failed) else _asked_as(found[title.full], asked)
            for asked, title in zip(titles, read, strict=True)
        ]

    def changed_since(self, revisions: Mapping[str, int]) -> set[str]:
        changed: set[str] = set()
        rules = self.rules()
        read = {asked: read_title(asked, rules) for asked in revisions}
        changed |= {asked for asked, title in read.items() if isinstance(title, Failed)}
        wanted = [(asked, title.full) for asked, title in read.items() if isinstance(title, Title)]
        for some in _pieces(wanted, self._batch_size):
            with self._lock:
                answer = self._query(prop="info", titles="|".join(full for _, full in some))
            for asked, full in some:
                page = answer.page_of(full) or {}
                if page.get("lastrevid") != revisions[asked]:
                    changed.add(asked)
        return changed

    def close(self) -> None:
        self._connection.close()

    def _fetch_some(self, titles: Sequence[str], rules: SiteRules) -> dict[str, Result]:
        """One query for the pages as they stand and, where some are redirects, one for where they lead."""
        props = "revisions|info|pageprops|categories" + ("|links" if self._with_links else "")
        options = {key: value for key, value in _PROPERTIES.items() if self._with_links or key[:2] != "pl"}
        with self._lock:
            answer = self._query(prop=props, titles="|".join(titles), **options)
            pointing = [title for title in titles if (answer.page_of(title) or {}).get("redirect")]
            led = self._query(titles="|".join(pointing), redirects=1) if pointing else Answer()
        results: dict[str, Result] = {}
        for title in titles:
            raw = answer.page_of(title)
            result = _missing_or_failed(title, raw, answer) or self._page(title, raw or {})
            if isinstance(result, Page) and (raw or {}).get("redirect"):
                result = _with_redirects(result, led, rules)
            results[title] = result
        return results

    def _page(self, title: str, raw: Mapping[str, Any]) -> Page | Failed:
        full = str(raw["title"])
        try:
            revision = raw["revisions"][0]
        except (KeyError, IndexError):
            # Deleted between two continuations, or a fault of the server: another try will tell.
            raise SourceUnavailable(self._name, "bad_json", f"it sent {full!r} without its text") from None
        slot = revision.get("slots", {}).get("main", revision)
        if slot.get("texthidden") or slot.get("suppressed"):
            return Failed(title, full, "hidden", "its newest text was taken out of public view")
        model = slot.get("contentmodel", "wikitext")
        if model != "wikitext":
            return Failed(title, full, "not_wikitext", f"its content is {model}, not wikitext")
        if "content" not in slot:
            raise SourceUnavailable(self._name, "bad_json", f"it sent {full!r} without its text")
        return Page(
            asked=title,
            title=full,
            namespace=int(raw["ns"]),
            page_id=int(raw["pageid"]),
            revision_id=int(revision["revid"]),
            timestamp=str(revision.get("timestamp", "")),
            wikitext=str(slot["content"]),
            links=tuple(str(row["title"]) for row in raw.get("links", ())) if self._with_links else None,
            categories=tuple(str(row["title"]) for row in raw.get("categories", ())),
            properties={str(key): str(value) for key, value in raw.get("pageprops", {}).items()},
        )

    def _query(self, **parameters: Any) -> Answer:
        if self._site is None:
            import mwclient

            # No retries: it would sleep for hours while the claim runs out.
            self._site = mwclient.Site(
                self._host,
                path=self._path,
                scheme=self._scheme,
                pool=self._connection,
                max_retries=0,
                do_init=False,
            )
        return run_query(self._site, self._name, self._maxlag_seconds, **parameters)


def split_address(url: str) -> tuple[str, str, str]:
    """Scheme, host and script path of a wiki, from the address of its api.php or of any of its pages."""
    parts = urlsplit(url if "//" in url else f"https://{url}")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise SourceRefused(url, "this is no web address", "Give wikipedia_url as https://HOST/w/api.php.")
    if parts.path.endswith("/api.php"):
        return parts.scheme, parts.netloc, parts.path.removesuffix("api.php")
    return parts.scheme, parts.netloc, "/w/"


def _missing_or_failed(title: str, raw: Mapping[str, Any] | None, answer: Answer) -> Missing | Failed | None:
    if raw is None:
        if title in answer.interwiki:
            return Failed(title, title, "interwiki", "the title belongs to another wiki")
        return Failed(title, title, "invalid_title", "the wiki does not answer for this title")
    if raw.get("invalid"):
        return Failed(title, title, "invalid_title", str(raw.get("invalidreason", "the wiki refuses this title")))
    if raw.get("special"):
        return Failed(title, title, "special", "a page that the software makes up has no text of its own")
    return Missing(title, str(raw["title"])) if raw.get("missing") else None


def _with_redirects(page: Page, led: Answer, rules: SiteRules) -> Page | Failed:
    """The page with every hop that the wiki follows from it."""
    hops = {start: Hop(str(row["to"]), str(row.get("tofragment", ""))) for start, row in led.redirects.items()}
    if page.title not in hops:
        own = redirect_in(page.wikitext, rules)
        hops |= {page.title: own} if own else {}
    for row in led.redirects.values():
        if row.get("tointerwiki"):
            del hops[row["from"]]
            if row["from"] == page.title:
                return Failed(page.asked, page.title, "interwiki", f"it redirects to another wiki: {row['to']}")
    return follow(page, hops.get)


def _asked_as(result: Result, asked: str) -> Result:
    return result if result.asked == asked else replace(result, asked=asked)


def _pieces(items: Iterable[T], size: int) -> Iterator[list[T]]:
    whole = list(items)
    return (whole[start : start + size] for start in range(0, len(whole), size))
