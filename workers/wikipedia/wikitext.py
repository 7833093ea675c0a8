"""Reads wikitext and keeps what a reader would read: text by section, links, categories.

The text comes without templates and extension tags (preprocess). It is read line by line, as MediaWiki does, and what
is open (a link, a table, a cell, a box) stands on a stack: what is never closed ends where MediaWiki ends it. The work
is proportional to the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from graphvine.workers.wikipedia.disambiguation import marks_disambiguation
from graphvine.workers.wikipedia.html_tags import (
    APART_TAGS,
    BLOCK_TAGS,
    INLINE_TAGS,
    RAISED_TAGS,
    TABLE_TAGS,
    StyledTags,
    is_box,
    unescaped,
)
from graphvine.workers.wikipedia.language_variants import is_converted, one_variant
from graphvine.workers.wikipedia.links import PageLinks, is_file
from graphvine.workers.wikipedia.open_elements import MAX_BOXES, MAX_LINKS, Element, OpenElements
from graphvine.workers.wikipedia.placeholders import (
    ASIDE,
    ASIDE_END,
    ASIDE_MARK,
    RESERVED,
    SEAM,
    SUB_END,
    SUP_END,
    without_marks,
)
from graphvine.workers.wikipedia.preprocess import Arguments, Preprocessor
from graphvine.workers.wikipedia.site import MAIN, SiteRules
from graphvine.workers.wikipedia.switches import without_switches
from graphvine.workers.wikipedia.table_markup import TABLE_OPEN, TableMarkup
from graphvine.workers.wikipedia.template_rules import linked_titles, template_name, template_text
from graphvine.workers.wikipedia.text_cleanup import clean_line, clean_text, without_quotes

MAIN_ONLY = frozenset({MAIN})

_TAG_OVER_LINES = re.compile(r"</?[A-Za-z][^<>\n]*+\n[^<>]*+>")
_INLINE = re.compile(
    r"\[\[([^\[\]{}<>|\n]*)(\||\]\])|\]\]"
    r"|\[((?:https?:|ftps?:|ircs?:|news:|mailto:|sftp:|ssh:|git:|svn:|tel:|urn:|geo:|magnet:|//)[^\s\[\]<>]*)[ \t]*|\]"
    r"|<(/?)([A-Za-z][A-Za-z0-9]*)([^<>]*)>"
    rf"|{ASIDE}([0-9]+){ASIDE_END}",
    re.IGNORECASE,
)
_TERM_COLON = re.compile(r"\[\[[^\[\]\n]*\]\]|<[^<>\n]*>|:(?!//)")


class Reader:
    """Reads one page. `sections` holds (title, level, text) in order, the lead first."""

    def __init__(self, title: str, rules: SiteRules, link_namespaces: frozenset[int]) -> None:
        self._title, self._rules = title, rules
        self._links = PageLinks(title, rules, link_namespaces)
        self._pages = Preprocessor(self._render)
        self._open = OpenElements()
        self._tables = TableMarkup(self._inline)
        self._section: tuple[str, int] = ("", 1)
        self._sections: list[tuple[str, int, str]] = []
        self._description = ""
        self._styled = StyledTags()
        self.links, self.categories = self._links.links, self._links.categories
        self.disambiguation = False
        self.description = ""

    def read(self, wikitext: str) -> list[tuple[str, int, str]]:
        """The sections of a page."""
        self._walk(self._pages.expand(RESERVED.sub("\ufffd", wikitext)))
        self._open.unwind(0)
        self._close_section()
        self.description = clean_line(self._alone(self._description))
        return self._sections

    # == Templates ==

    def _render(self, raw: str, args: Arguments) -> str:
        name = template_name(raw, self._rules)
        if marks_disambiguation(name) or name in self._rules.disambiguation_templates:
            self.disambiguation = True
        if name == "short description" and not self._description and args.look(1).lower() != "none":
            self._description = args.look(1)
        titles = linked_titles(name, args)
        aside = self._pages.put_aside("links", "".join(f"[[:{title}]]" for title in titles)) if titles else ""
        if not args.count and raw.strip() in ("PAGENAME", "FULLPAGENAME", "BASEPAGENAME", "SUBPAGENAME"):
            return self._title
        return aside + template_text(name, raw, args)

    # == Lines ==

    def _walk(self, text: str) -> None:
        """Read a text that stands by itself: the page, or something that was put aside."""
        text, disambiguation = without_switches(text)
        self.disambiguation = self.disambiguation or disambiguation
        if "-{" in text and is_converted(self._rules.language):
            text = one_variant(text, self._rules.language)
        text = _TAG_OVER_LINES.sub(lambda tag: tag[0].replace("\n", " "), text)
        with self._tables.of(text):
            for line in text.split("\n"):
                self._line(line)
                self._open.out.append("\n")

    def _line(self, line: str) -> None:
        start = line.lstrip(" \t")
        match start[:1]:
            case "=" if line[0] == "=" and self._heading(line):
                pass
            case "{" | ":" if opening := TABLE_OPEN.match(start):
                self._tables.open(self._open, start[opening.end() :], is_wiki=True)
            case "|" | "!" if self._open.tables and (place := self._open.nearest_table(wiki=True)):
                self._tables.line(self._open, start, place)
            case "*" | "#" | ":" | ";" if line[0] == start[0]:
                self._list_item(line)
            case "-" if line.startswith("----"):
                self._inline(line.lstrip("-"))
            case "":
                self._open.drop_links()  # a link does not reach over an empty line
            case _:
                self._inline(line)

    def _heading(self, line: str) -> bool:
        line, marks = _without_marks_at_end(line)
        level = min(len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("=")), 6)
        if len(line) < 3 or level == 0:
            return False
        level = min(level, (len(line) - 1) // 2)
        title = clean_line(self._alone(line[level:-level] + marks, self._inline))
        opened = self._open
        while (place := opened.nearest_table()) and opened[place].unclosed:
            opened.unwind(place - 1)
        if not opened.in_section:
            # Inside a table or an argument a heading can't open a section.
            opened.out.append(f"\n{title}\n")
            return True
        opened.unwind(0)
        self._close_section()
        self._section = (title, level)
        return True

    def _list_item(self, line: str) -> None:
        text = line.lstrip("*#:;")
        if ";" in line[: len(line) - len(text)]:
            # The term and its meaning stand on one line.
            for found in _TERM_COLON.finditer(text):
                if found[0] == ":":
                    self._inline(text[: found.start()])
                    self._open.out.append("\n")
                    text = text[found.end() :]
                    break
        self._inline(text)

    def _close_section(self) -> None:
        title, level = self._section
        self._sections.append((title, level, clean_text("".join(self._open.out))))
        self._open.out.clear()

    # == Within a line ==

    def _inline(self, text: str) -> None:
        at = 0
        outside, around = False, 0  # in the label of a link to another site; the links that it stands in
        bracket = -1  # the next one that closes, looked for once however many are open
        while found := _INLINE.search(text, at):
            if found.start() > at:
                self._text(text[at : found.start()])
            at = found.end()
            target, edge, address, slash, tag, attributes, aside = found.groups()
            if tag is not None:
                self._tag(tag.lower(), bool(slash), attributes, found[0])
            elif target is not None:
                self._open_link(target, edge)
            elif aside is not None:
                self._aside(int(aside))
            elif address is not None:
                bracket = text.find("]", at) if bracket < at else bracket
                if bracket < 0:
                    bracket = len(text)
                if bracket == len(text):
                    self._text(found[0])
                    continue
                outside, around = True, self._open.links
                if text[at] == "]":  # a bare number in brackets says nothing to a reader
                    self._open.out.append(SEAM)
            elif found[0] == "]]" and self._open.links > (around if outside else 0):
                self._close_link()
            elif outside:
                outside, at = False, found.start() + 1
            else:
                self._open.out.append(found[0])
        if at < len(text):
            self._text(text[at:])

    def _text(self, text: str) -> None:
        if "''" in text:
            text = without_quotes(text)
        if "&" in text:
            text = unescaped(text)
        self._open.out.append(text)

    def _aside(self, number: int) -> None:
        kind, text = self._pages.aside[number]
        if kind == "raw":
            self._open.out.append(unescaped(text))
            return
        self._alone(text)

    def _alone(self, text: str, read: Callable[[str], None] | None = None) -> str:
        """The text of a part by itself; its links count."""
        outer, self._open = self._open, OpenElements()
        self._open.push(Element("aside"))
        (read or self._walk)(text)
        self._open.unwind(1)
        shown, self._open = "".join(self._open.out), outer
        return shown

    # == Links ==

    def _open_link(self, target: str, edge: str) -> None:
        if ASIDE in target:
            for found in ASIDE_MARK.finditer(target):
                self._aside(int(found[1]))
        target = without_marks(target)
        title = self._links.read_title(target)
        if edge == "]]":
            self._open.out.append(self._links.add(target, title, ""))
            return
        opened = self._open
        # Only a picture's caption holds other links.
        inner = opened.nearest("link") if opened.links else None
        if inner is not None and not is_file(opened[inner].name, opened[inner].title):
            opened.unwind(inner - 1)
        if opened.links < MAX_LINKS:
            opened.push(Element("link", target, title))
        else:
            opened.out.append(f"[[{target}|")

    def _close_link(self) -> None:
        place = self._open.nearest("link")
        if place is None:
            self._open.out.append("]]")
            return
        self._open.unwind(place)
        link = self._open.pop()
        self._open.out.append(self._links.add(link.name, link.title, "".join(link.out)))

    # == Tags ==

    def _tag(self, name: str, closing: bool, attributes: str, raw: str) -> None:
        if name in TABLE_TAGS:
            self._tables.tag(self._open, name, closing, attributes)
        elif name in RAISED_TAGS:
            self._open.out.append(RAISED_TAGS[name][closing])
        elif name in BLOCK_TAGS or name in INLINE_TAGS:
            edge = "\n" if name in BLOCK_TAGS else SEAM if self._styled.is_edge(name, closing, attributes) else ""
            self._open.out.append(edge)
            self._box(name, closing, attributes)
        elif name in APART_TAGS:
            self._open.out.append(SEAM)
        else:
            self._text(raw)

    def _box(self, name: str, closing: bool, attributes: str) -> None:
        opened = self._open
        place = opened.nearest("box") if opened.boxes else None
        ours = place is not None and opened[place].name == name
        if closing and ours and place is not None:
            opened[place].count -= 1
            if not opened[place].count:
                opened.unwind(place)
                opened.pop()
                opened.out.append(SEAM)
        elif not closing and not attributes.endswith("/"):
            if is_box(attributes) and opened.boxes < MAX_BOXES:
                opened.push(Element("box", name))
            elif ours and place is not None:
                opened[place].count += 1


def _without_marks_at_end(line: str) -> tuple[str, str]:
    """A heading may be followed by a comment's, a note's or an anchor's place, which are not part of it."""
    marks = list[str]()
    while True:
        line = line.rstrip(" \t")
        if line.endswith(ASIDE_END):
            start = line.rfind(ASIDE)
            marks.append(line[start:])
            line = line[:start]
        elif line and RESERVED.match(line[-1]) and line[-1] not in (SUP_END, SUB_END):
            line = line[:-1]
        else:
            return line, "".join(reversed(marks))
