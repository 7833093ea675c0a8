"""Pages from the API of any MediaWiki, fifty titles a call."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from graphvine.workers.wikipedia.api_connection import CallLimits, Connection
from graphvine.workers.wikipedia.api_query import Answer, result_of, run_query, with_redirects
from graphvine.workers.wikipedia.disambiguation import LISTING
from graphvine.workers.wikipedia.errors import SourceRefused, SourceUnavailable
from graphvine.workers.wikipedia.site import TEMPLATE, SiteRules, rules_from_siteinfo
from graphvine.workers.wikipedia.sources import Failed, Page, Result, read_title
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
                "public wikis require a contact address (GRAPHVINE_WIKIPEDIA_CONTACT)",
                "Set wikipedia.contact to a mail or web address.",
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
                listing = {"titles": LISTING, "prop": "links", "plnamespace": TEMPLATE, "pllimit": "max"}
                answer = self._query(meta="siteinfo", siprop=parts, **listing)
                try:
                    listed = _listed_templates(answer)
                    self._rules = replace(rules_from_siteinfo(answer.rest), disambiguation_templates=listed)
                except (AttributeError, KeyError, TypeError, ValueError) as error:
                    raise SourceUnavailable(self._name, "bad_json", "it does not say what it is") from error
            return self._rules

    def fetch(self, titles: Sequence[str]) -> list[Result]:
        rules = self.rules()
        read = [read_title(asked, rules) for asked in titles]
        wanted = dict.fromkeys(title.full for title in read if isinstance(title, Title))
        found: dict[str, Result] = {}
        for some in _pieces(wanted, self._batch_size):
            try:
                found |= self._fetch_some(some, rules)
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                raise SourceUnavailable(self._name, "bad_json", f"its answer lacks {error!r}") from error
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

    @property
    def cut(self) -> str:
        return ""

    def titles(self, contains: str = "", limit: int = 1000, *, namespace: int = 0) -> list[str]:
        """In the order of the wiki; with a text, what its search finds with it in the title."""
        if contains:
            found = self._listed(list="search", srsearch=contains, srnamespace=namespace, srlimit="max", srprop="")
            return sorted(title for title in found if contains.casefold() in title.casefold())[:limit]
        titles: list[str] = []
        while len(titles) < limit:
            # It counts on from a title without the prefix of its namespace, and names that one again.
            last = titles[-1].partition(":")[2] if titles and namespace else titles[-1] if titles else ""
            more = self._listed(list="allpages", apnamespace=namespace, aplimit="max", apfrom=last)
            new = more[1:] if titles and more[:1] == titles[-1:] else more
            if not new:
                break
            titles += new
        return titles[:limit]

    def like(self, title: str, limit: int = 3) -> list[str]:
        try:
            begun = self._listed(list="prefixsearch", pssearch=title, psnamespace=0, pslimit=limit)
            found = self._listed(list="search", srsearch=title, srnamespace=0, srlimit=limit, srprop="")
        except (SourceUnavailable, SourceRefused):
            return []  # a hint is not worth an error
        return [one for one in dict.fromkeys([*begun, *found]) if one != title][:limit]

    def members(self, category: str) -> list[str]:
        with self._lock:
            answer = self._query(list="categorymembers", cmtitle=category, cmnamespace=0, cmlimit="max", cmprop="title")
        return [str(row["title"]) for row in answer.rest.get("categorymembers", ())]

    def close(self) -> None:
        self._connection.close()

    def _listed(self, **parameters: Any) -> list[str]:
        """The titles at the beginning of a list."""
        with self._lock:
            answer = self._query(once=True, **parameters)
        return [str(row["title"]) for row in answer.rest.get(parameters["list"], ())]

    def _fetch_some(self, titles: Sequence[str], rules: SiteRules) -> dict[str, Result]:
        """One query for the pages as they stand and, where some are redirects, one for where they lead."""
        with self._lock:
            answer = self._ask(titles)
            results = {title: result_of(title, answer, self._with_links) for title in titles}
            for title in [title for title, result in results.items() if result is None]:
                # Deleted between two continuations, or behind a page that is too large: alone it will show.
                alone = self._ask([title])
                too_large = Failed(title, title, "too_large", "its text is larger than any answer of the wiki")
                results[title] = result_of(title, alone, self._with_links) or (too_large if alone.stuck else None)
            pointing = [title for title in titles if (answer.page_of(title) or {}).get("redirect")]
            led = self._query(titles="|".join(pointing), redirects=1) if pointing else Answer()
        whole: dict[str, Result] = {}
        for title, result in results.items():
            if result is None:
                whole[title] = Failed(title, title, "broken", "the wiki sends no text for this page")
            elif isinstance(result, Page) and title in pointing:
                whole[title] = with_redirects(result, led, rules)
            else:
                whole[title] = result
        return whole

    def _ask(self, titles: Sequence[str]) -> Answer:
        props = "revisions|info|pageprops|categories" + ("|links" if self._with_links else "")
        options = {key: value for key, value in _PROPERTIES.items() if self._with_links or key[:2] != "pl"}
        return self._query(prop=props, titles="|".join(titles), **options)

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
        raise SourceRefused(url, "this is no web address", "Give wikipedia.api_url as https://HOST/w/api.php.")
    if parts.path.endswith("/api.php"):
        return parts.scheme, parts.netloc, parts.path.removesuffix("api.php")
    return parts.scheme, parts.netloc, "/w/"


def _listed_templates(answer: Answer) -> frozenset[str]:
    """The templates for lists of meanings that the wiki names: not every one marks the pages themselves."""
    links = (answer.page_of(LISTING) or {}).get("links", ())
    return frozenset(str(link["title"]).partition(":")[2].lower() for link in links)


def _asked_as(result: Result, asked: str) -> Result:
    return result if result.asked == asked else replace(result, asked=asked)


def _pieces(items: Iterable[T], size: int) -> Iterator[list[T]]:
    whole = list(items)
    return (whole[start : start + size] for start in range(0, len(whole), size))
