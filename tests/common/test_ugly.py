"""Ugly feeds and pages, some hundred by default and 10,000 with --full: no traceback, and nothing lost."""

from __future__ import annotations

import pytest

from graphvine.units import check_texts
from graphvine.workers.common.pages.extract import read_page
from graphvine.workers.common.pages.page import UnreadablePage
from graphvine.workers.news.article import Found
from graphvine.workers.news.providers.feed import Feed, parse_feed
from graphvine.workers.news.providers.interface import taken
from tests.support.ugly import ugly_feed, ugly_page

CASES, FULL_CASES, PARTS = 200, 10_000, 4


def cases(full: bool, part: int) -> range:
    return range(part, FULL_CASES if full else CASES, PARTS)


def read(body: bytes) -> tuple[tuple[Found, ...], tuple[str, ...]]:
    feed = parse_feed(body, "")
    return taken(feed["entries"], lambda entry: Feed("https://example.org/feed")._article(entry, feed))


@pytest.mark.parametrize("part", range(PARTS))
def test_no_entry_of_a_feed_is_lost(full: bool, part: int) -> None:
    for seed in cases(full, part):
        case = ugly_feed(seed)
        articles, rejected = read(case.body)
        links = [article.link for article in articles]
        assert set(links) <= set(case.found) or case.torn, f"seed {seed}"
        if not case.torn:
            assert links == list(case.found) and not rejected, f"seed {seed}: {case.body[:500]!r}"
        for article in articles:
            assert article.title, f"seed {seed}"
            check_texts([article.title, article.description, article.author, list(article.keywords)], f"seed {seed}")


@pytest.mark.parametrize("part", range(PARTS))
def test_no_paragraph_of_a_page_is_lost(full: bool, part: int) -> None:
    for seed in cases(full, part):
        case = ugly_page(seed)
        try:
            page = read_page(case.body, case.media_type, "", "https://example.org/")
        except UnreadablePage:
            assert case.torn, f"seed {seed}"
            continue
        check_texts([page.title, page.text, page.author], f"seed {seed}")
        flat = " ".join(page.text.split())
        lost = [text for text in case.found if text not in flat]
        assert case.torn or not lost, f"seed {seed}: {lost}"
