"""Any RSS, Atom or JSON feed, parsed in a sandbox. It has one page; its address is its name."""

from __future__ import annotations

import asyncio
import hashlib
import html
import io
import json
import re
from calendar import timegm
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from html.entities import html5
from typing import Any
from urllib.parse import urljoin

from graphvine.workers.common.pages.encodings import decode_feed
from graphvine.workers.common.sandbox import PackageMissing, Sandbox, SandboxFailed, SandboxUnavailable
from graphvine.workers.news.article import BadArticle, Found, found
from graphvine.workers.news.dates import moment_of
from graphvine.workers.news.errors import NewsPartsMissing, ProviderError
from graphvine.workers.news.providers.interface import Ask, Page, asked, part, taken

_HEADERS = {
    "Accept": "application/rss+xml,application/atom+xml,application/feed+json,application/xml;q=0.9,text/xml;q=0.8,"
    "application/json;q=0.7,*/*;q=0.5"
}
_MOST_ENTRIES = 10_000
_REFERENCES = re.compile(
    r"<!\[CDATA\[.*?\]\]>|&([A-Za-z][A-Za-z0-9]{1,31});|((?:&#[0-9]{1,8};|&#[xX][0-9A-Fa-f]{1,7};)+)|&", re.DOTALL
)
_DECLARATION = re.compile(r"<\?xml[^>]{0,300}\?>")
_LINE_ENDS = re.compile(r"[\t\r\n]+ *")
_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_CONTROL = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF])
_LINK_IN_TEXT = re.compile(r"<a\s[^>]{0,500}?\bhref\s*=\s*[\"']?(https?://[^\"'<>]{1,2000})", re.IGNORECASE)
_NO_PART = re.compile(r"=|^(?:comments?|respond|disqus_thread|top|main|content|more-\d+|rss|feed)$", re.IGNORECASE)
_PARSE_SECONDS, _MEMORY_BYTES = 10.0, 512 << 20


class Feed:
    keyed = False

    def __init__(self, url: str, *, parse_seconds: float = _PARSE_SECONDS) -> None:
        self._url, self._parse_seconds = url, parse_seconds

    @property
    def name(self) -> str:
        """Its address; the query may hold a key, so only its hash is shown."""
        where, _, query = self._url.partition("?")
        return f"feed {where}" + (f" {hashlib.sha256(query.encode()).hexdigest()[:8]}" if query else "")

    async def page(self, ask: Ask, cursor: str) -> Page:
        answer = await asked(self.name, ask, self._url, _HEADERS)
        sandbox = Sandbox(f"{__name__}:open_task", seconds=self._parse_seconds, memory_bytes=_MEMORY_BYTES)
        try:
            feed = await sandbox.acall({"charset": answer.charset}, answer.body)
        except PackageMissing as error:
            raise NewsPartsMissing("reading feeds", error.name) from None
        except (SandboxFailed, SandboxUnavailable) as error:
            raise ProviderError(self.name, str(error)) from None
        finally:
            await asyncio.to_thread(sandbox.close)
        if not feed["entries"] and not feed["version"]:
            kind = answer.media_type or "no type"
            raise ProviderError(self.name, f"it is neither RSS nor Atom nor JSON Feed ({kind})")
        articles, rejected = taken(feed["entries"], lambda entry: self._article(entry, feed))
        return Page(articles, (*rejected, *_left_out(articles, feed["left_out"])))

    def _article(self, entry: dict[str, Any], feed: dict[str, Any]) -> Found:
        link = self._link(entry["links"])
        return found(
            link, entry["title"], date=entry["date"], description=entry["description"],
            author=entry["author"], language=feed["language"], keywords=entry["keywords"], source_title=feed["title"],
            source_url=feed["link"] and _joined(self._url, feed["link"]), provider="feed", provider_id=entry["id"],
            part=_part(link, entry["id"], feed["ids"]),
        )  # fmt: skip

    def _link(self, links: list[Any]) -> str:
        """The first of an entry's addresses that is one of the web: ids such as urn: and tag: stand among them."""
        # Blanks within an address are what a browser makes of them: line ends nothing, others %20.
        there = [_LINE_ENDS.sub("", link.strip()).replace(" ", "%20") for link in links if _text(link) and link.strip()]
        if not there:
            raise BadArticle("link: missing, or not text")
        absolute = [_joined(self._url, link) for link in there]
        return next((link for link in absolute if link.startswith(("http://", "https://"))), absolute[0])


