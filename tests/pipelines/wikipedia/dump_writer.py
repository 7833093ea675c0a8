"""Writes MediaWiki XML dumps for tests: by hand, page by page, or many at once from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

SPACES = {
    -2: "Media", -1: "Special", 0: "", 1: "Talk", 2: "User", 3: "User talk", 4: "Test wiki", 5: "Test wiki talk",
    6: "File", 7: "File talk", 8: "MediaWiki", 9: "MediaWiki talk", 10: "Template", 11: "Template talk", 12: "Help",
    13: "Help talk", 14: "Category", 15: "Category talk",
}  # fmt: skip


@dataclass(frozen=True)
class DumpPage:
    """A page to be written; `texts` are its revisions, oldest first."""

    title: str
    texts: tuple[str, ...]
    namespace: int = 0
    redirect: str = ""
    model: str = "wikitext"


def page(title: str, *texts: str, namespace: int = 0, redirect: str = "", model: str = "wikitext") -> DumpPage:
    return DumpPage(title, texts or ("",), namespace, redirect, model)


def head(case: str = "first-letter", language: str = "en") -> str:
    spaces = "".join(f'<namespace key="{number}" case="{case}">{name}</namespace>\n' for number, name in SPACES.items())
    return (
        f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="{language}">\n'
        f"<siteinfo><sitename>Test wiki</sitename><case>{case}</case>"
        f"<namespaces>\n{spaces}</namespaces></siteinfo>\n"
    )


def page_xml(number: int, page: DumpPage) -> str:
    """One page; revision numbers grow with the page's number."""
    form = {"wikitext": "text/x-wiki", "json": "application/json", "javascript": "text/javascript"}[page.model]
    mark = f"<redirect title={quoteattr(page.redirect)} />\n" if page.redirect else ""
    revisions = "".join(
        f"<revision><id>{number * 100 + place}</id>"
        f"<timestamp>2025-02-{1 + place:02}T10:00:00Z</timestamp>"
        "<contributor><username>Tester</username><id>7</id></contributor>"
        f"<model>{page.model}</model><format>{form}</format>"
        f'<text bytes="{len(text.encode())}" xml:space="preserve">{escape(text)}</text></revision>\n'
        for place, text in enumerate(page.texts)
    )
    return (
        f"<page>\n<title>{escape(page.title)}</title>\n<ns>{page.namespace}</ns>\n<id>{number}</id>\n"
        f"{mark}{revisions}</page>\n"
    )


def dump_xml(pages: Iterable[DumpPage], **options: str) -> bytes:
    """A whole dump."""
    body = "".join(page_xml(number, page) for number, page in enumerate(pages, 1))
    return f"{head(**options)}{body}</mediawiki>\n".encode()


def many_pages(count: int, seed: int) -> list[DumpPage]:
    """Articles, redirects, lists of meanings and pages of other namespaces, linked to each other at random."""
    chance = random.Random(seed)
    words = ["vine", "tendril", "leaf", "größe", "δένδρο", "葡萄", "root & stem", "<b>", "naïve", "x" * 30]
    titles = [f"Page {number} {chance.choice(words[:3])}" for number in range(count)]
    pages = []
    for title in titles:
        kind = chance.random()
        other = chance.choice(titles)
        if kind < 0.1:
            pages.append(page(title, f"#REDIRECT [[{other}]]", redirect=other))
        elif kind < 0.15:
            pages.append(page(f"Category:{title}", "A category.", namespace=14))
        elif kind < 0.2:
            pages.append(page(title, f"'''X''' may mean:\n* [[{other}]]\n{{{{disambiguation}}}}"))
        else:
            text = " ".join(chance.choices(words, k=chance.randrange(5, 300)))
            links = " ".join(f"[[{chance.choice(titles)}]]" for _ in range(chance.randrange(0, 20)))
            pages.append(page(title, "An older text.", f"{text}\n\n== Part ==\n{links}\n[[Category:All]]"))
    return pages
