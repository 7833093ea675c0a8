"""Walks through parsed wikitext and keeps what a reader would read: text by section, links, categories."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote

from graphvine.workers.wikipedia.clean import clean_line, clean_text, without_quotes
from graphvine.workers.wikipedia.site import CATEGORY, FILE, MAIN, MEDIA, SiteRules
from graphvine.workers.wikipedia.table_text import Row, table_lines
from graphvine.workers.wikipedia.template_rules import (
    linked_titles,
    marks_disambiguation,
    shown_text,
    template_name,
)
from graphvine.workers.wikipedia.titles import InvalidTitle, parse_title

if TYPE_CHECKING:
    from mwparserfromhell.nodes import Heading, Tag, Template, Wikilink
    from mwparserfromhell.nodes import Node as WikiNode
    from mwparserfromhell.wikicode import Wikicode

_DROPPED_TAGS = frozenset(
    {
        "ref", "references", "gallery", "imagemap", "timeline", "score", "templatestyles", "section", "indicator",
        "graph", "mapframe", "maplink", "hiero", "inputbox", "categorytree", "style", "script", "includeonly",
        "templatedata", "dynamicpagelist", "rss", "phonos",
    }
)  # fmt: skip
_RAW_TAGS = frozenset({"nowiki", "pre", "syntaxhighlight", "source", "math", "chem", "ce"})
_BLOCK_TAGS = frozenset(
    {
        "blockquote", "center", "div", "dl", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "poem",
        "pre", "source", "syntaxhighlight", "ul", "caption",
    }
)  # fmt: skip
# Boxes beside or below the text, in tables and in blocks.
_BOXES = re.compile(
    r"infobox|navbox|navigation|sidebar|ambox|metadata|noprint|mw-empty|toccolours|toc\b|succession|vevent|catlinks"
)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_SWITCH = re.compile(r"__([A-Z]{3,30})__")


class Reader:
    """Reads one page. `sections` holds (title, level, text) in order, the lead first."""

    def __init__(self, title: str, rules: SiteRules, link_namespaces: frozenset[int]) -> None:
        from mwparserfromhell import nodes

        self._nodes = nodes
        self._title, self._rules, self._link_namespaces = title, rules, link_namespaces
        self._outputs: list[list[str]] = [[]]
        self._open: tuple[str, int] = ("", 1)
        self._sections: list[tuple[str, int, str]] = []
        self.links: dict[str, None] = {}
        self.categories: dict[str, None] = {}
        self.disambiguation = False
        self.description = ""

    def read(self, code: Wikicode) -> list[tuple[str, int, str]]:
        """The sections of a page."""
        self._walk(code)
        self._close_section()
        return self._sections

    def _walk(self, code: Wikicode | None) -> None:
        for node in code.nodes if code is not None else ():
            self._visit(node)

    def _visit(self, node: WikiNode) -> None:
        nodes = self._nodes
        match node:
            case nodes.Text():
                self._text(str(node.value))
            case nodes.Wikilink():
                self._wikilink(node)
            case nodes.Template():
                self._template(node)
            case nodes.Tag():
                self._tag(node)
            case nodes.Heading():
                self._heading(node)
            case nodes.ExternalLink():
                # A bare number in brackets says nothing to a reader.
                if node.title is not None or not node.brackets:
                    self._walk(node.title if node.title is not None else node.url)
            case nodes.HTMLEntity():
                self._emit(html.unescape(str(node)))
            case nodes.Argument():
                self._walk(node.default)
            case _:
                # A comment.
                pass

    def _emit(self, text: str) -> None:
        self._outputs[-1].append(text)

    def _plain(self, code: Wikicode | None) -> str:
        """The text of a part by itself, on one line where it can be; its links are kept."""
        self._outputs.append([])
        self._walk(code)
        return clean_text("".join(self._outputs.pop()))

    def _text(self, text: str) -> None:
        for switch in _SWITCH.findall(text):
            self.disambiguation = self.disambiguation or switch == "DISAMBIG"
        self._emit(without_quotes(_SWITCH.sub("", text)))

    def _heading(self, node: Heading) -> None:
        title = clean_line(self._plain(node.title))
        if len(self._outputs) > 1:
            # Inside a table or an argument a heading can't open a section.
            self._emit(f"\n{title}\n")
            return
        self._close_section()
        self._open = (title, node.level)

    def _close_section(self) -> None:
        title, level = self._open
        self._sections.append((title, level, clean_text("".join(self._outputs[0]))))
        self._outputs[0].clear()

    def _wikilink(self, node: Wikilink) -> None:
        target = str(node.title)
        label = self._plain(node.text) if node.text is not None else None
        try:
            title = parse_title(unquote(target) if "%" in target else target, self._rules)
        except InvalidTitle:
            self._emit(label or clean_line(self._plain(node.title)))
            return
        leading_colon = target.lstrip().startswith(":")
        if title.interwiki:
            # A language link stands at the edge of a page, not in its text.
            if leading_colon or title.interwiki not in self._rules.language_links:
                self._emit(label or title.full)
        elif title.namespace == CATEGORY and not leading_colon:
            self.categories.setdefault(title.full)
        elif title.namespace == MEDIA or (title.namespace == FILE and not leading_colon):
            pass
        else:
            self._add_link(title.full, title.namespace)
            shown = target.strip().removeprefix(":").strip()
            self._emit(label if label else html.unescape(shown.removeprefix("#")).replace("_", " "))

    def _add_link(self, full: str, namespace: int) -> None:
        if full and full != self._title and namespace in self._link_namespaces:
            self.links.setdefault(full)

    def _template(self, node: Template) -> None:
        name = template_name(str(node.name))
        args, named = [], {}
        for param in node.params:
            value = self._plain(param.value)
            key = clean_line(str(param.name))
            if not param.showkey:
                args.append(value)
            elif key == str(len(args) + 1):
                # Numbered by hand, for a value with an equals sign in it.
                args.append(value)
            else:
                named[key] = value
        if marks_disambiguation(name):
            self.disambiguation = True
        if name == "short description" and args and not self.description and args[0].lower() != "none":
            self.description = args[0]
        for text in linked_titles(name, args):
            try:
                title = parse_title(text, self._rules)
            except InvalidTitle:
                continue
            if not title.interwiki:
                self._add_link(title.full, title.namespace)
        self._emit(shown_text(name, args, named))

    def _tag(self, node: Tag) -> None:
        tag = _tag_name(node)
        if tag == "table":
            self._table(node)
        elif tag in _DROPPED_TAGS:
            self._plain(node.contents)
        elif tag in ("br", "hr"):
            self._emit("\n")
        elif node.wiki_markup and tag in ("li", "dt", "dd"):
            # The mark of a list item; several of them may stand side by side, at the start of one line.
            if not (self._outputs[-1] and self._outputs[-1][-1].endswith("\n")):
                self._emit("\n")
        elif tag in _RAW_TAGS:
            edge = "\n" if tag in _BLOCK_TAGS else ""
            self._emit(edge + html.unescape(str(node.contents or "")) + edge)
        elif self._is_box(node):
            self._plain(node.contents)
        else:
            edge = "\n" if tag in _BLOCK_TAGS else ""
            self._emit(edge)
            self._walk(node.contents)
            self._emit(edge)

    def _is_box(self, node: Tag) -> bool:
        looks = {str(a.name).strip().lower(): str(a.value or "") for a in node.attributes}
        return bool(_BOXES.search(looks.get("class", "").lower()) or _HIDDEN.search(looks.get("style", "")))

    def _table(self, node: Tag) -> None:
        if self._is_box(node):
            self._plain(node.contents)
            return
        caption, rows = "", [Row()]
        for part in _table_parts(node.contents):
            tag = _tag_name(part)
            if tag == "tr":
                rows.append(Row())
            elif tag in ("td", "th", "caption"):
                text = clean_line(self._plain(part.contents))
                if tag == "caption" or (text.startswith("+") and part.wiki_markup == "|"):
                    caption = text.removeprefix("+").strip()
                else:
                    rows[-1].cells.append((text, tag == "th"))
        self._emit("\n\n" + "\n".join(table_lines(caption, rows)) + "\n\n")


def _tag_name(node: Tag) -> str:
    return str(node.tag).strip().lower()


def _table_parts(code: Wikicode) -> Iterator[Tag]:
    """Rows and cells of a table in order, each row before its cells; what stands between them is not shown."""
    from mwparserfromhell.nodes import Tag

    for node in code.nodes:
        if isinstance(node, Tag):
            yield node
            if _tag_name(node) in ("tr", "tbody", "thead", "tfoot"):
                yield from _table_parts(node.contents)


MAIN_ONLY = frozenset({MAIN})
