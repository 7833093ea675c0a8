"""Our reading of titles against that of a real MediaWiki."""

from __future__ import annotations

import random
from urllib.parse import unquote

import pytest
import requests

from graphvine.workers.wikipedia.api import MediaWikiSource
from graphvine.workers.wikipedia.titles import InvalidTitle, parse_title
from tests.lanes.mediawiki.server import TestWiki
from tests.support.waiting import WAIT_LIMIT

PLAIN = [
    "vine", "Vine", " vine ", "vine_leaf", "_vine__leaf_", "éclair", "e\u0301clair", "ñandú", "жук", "日本",
    "iPod", ":vine", ": vine", "::vine", ":Category:vine", "category:vine", "CATEGORY : vine",
    "Image:leaf.jpg", "file:leaf.jpg", "Project:about", "project talk:about", "Test wiki:about",
    "test_wiki:about", "user:someone", "Talk:vine", "talk:File:vine", "Talk:", "Category:", "Help: ",
    "Special:Random", "special:userLogin", "Media:leaf.jpg", "mediawikiwiki:Help", "Commons:Leaf",
    "wikipedia:Vine", "nothing:Vine", "vine#Uses", "vine #Uses", "#Uses", "vine%41", "vine%", "100% vine",
    "vine&amp;wine", "vine&eacute;", "vine&#233;", "vine&#xe9;", "vine&nosuch;", "a&b", ".", "..", "./a",
    "../a", "a/.", "a/..", "a/./b", "a/../b", "a/b", "...", "a..b", "~~", "~~~", "a~~~~b", "a<b", "a>b",
    "a[b", "a]b", "a{b", "a}b", "a|b", "a\tb", "a\nb", "a\u200eb", "a\u202ab", "a\u00a0b", "a\u3000b",
    "a\u2003b", "a\ufffdb", "x" * 255, "x" * 256, "é" * 127, "é" * 128, "Category:" + "x" * 255,
    "Special:" + "x" * 300, "+", "a+b", "$", "\\", "^", "`", "'", '"', "''vine''", "*", "(vine)", "!", "?",
    "=", "@", ";", ",", "-", "\u00ad", "\x7f", "Ǆ", "ǆ", "İ", "\u0131",
]  # fmt: skip


def theirs(wiki: TestWiki, titles: list[str]) -> list[tuple[str, str]]:
    """What the wiki makes of each title: a kind and, for its own pages, the title."""
    answer = requests.post(
        wiki.url,
        data={
            "action": "query",
            "format": "json",
            "formatversion": "2",
            # The other separator, for titles that hold a bar.
            "titles": "\x1f" + "\x1f".join(titles),
        },
        timeout=WAIT_LIMIT,
    ).json()["query"]
    spelt = {
        unquote(row["from"]) if row["fromencoded"] else row["from"]: row["to"] for row in answer.get("normalized", ())
    }
    other = {row["title"] for row in answer.get("interwiki", ())}
    pages = {row["title"]: row for row in answer.get("pages", ())}
    found = []
    for title in titles:
        # Two steps where the wiki first composes letters and accents.
        name = spelt.get(title, title)
        name = spelt.get(name, name)
        row = pages.get(name)
        if title in other or name in other:
            found.append(("interwiki", ""))
        elif row is None:
            # A bare fragment names no page, and the wiki passes over it.
            found.append(("none", ""))
        elif row.get("invalid"):
            found.append(("invalid", ""))
        else:
            found.append(("page", str(row["title"])))
    return found


def ours(source: MediaWikiSource, title: str) -> tuple[str, str]:
    try:
        read = parse_title(title, source.rules())
    except InvalidTitle:
        return "invalid", ""
    if read.interwiki:
        return "interwiki", ""
    return ("page", read.full) if read.full else ("none", "")


def compare(wiki: TestWiki, source: MediaWikiSource, titles: list[str]) -> list[str]:
    differences = []
    for start in range(0, len(titles), 50):
        some = titles[start : start + 50]
        for title, their in zip(some, theirs(wiki, some), strict=True):
            our = ours(source, title)
            # Special pages get the spelling of their own list over there.
            same = our == their or (our[1].startswith("Special:") and our[1].lower() == their[1].lower())
            if not same:
                differences.append(f"{title!r}: ours {our}, theirs {their}")
    return differences


@pytest.mark.parametrize("title", PLAIN)
def test_a_title_is_read_as_mediawiki_reads_it(wiki: TestWiki, source: MediaWikiSource, title: str) -> None:
    assert not compare(wiki, source, [title])


def test_wild_titles_are_read_the_same(wiki: TestWiki, source: MediaWikiSource, full: bool) -> None:
    chance = random.Random(20_250_101)
    pieces = [
        "a", "B", "é", "e\u0301", "日", " ", "_", ":", "#", "/", ".", "..", "%4", "%41", "&amp;", "&",
        ";", "~~", "'", "Category", "talk", "File", "mediawikiwiki", "Test wiki", "Special", "(",
        "\u00a0", "\u200e", "<", "+",
    ]  # fmt: skip
    titles = {"".join(chance.choices(pieces, k=chance.randrange(1, 7))) for _ in range(5_000 if full else 500)}
    # An empty title between separators is passed over, not refused.
    assert not compare(wiki, source, sorted(title for title in titles if title.strip(" _\u00a0\u200e")))
