"""A seeded generator of wikitext and dumps as ugly as real ones. The same number gives the same case."""

from __future__ import annotations

import bz2
import gzip
import random
from dataclasses import dataclass

from tests.pipelines.wikipedia.dump_writer import DumpPage, dump_xml, page

# Ways in which a page links to another; %s is its title.
LINKS = [
    "[[%s]]", "[[%s|shown]]", "[[ %s ]]", "[[:%s]]", "[[%s#Part|x]]", "''[[%s]]''", "[[%s]]s", "([[%s]])",
    "[[File:a.jpg|thumb|A caption with [[%s]].]]", "[[Bild:a.jpg|mini|[[%s]]]]", "<gallery>\nFile:a.jpg|see [[%s]]\n</gallery>",
    "\n{|\n|-\n| 1\n| [[%s]]\n|}\n", "\n{| class=\"toccolours\"\n! a !! [[%s]]\n|}\n", "\n:{|\n| [[%s]]\n|}\n",
    "<table><tr><td>1<td>[[%s]]</table>", "\n* [[%s]]", "\n# [[%s]] {{small|x}}", "\n: [[%s]]", "\n; [[%s]] : x",
    "{{nowrap|[[%s]]}}", "{{unheard of|[[%s]]}}", "{{Infobox\n| a = [[%s]]\n}}", "<ref>[[%s]]</ref>", "{{lang|fr|[[%s]]}}",
    "<div class=x>[[%s]]</div>", "<small>[[%s]]", "'''[[%s]]", "<span style='color:red>[[%s]]", "== About [[%s]] ==\n",
    "<b>[[%s]]</i>", "<!-- x -->[[%s]]<!-- y -->", "{{#if:x|[[%s]]}}",
]  # fmt: skip
NUMBERS = [
    "{{convert|%s|km|mi}}", "%s{{e|7}}", "{{val|%s|e=3}}", "10<sup>%s</sup>", "{{formatnum:%s}}", "{{formatnum:{{Inflation|US|%s}}}}",
    "%s<ref>x</ref>", "{{unheard of|%s}}", "{{frac|%s|7}}", "<math>%s</math>", "%s&nbsp;km", "{{age|%s}}", "'''%s'''", " %s ",
    "\n| %s\n", "{{as of|%s}}", "{{circa|%s}}", "<nowiki>%s</nowiki>", "{{coord|%s|N|3|E}}",
]  # fmt: skip
NOISE = [
    "{{", "}}", "[[", "{{{x", "<div", "</td>", "<ref name=a />", "__NOTOC__", "~~~~", "&amp;", "&#x110000;", "-{zh:x}-", "----",
    "葡萄 ", "\u200e", "\t", "<br/>", "\n\n", "'''''", "<poem>", "</poem>", "<includeonly>x</includeonly>", "{{DEFAULTSORT:x}}",
    "http://example.org/[x] ", "\n|}\n", "<!-- open", "[http://a b]",
]  # fmt: skip
_TITLES = ["Page", "Ärger", "葡萄", "A & B", "It's", "X/y", "«z»"]
# What swallows the rest of a page on purpose is no place to look for links behind.
_SWALLOWS = ("<!-- open", "{{", "[[", "{{{x", "<div", "\n|}\n", "-{zh:x}-")


@dataclass(frozen=True)
class UglyWikitext:
    """A text, the titles that it links to, and whether it is torn, so that some of them may be lost."""

    text: str
    links: frozenset[str]
    torn: bool


def ugly_wikitext(seed: int) -> UglyWikitext:
    """Links in every place, numbers in templates, and noise between."""
    draw = random.Random(f"wikitext {seed}")
    torn = draw.random() < 0.3
    noise = NOISE if torn else [one for one in NOISE if one not in _SWALLOWS]
    titles, pieces = [], []
    for number in range(draw.randrange(1, 9)):
        title = draw.choice(
            [f"Target {seed} {number}", f"Ärger {number}", f"葡萄 {number}", f"A (b) {number}", f"R&D {number}"]
        )
        titles.append(title)
        pieces.append(draw.choice(LINKS) % title)
    pieces += [
        draw.choice(NUMBERS) % draw.choice(["5", "1,234", "3.14", "1066", "70"]) for _ in range(draw.randrange(5))
    ]
    pieces += [draw.choice(noise) for _ in range(draw.randrange(8))]
    draw.shuffle(pieces)
    return UglyWikitext(draw.choice([" ", "\n", "\n\n"]).join(pieces), frozenset(titles), torn)


@dataclass(frozen=True)
class UglyDump:
    """A dump as bytes, the name that it comes under, and its pages; a cut one lacks its end."""

    body: bytes
    name: str
    pages: tuple[DumpPage, ...]
    cut: bool


def ugly_dump(seed: int) -> UglyDump:
    """Some ugly pages in one of the packings, now and then cut."""
    draw = random.Random(f"dump {seed}")
    pages = [
        page(f"{draw.choice(_TITLES)} {number}", ugly_wikitext(seed * 10 + number).text)
        for number in range(draw.randrange(1, 6))
    ]
    pages.append(page("Redirect", f"#REDIRECT [[{pages[0].title}]]", redirect=pages[0].title))
    if draw.random() < 0.5:
        pages.append(page("User:X", "text", namespace=2))
    if draw.random() < 0.3:
        pages.append(page("Module:Y", "{}", namespace=0, model="json"))
    xml = dump_xml(
        pages, case=draw.choice(["first-letter", "case-sensitive"]), language=draw.choice(["en", "de", "ltg"])
    )
    packed, name = draw.choice(
        [(xml, "d.xml"), (gzip.compress(xml, 1, mtime=0), "d.xml.gz"), (bz2.compress(xml, 1), "d.xml.bz2")]
    )
    cut = draw.random() < 0.3
    return UglyDump(packed[: draw.randrange(len(packed))] if cut else packed, name, tuple(pages), cut)
