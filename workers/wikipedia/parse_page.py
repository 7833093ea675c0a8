"""From a page to what it says, in this process. `Parser` does the same in one that can be stopped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from graphvine.workers.wikipedia.document_parser import read_document
from graphvine.workers.wikipedia.parsed import Malformed, ParsedPage, Section
from graphvine.workers.wikipedia.redirects import redirect_in
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Page
from graphvine.workers.wikipedia.wikitext import MAIN_ONLY, Reader


@dataclass(frozen=True)
class Limits:
    """How large a page may be, and what its parsing may cost."""

    max_characters: int = 2_500_000
    parse_seconds: float = 20.0
    memory_bytes: int = 2 * 1024**3


_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")


def parse_page(
    page: Page, rules: SiteRules, limits: Limits = Limits(), link_namespaces: frozenset[int] = MAIN_ONLY
) -> ParsedPage | Malformed:
    """Read a page. Links that only the source knows, since templates make them, follow those of the text."""
    length = len(page.wikitext)
    if length > limits.max_characters:
        return Malformed(page.title, f"its text has {length:,} characters, the limit is {limits.max_characters:,}")
    if page.format != "wikitext":
        return _parse_document(page)
    redirect_to = page.redirect_to or redirect_in(page.wikitext, rules)
    reader = Reader(page.title, rules, link_namespaces)
    text = "" if redirect_to else _NOT_TEXT.sub("\ufffd", page.wikitext)
    try:
        sections = reader.read(text)
    except RecursionError:
        return Malformed(page.title, "its wikitext is nested too deep")
    return ParsedPage(
        title=page.title,
        namespace=page.namespace,
        revision_id=page.revision_id,
        sections=tuple(_nested(sections)),
        links=tuple(_links(page, reader, redirect_to is not None)),
        categories=tuple(reader.categories if page.categories is None else dict.fromkeys(page.categories)),
        redirect_to=redirect_to,
        disambiguation=reader.disambiguation or "disambiguation" in page.properties,
        description=reader.description or page.properties.get("wikibase-shortdesc", ""),
    )


def _parse_document(page: Page) -> ParsedPage | Malformed:
    try:
        document = read_document(_NOT_TEXT.sub("\ufffd", page.wikitext), page.format, page.title)
    except RecursionError:
        return Malformed(page.title, "it is nested too deep")
    given = json.loads(page.properties.get("fields", "{}"))
    properties = given | document.properties
    links = dict.fromkeys([*document.links, *(page.links or ())])
    return ParsedPage(
        title=page.title,
        namespace=page.namespace,
        revision_id=page.revision_id,
        sections=tuple(_nested(document.sections)),
        links=tuple(link for link in links if link != page.title),
        categories=tuple(dict.fromkeys([*(page.categories or ()), *(f"Category:{c}" for c in document.categories)])),
        description=str(properties.get("description") or "")[:1_000],
        properties=json.dumps(properties, ensure_ascii=False, default=str) if properties else "",
    )


def _links(page: Page, reader: Reader, is_redirect: bool) -> Iterable[str]:
    """The page's links, each once. A redirect's only link is its target, which is kept elsewhere."""
    if is_redirect:
        return ()
    return dict.fromkeys([*reader.links, *(link for link in page.links or () if link != page.title)])


def _nested(sections: Iterable[tuple[str, int, str]]) -> Iterable[Section]:
    """Sections with the path of titles that leads to each."""
    above: list[tuple[int, str]] = []
    for position, (title, level, text) in enumerate(sections):
        if position == 0:
            yield Section("", 1, 0, (), text)
            continue
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, title))
        yield Section(title, level, position, tuple(name for _, name in above), text)
