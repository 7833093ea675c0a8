"""Markdown, HTML and plain text to sections, links, categories and properties; runs in the parser's sandbox."""

from __future__ import annotations

import html
import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

DocumentFormat = Literal["markdown", "html", "text"]
FORMATS: dict[str, DocumentFormat] = {
    ".md": "markdown", ".markdown": "markdown", ".mdown": "markdown", ".html": "html", ".htm": "html",
    ".xhtml": "html", ".txt": "text", ".text": "text", ".rst": "text",
}  # fmt: skip

_WIKI_LINK = re.compile(r"(!?)\[\[([^\[\]|#\n]{0,500})(#[^\[\]|\n]{0,500})?(?:\|([^\[\]\n]{0,500}))?\]\]")
_FRONT = re.compile(r"\A(---|\+\+\+)[ \t]*\r?\n(.{0,100000}?)\r?\n\1[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"([\w][\w .-]{0,99}?)[ \t]*:(?:[ \t]+(.*))?$")
_BLANK = re.compile(r"\n{3,}")
# Of a document's front matter so much is kept.
_MAX_PROPERTIES, _MAX_VALUE_CHARACTERS = 200, 10_000
_CATEGORIES = ("tags", "categories", "category", "tag", "keywords")
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
        page.feed(text)
        page.close()
    else:
        reading.write(text)
    reading.end()
    document.categories = dict.fromkeys(_names(document.properties))
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
            shown = reading.wiki_links("".join(_inline(token.children or (), reading)))
            if level is not None:
                reading.heading(shown, level)
            else:
                reading.write(shown)
        elif token.type in ("fence", "code_block"):
            reading.write(token.content)
        elif token.type == "html_block":
            page = _Html(reading)
            page.feed(token.content)
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
            _keep(self._reading.properties, str(given["name"]), str(given["content"]))
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
            _keep(self._reading.properties, "title", " ".join(data.split()))
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


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The properties at the top of a document (TOML between +++, the plain part of YAML between ---), and the rest.

    What is broken there is left where it stands, as text: nothing is lost.
    """
    found = _FRONT.match(text.removeprefix("\ufeff"))
    if found is None:
        return {}, text
    rest = text.removeprefix("\ufeff")[found.end() :]
    properties: dict[str, Any] = {}
    if found[1] == "+++":
        try:
            given: Mapping[str, Any] = tomllib.loads(found[2])
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}, text
        for name, value in given.items():
            _keep(properties, name, value)
        return properties, rest
    key = ""
    for line in found[2].splitlines():
        item = line.strip()
        if not item or item.startswith("#"):
            continue
        pair = _PAIR.match(line)
        if pair:
            key = pair[1]
            _keep(properties, key, _value(pair[2] or ""))
        elif key and item.startswith("- "):
            kept = properties.get(key)
            _keep(properties, key, [*(kept if isinstance(kept, list) else []), _value(item[2:])])
        elif key and line[:1] in " \t":
            kept = properties.get(key)
            _keep(properties, key, f"{kept}\n{item}" if isinstance(kept, str) and kept else item)
        else:
            return {}, text
    return properties, rest


def _value(text: str) -> Any:
    """A scalar of YAML, or a list in brackets; anything else is the text as it stands."""
    text = text.strip()
    if text[:1] == "[" and text[-1:] == "]":
        return [_value(one) for one in text[1:-1].split(",") if one.strip()]
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d{1,15}", text):
        return int(text)
    if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text):
        return float(text)
    return "" if text in ("|", ">", "null", "~") else text


def _keep(properties: dict[str, Any], name: str, value: Any) -> None:
    if len(properties) < _MAX_PROPERTIES or name in properties:
        kept = value[:_MAX_VALUE_CHARACTERS] if isinstance(value, str | list) else value
        plain = isinstance(kept, str | int | float | bool | list)
        properties[name[:100]] = kept if plain else str(kept)[:_MAX_VALUE_CHARACTERS]


def _names(properties: Mapping[str, Any]) -> Iterator[str]:
    """The categories that the front matter names."""
    for name in _CATEGORIES:
        value = properties.get(name)
        values = value if isinstance(value, list) else str(value).split(",") if value else ()
        for one in values:
            if text := " ".join(html.unescape(str(one)).lstrip("#").split()):
                yield text