def _part(link: str, id: str | None, ids: Mapping[str, int]) -> str:
    """The part of its page that an entry stands for (changelog#v2): one that the feed gives an id of its own.

    What says where a reader came from (#xtor=RSS-1) is no part, nor is a place that every page of a site has, nor a
    mark that the entry's id leaves out.
    """
    page, _, part = link.partition("#")
    own = part and id and id != page and ids[id] == 1
    return part if own and not _NO_PART.search(part) else ""


def _left_out(articles: Sequence[Found], behind: int) -> Iterator[str]:
    """What is not taken although nothing is wrong with it."""
    if behind:
        yield f"{behind:,} entries behind the first {_MOST_ENTRIES:,} are left out"
    titles: dict[str, set[str]] = {}
    for article in articles:
        titles.setdefault(article.id, set()).add(article.title)
    again = sum(len(names) - 1 for names in titles.values())
    if again:
        yield f"{again:,} entries name the page of another entry: a page is one article, with the title it came with"


def _joined(base: str, link: str) -> str:
    try:
        return urljoin(base, link)
    except ValueError:
        return link


def open_task(setup: None) -> Callable[[dict[str, Any], bytes], dict[str, Any]]:
    """The task, in the sandbox."""
    with suppress(ImportError):  # reported when a feed needs it
        import feedparser  # noqa: F401  it takes long to load: before the first feed, not during it
    return lambda request, body: parse_feed(body, request["charset"])


def parse_feed(body: bytes, charset: str) -> dict[str, Any]:
    """The fields of a feed and its entries, as plain text."""
    text = decode_feed(body, charset)
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return _json_feed(text)
    import feedparser

    # As a stream: a body that looks like an address, or a path, would be opened as one.
    stream, headers = io.BytesIO(_well_formed(text)), {"content-type": "application/xml; charset=utf-8"}
    parsed = feedparser.parse(stream, response_headers=headers, resolve_relative_uris=False)
    head, found = parsed.get("feed") or {}, parsed.get("entries") or []
    entries = [_entry(entry) for entry in found[:_MOST_ENTRIES]]
    return {
        "version": _text(parsed.get("version")), "title": _text(head.get("title")), "link": _text(head.get("link")),
        "language": (_text(head.get("language")) or "")[:40],
        "entries": entries, "ids": _ids(entries), "left_out": max(0, len(found) - _MOST_ENTRIES),
    }  # fmt: skip


