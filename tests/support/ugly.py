"""A seeded generator of feeds and pages as ugly as real ones. The same number gives the same case."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from html import escape

WORDS = [
    "vine",
    "Ärger",
    "Стекло",
    "葡萄",
    "a<b",
    "R&D",
    "“quoted”",
    "café",
    "x&y;z",
    "10<sup>6</sup>",
    "]]>",
    "&#8212;",
]
DATES = [
    "Mon, 04 May 2026 10:00:00 GMT", "lun, 04 mag 2026 10:00:00 +0200", "2026-05-04T10:00:00Z", "4 mai 2026", "", "soon",
    "Thu, 32 Foo 20026 99:99:99 XYZ", "0000-00-00",
]  # fmt: skip
SENTENCE = (
    "Paragraph {number} of this page speaks of vines and walls and of people who water them in the evening, at length."
)


@dataclass(frozen=True)
class Ugly:
    """A case: its bytes, its media type, and what must be found in it."""

    body: bytes
    media_type: str
    found: tuple[str, ...]
    torn: bool = False


def ugly_feed(seed: int) -> Ugly:
    """A feed of any kind; `found` are the addresses of its entries, unless it is torn."""
    draw = random.Random(f"feed {seed}")
    links = [f"https://example.org/{seed}/{number}" for number in range(draw.randrange(1, 8))]
    make, media_type = draw.choice(
        [(_rss, "application/rss+xml"), (_atom, "application/atom+xml"), (_json, "application/json")]
    )
    text = make(draw, links)
    if make is _json:
        body = text.encode(draw.choice(["utf-8", "utf-8-sig"]))
    else:
        encoding = draw.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
        named = {"utf-8-sig": "utf-8"}.get(encoding, encoding)
        body = (f'<?xml version="1.0" encoding="{named}"?>\n' + text).encode(encoding, "xmlcharrefreplace")
    torn = draw.random() < 0.2
    return Ugly(body[: draw.randrange(len(body))] if torn else body, media_type, tuple(links), torn)


def _title(draw: random.Random) -> str:
    return " ".join(draw.choices(WORDS, k=draw.randrange(1, 6)))


def _field(draw: random.Random, name: str, text: str) -> str:
    """As text, or in CDATA, or not at all."""
    form = draw.randrange(4)
    inner = escape(text) if form else f"<![CDATA[{text.replace(']]>', '')}]]>"
    return "" if form == 3 else f"<{name}>{inner}</{name}>"


def _rss(draw: random.Random, links: list[str]) -> str:
    items = []
    for link in links:
        parts = [
            f"<link>{link}</link>", _field(draw, "title", _title(draw)), _field(draw, "description", f"<p>{_title(draw)}</p>"),
            draw.choice(["", "<guid>urn:uuid:1</guid>", "<guid isPermaLink='false'>tag:x,2026:1</guid>"]),
            _field(draw, "pubDate", draw.choice(DATES)), draw.choice(["", "<!-- <item> -->", "<?php echo 1 ?>"]),
            draw.choice(["", "<dc:creator xmlns:dc='http://purl.org/dc/elements/1.1/'>A &amp; B</dc:creator>", "<category/>"]),
        ]  # fmt: skip
        draw.shuffle(parts)
        items.append(f"<item>{''.join(parts)}</item>")
    end = draw.choice(["", "\n<!-- cached -->", "\n\n"])
    return f"<rss version='2.0'><channel><title>{escape(_title(draw))}</title>{''.join(items)}</channel></rss>{end}"


def _atom(draw: random.Random, links: list[str]) -> str:
    entries = []
    for link in links:
        kind = draw.choice(["text", "html", ""])
        title = (
            f"<title{f' type={kind!r}' if kind else ''}>{escape(_title(draw))}</title>" if draw.random() < 0.8 else ""
        )
        parts = [
            f"<link rel='alternate' href='{link}'/>", title, f"<id>urn:uuid:{draw.randrange(9)}</id>",
            draw.choice(["", "<link rel='self' href='https://example.org/feed'/>", "<link rel='enclosure' href='urn:x'/>"]),
            f"<updated>{draw.choice(DATES)}</updated>", _field(draw, "summary", _title(draw)),
        ]  # fmt: skip
        draw.shuffle(parts)
        entries.append(f"<entry>{''.join(parts)}</entry>")
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>x</title>{''.join(entries)}</feed>"


def _json(draw: random.Random, links: list[str]) -> str:
    items = [
        {
            draw.choice(["url", "external_url"]): link, "id": draw.choice(["tag:1", 7, None, ""]),
            "title": draw.choice([_title(draw), None, 5, ""]), "content_html": draw.choice([f"<p>{_title(draw)}", None]),
            "date_published": draw.choice([*DATES, 7]), "tags": draw.choice([["a", 1, None], "a", None]),
            "authors": draw.choice([[{"name": "A"}], [], "A", [None]]),
        }
        for link in links
    ]  # fmt: skip
    version = draw.choice(["https://jsonfeed.org/version/1", "https://jsonfeed.org/version/1.1"])
    return json.dumps({"version": version, "title": _title(draw), "items": items}, ensure_ascii=draw.random() < 0.5)


def ugly_page(seed: int) -> Ugly:
    """A page of HTML; `found` are its paragraphs, unless it is torn."""
    draw = random.Random(f"page {seed}")
    said = [SENTENCE.format(number=number) for number in range(draw.randrange(2, 12))]
    body = "".join(_ugly_paragraph(draw, text) for text in said)
    head = draw.choice(["<!doctype html><html lang=en>", "<html>", "", "<!-- x -->\n<HTML>"])
    title = draw.choice([f"<title>{escape(_title(draw))}</title>", "<title></title>", ""])
    noise = draw.choice(
        ["", "<script>if (a < b) {'</p>'}</script>", "<style>p{}</style>", "<noscript><img></noscript>"]
    )
    end = draw.choice(["</article></body></html>", "</div></div>", "", "</body></html><!-- end"])
    text = f"{head}<head>{title}</head><body>{noise}<article><h1>{escape(_title(draw))}</h1>{body}{end}"
    data = text.encode(draw.choice(["utf-8", "utf-8", "utf-16", "iso-8859-1"]), "xmlcharrefreplace")
    torn = draw.random() < 0.2
    if torn:
        data = bytearray(data[: draw.randrange(len(data))])
        for _ in range(draw.randrange(20)):
            if data:
                data[draw.randrange(len(data))] = draw.randrange(256)
    return Ugly(bytes(data), draw.choice(["text/html", "text/html", "application/xhtml+xml"]), tuple(said), torn)


def _ugly_paragraph(draw: random.Random, text: str) -> str:
    form = draw.randrange(6)
    words = text.split(" ")
    place = draw.randrange(1, len(words))
    if form == 0:  # never closed
        return f"<p>{text}"
    if form == 1:  # a link and emphasis within
        return f"<p>{' '.join(words[:place])} <b><i>{words[place]}</b></i> {' '.join(words[place + 1 :])}</p>"
    if form == 2:  # blanks and comments within
        return f"<p>{' '.join(words[:place])}\n\t<!-- > -->&#32;{' '.join(words[place:])}</p>"
    if form == 3:
        return f"<div><p class='x' onclick='a>b'>{text}</p></div>"
    if form == 4:
        return f"<P>{text}</P><br></br><hr>"
    return f"<p>{text}</p>"
