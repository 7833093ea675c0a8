"""Markdown, HTML and plain text to sections, links, categories and properties; runs in the parser's sandbox."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urlsplit

from graphvine.workers.common.pages.numbers import numbers_apart
from graphvine.workers.wikipedia.front_matter import categories, front_matter, keep

FORMATS = {
    ".md": "markdown", ".markdown": "markdown", ".mdown": "markdown", ".html": "html", ".htm": "html",
    ".xhtml": "html", ".txt": "text", ".text": "text", ".rst": "text",
}  # fmt: skip

_WIKI_LINK = re.compile(r"(!?)\[\[([^\[\]|#\n]{0,500})(#[^\[\]|\n]{0,500})?(?:\|([^\[\]\n]{0,500}))?\]\]")
_BLANK = re.compile(r"\n{3,}")
_RAISED = re.compile(r"<(/?)(sup|sub|del|s|small)\s*>", re.IGNORECASE)
_ANY_TAG = re.compile(r"</?[a-z]{1,5}>")
# Characters that no text holds stand for tags, and for what looks like one.
_TAG, _TAG_END, _LESS = "\ufdd0", "\ufdd1", "\ufdd2"
_SKIPPED = frozenset({"script", "style", "noscript", "template", "svg", "math", "head"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "td",
        "th",
        "tr",
        "ul",
    ]
)


@dataclass(slots=True)
class Document:
    """What was read: sections as (title, level, text), the first of them before any heading."""

    sections: list[tuple[str, int, str]] = field(default_factory=lambda: [("", 1, "")])
    links: dict[str, None] = field(default_factory=dict)
    categories: dict[str, None] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)


def read_document(text: str, format: str, title: str) -> Document:
    """Read a document whose title is its path in the folder; links are resolved against it."""
    document = Document()
    text = text.replace("\x00", "\ufffd")
    if format != "html":
        document.properties, text = front_matter(text)
    reading = _Reading(document, posixpath.dirname(title))
    if format == "markdown":
        _read_markdown(text, reading)
    elif format == "html":
        page = _Html(reading)
        page.feed(numbers_apart(text))
        page.close()
    else:
        reading.write(text)
    reading.end()
    document.categories = dict.fromkeys(categories(document.properties))
    return document


class _Reading:
    """Collects the text of the section that is being read."""

    def __init__(self, document: Document, folder: str) -> None:
        self._document, self._folder, self._parts = document, folder, list[str]()
        self.properties = document.properties

    def heading(self, title: str, level: int) -> None:
        self.end()
        self._document.sections.append((" ".join(title.split())[:500], level, ""))

    def write(self, text: str) -> None:
        self._parts.append(text)

    def link(self, target: str) -> None:
        """A link by address: to another document of the folder, or to elsewhere, which is left alone."""
        parts = urlsplit(target.strip()[:2_000]) if "[" not in target and "]" not in target else None
        if parts is None or parts.scheme or parts.netloc or not parts.path:
            return
        path = unquote(parts.path)
        joined = path.lstrip("/") if path.startswith("/") else posixpath.join(self._folder, path)
        place = posixpath.normpath(joined)
        stem, suffix = posixpath.splitext(place)
        if place.startswith("..") or (suffix and suffix.lower() not in FORMATS):
            return  # out of the folder, or a picture and the like
        self._document.links.setdefault(stem if suffix else place)

    def wiki_links(self, text: str) -> str:
        """Take in [[links]], and return what they show."""

        def shown(found: re.Match[str]) -> str:
            target = found[2].strip()
            if target and posixpath.splitext(target)[1].lower() in ("", *FORMATS):
                stem, suffix = posixpath.splitext(target)
                self._document.links.setdefault(stem if suffix.lower() in FORMATS else target)
            return found[4] or target or (found[3] or "")[1:]

        return _WIKI_LINK.sub(shown, text) if "[[" in text else text

    def end(self) -> None:
        text = _BLANK.sub("\n\n", "".join(self._parts)).strip()
        title, level, _ = self._document.sections[-1]
        self._document.sections[-1] = title, level, text
        self._parts.clear()


def _read_markdown(text: str, reading: _Reading) -> None:
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark", {"maxNesting": 50}).enable("table").parse(text)
    level: int | None = None
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "heading_close":
            level = None
        elif token.type == "inline":
            shown = reading.wiki_links(_without_tags("".join(_inline(token.children or (), reading))))
            if level is not None:
                reading.heading(shown, level)
            else:
                reading.write(shown)
        elif token.type in ("fence", "code_block"):
            reading.write(token.content)
        elif token.type == "html_block":
            page = _Html(reading)
            page.feed(numbers_apart(token.content))
            page.close()
        if token.type.endswith("_close") or token.type in ("fence", "code_block", "hr"):
            reading.write(" " if token.type == "td_close" or token.type == "th_close" else "\n")
        if token.type == "paragraph_close" and not token.hidden:
            reading.write("\n")


def _inline(children: Iterable[Any], reading: _Reading) -> Iterator[str]:
    for child in children:
        if child.type == "link_open":
            reading.link(str(child.attrGet("href") or ""))
        elif child.type in ("text", "code_inline"):
            yield child.content
        elif child.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif child.type == "image":
            yield child.content
        elif child.type == "html_inline" and (tag := _RAISED.fullmatch(child.content)):
            yield f"{_TAG}{tag[1]}{tag[2].lower()}{_TAG_END}"


def _without_tags(text: str) -> str:
    """Text in which tags stand that keep numbers apart: what they stand for instead."""
    if _TAG not in text:
        return text
    text = text.replace("<", _LESS).replace(_TAG, "<").replace(_TAG_END, ">")
    return _ANY_TAG.sub("", numbers_apart(text)).replace(_LESS, "<")


class _Html(HTMLParser):
    """The text of a page, heading by heading. Tags that nobody closes cost nothing but themselves."""

    def __init__(self, reading: _Reading) -> None:
        super().__init__(convert_charrefs=True)
        self._reading, self._skipped = reading, 0
        self._level: int | None = None
        self._heading: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if self._level is not None and (tag in _BLOCKS or tag in _HEADINGS) and tag != "br":
            self._end_heading()  # nobody closed it
        if tag == "title":
            self._in_title = True
        elif tag == "meta" and given.get("name") and given.get("content"):
            keep(self._reading.properties, str(given["name"]), str(given["content"]))
        elif tag in _SKIPPED and tag != "head":
            self._skipped += 1
        elif tag in _HEADINGS:
            self._level, self._heading = int(tag[1]), []
        elif tag == "a" and given.get("href"):
            self._reading.link(str(given["href"]))
        if tag in _BLOCKS and self._level is None:
            self._reading.write("\n\n" if tag == "p" else "\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag in _SKIPPED and tag != "head":
            self._skipped = max(0, self._skipped - 1)
        elif self._level is not None and tag == f"h{self._level}":
            self._end_heading()

    def handle_data(self, data: str) -> None:
        if self._in_title:
            keep(self._reading.properties, "title", " ".join(data.split()))
        elif self._skipped:
            return
        elif self._level is not None:
            self._heading.append(data)
        else:
            self._reading.write(self._reading.wiki_links(re.sub(r"\s+", " ", data)))

    def close(self) -> None:
        super().close()
        self._end_heading()

    def _end_heading(self) -> None:
        if self._level is not None:
            self._reading.heading("".join(self._heading), self._level)
            self._level = None