def _ids(entries: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How often each id is given: one that several entries have tells none of them apart."""
    return dict(Counter(entry["id"] for entry in entries if entry["id"]))


def _entry(entry: Any) -> dict[str, Any]:
    links = entry.get("links") or []
    alternates = [part(link, "href") for link in links if part(link, "rel") in ("alternate", None)]
    # What an entry without a page of its own is about: its full text elsewhere, or a recording.
    others = [part(link, "href") for link in links if part(link, "rel") in ("via", "related", "enclosure")]
    contents = entry.get("content") or []
    content = next(iter(contents), None)
    description = _markup(entry, "summary") or (_text(part(content, "value")) if content else None)
    return {
        "links": [
            entry.get("feedburner_origlink"), _own_link(entry), *alternates, _address(entry.get("id")),
            *(part(one, "src") for one in contents), *others, _link_in(description),
        ], "title": _markup(entry, "title"),
        "date": _date(entry), "description": description, "author": _text(entry.get("author")),
        "keywords": [_text(part(tag, "term")) for tag in entry.get("tags") or []], "id": _text(entry.get("id")),
    }  # fmt: skip


def _link_in(text: str | None) -> str | None:
    """The first address in the text of an entry that names no page itself."""
    found = _LINK_IN_TEXT.search(text or "")
    return html.unescape(found[1]) if found else None


def _own_link(entry: Any) -> Any:
    """An entry's link; a guid that stands for one where there is none may be any word."""
    link = entry.get("link")
    return _address(link) if link == entry.get("id") and isinstance(link, str) and "/" not in link else link


def _address(id: Any) -> str | None:
    """An id that is an address of the web; any other says nothing of where the page is."""
    text = (_text(id) or "").strip()
    return text if text.startswith(("http://", "https://")) else None


def _markup(entry: Any, name: str) -> str | None:
    """A field as HTML: in one that is plain text, < and & stand for themselves."""
    text = _text(entry.get(name))
    plain = part(entry.get(f"{name}_detail"), "type") == "text/plain"
    return html.escape(text) if text is not None and plain else text


def _json_feed(text: str) -> dict[str, Any]:
    """A JSON Feed (jsonfeed.org) in the same fields."""
    try:
        feed = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        feed = None
    version = _text(part(feed, "version")) or ""
    items = part(feed, "items")
    if "jsonfeed.org" not in version or not isinstance(items, list):
        return {"version": None, "title": None, "link": None, "language": "", "entries": [], "ids": {},
                "left_out": 0}  # fmt: skip
    entries = [_json_entry(item) for item in items[:_MOST_ENTRIES]]
    return {
        "version": version, "title": _plain(part(feed, "title")), "link": _text(part(feed, "home_page_url")),
        "language": (_text(part(feed, "language")) or "")[:40],
        "entries": entries, "ids": _ids(entries), "left_out": max(0, len(items) - _MOST_ENTRIES),
    }  # fmt: skip


def _json_entry(item: Any) -> dict[str, Any]:
    authors = part(item, "authors")
    author = authors[0] if isinstance(authors, list) and authors else part(item, "author")
    tags = part(item, "tags")
    text = _plain(part(item, "summary")) or _text(part(item, "content_html")) or _plain(part(item, "content_text"))
    shown = _link_in(_text(part(item, "content_html")))
    links = [part(item, "url"), part(item, "external_url"), _address(part(item, "id")), shown]
    return {
        "links": links, "title": _plain(part(item, "title")), "description": text,
        "date": _text(part(item, "date_published")) or _text(part(item, "date_modified")) or "",
        "author": _plain(part(author, "name")), "keywords": tags if isinstance(tags, list) else [],
        "id": str(id) if type(id := part(item, "id")) is int else _text(id),
    }  # fmt: skip


def _plain(value: Any) -> str | None:
    text = _text(value)
    return None if text is None else html.escape(text)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _date(entry: Any) -> str:
    names = [name for name in ("published", "updated", "created") if name in entry]
    for name in names:
        said = _text(entry[name]) or ""
        if moment_of(said) is not None:
            return said
    return next(filter(None, (_parsed(entry, name) for name in names)), "")


def _parsed(entry: Any, name: str) -> str:
    """feedparser knows more forms, and makes a date of much that is none: its parts must be those that were written."""
    said, at = _text(entry[name]) or "", entry.get(f"{name}_parsed")
    try:
        found = datetime.fromtimestamp(timegm(at), UTC) if at else None
    except (ValueError, OverflowError, TypeError):
        found = None
    if found is None or not said.isascii():
        return ""
    written = {int(number) for number in re.findall(r"[0-9]{1,4}", said)}
    month = found.month in written or f"{found:%b}".lower() in said.lower()
    return found.isoformat() if month and {found.year, found.day} <= written else ""


def _well_formed(text: str) -> bytes:
    """XML as feeds mean it: HTML's names for characters, a bare &, and characters that none may hold cost an entry its
    words, or the feed all of its entries."""
    text = _DECLARATION.sub("", text, count=1)  # of an encoding that it no longer has
    if "<!ENTITY" not in text:
        text = _REFERENCES.sub(_reference, text).translate(_CONTROL)
    return text.encode("utf-8", "replace")


def _reference(found: re.Match[str]) -> str:
    whole, name, numbers = found[0], found[1], found[2]
    if numbers:
        return _characters(numbers)
    if whole[0] != "&" or name in _OF_XML:
        return whole  # CDATA, or what XML knows
    characters = html5.get(f"{name};") if name else None
    return "".join(f"&#{ord(one)};" for one in characters) if characters else "&amp;" + whole[1:]


def _characters(numbers: str) -> str:
    """Characters by number. Two halves of one, as some programs write them, are one; what is none is left out."""
    codes = [int(one[1:], 16) if one[0] in "xX" else int(one) for one in numbers[2:-1].split(";&#")]
    text = "".join(chr(code) for code in codes if code <= 0x10FFFF)
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return "".join(f"&#{ord(one)};" for one in whole if ord(one) not in _CONTROL)
