"""Feeds that are none, that take long, and whose entries stand at one page."""

from __future__ import annotations

import pytest

from graphvine.graph import Graph
from graphvine.workers.news.providers import Feed
from tests.pipelines.news.servers import Site
from tests.pipelines.news.support import feed, update
from tests.support.web_server import Request


@pytest.mark.parametrize(
    "body", [b"plainly no feed", b"<rss><channel><item><title>cut", b"/etc/hostname", b"\xff\xfe\x00"]
)
def test_what_is_no_feed_is_told(graph: Graph, site: Site, body: bytes) -> None:
    async def odd(request: Request) -> bool:
        await request.answer(body, media_type="text/html")
        return True

    site.before = odd
    run = update(graph, site, providers=[feed(site)])
    assert run.found == 0 and (run.errors or run.rejected)


def test_entries_of_one_page_are_one_article_and_told(graph: Graph, site: Site) -> None:
    async def notes(request: Request) -> None:
        items = "".join(f"<item><title>n{n}</title><link>https://example.org/notes#{n}</link></item>" for n in range(3))
        await request.answer(f"<rss version='2.0'><channel>{items}</channel></rss>".encode(), media_type="text/xml")

    site.pages["/notes"] = notes
    run = update(graph, site, providers=[feed(site, "/notes")])
    assert run.found == 1 and "2 entries name the page of another entry" in run.rejected[0]


def test_an_entry_that_names_no_page_is_at_the_first_address_in_its_text(graph: Graph, site: Site) -> None:
    async def notices(request: Request) -> None:
        text = (
            "<p>Posted. <a class='x' HREF='https://example.org/list 2.pdf?a=1&amp;b=2'>Here</a> or <a href='/b'>b</a>"
        )
        items = f"<item><title>a</title><description><![CDATA[{text}]]></description></item>"
        items += "<item><title>no address</title><description>only words</description></item>"
        await request.answer(f"<rss version='0.91'><channel>{items}</channel></rss>".encode(), media_type="text/xml")

    site.pages["/notices"] = notices
    run = update(graph, site, providers=[feed(site, "/notices")])
    assert run.found == 1 and "item 1: link: missing" in run.rejected[0]
    (link,) = graph.query("MATCH (a:NewsArticle) RETURN a.link").rows[0]
    assert link == "https://example.org/list%202.pdf?a=1&b=2"


def test_parts_of_a_page_with_ids_of_their_own_are_articles(graph: Graph, site: Site) -> None:
    def item(part: str, id: str) -> str:
        return f"<item><title>{part}</title><link>https://example.org/log#{part}</link><guid>{id}</guid></item>"

    async def log(request: Request) -> None:
        parts = [item("v1", "https://example.org/log#v1"), item("v2", "urn:2"), item("v3", "urn:3")]
        one_page = [
            item("a", "same"),
            item("b", "same"),
            item("xtor=RSS-1", "urn:4"),
            item("c", "https://example.org/log"),
        ]
        body = f"<rss version='2.0'><channel>{''.join(parts + one_page)}</channel></rss>"
        await request.answer(body.encode(), media_type="text/xml")

    site.pages["/log"] = log
    run = update(graph, site, providers=[feed(site, "/log")])
    links = graph.query("MATCH (a:NewsArticle) RETURN a.link ORDER BY a.link").rows
    assert [link for (link,) in links] == [
        "https://example.org/log",
        *(f"https://example.org/log#v{n}" for n in (1, 2, 3)),
    ]
    assert run.found == 4 and "3 entries name the page of another entry" in run.rejected[0]
    assert update(graph, site, providers=[feed(site, "/log")]).found == 0, "the same again are the same"


def test_a_feed_that_takes_too_long_to_parse_fails_alone(graph: Graph, site: Site) -> None:
    async def nested(request: Request) -> None:
        await request.answer(b"<rss><channel>" + b"<item><a>" * 30_000, media_type="application/rss+xml")

    site.add(1)
    site.pages["/nested"] = nested
    slow = Feed(f"{site.url}/nested", parse_seconds=0.05)
    run = update(graph, site, providers=[slow, feed(site)])
    assert run.found == 1 and run.errors[slow.name] == "parsing it takes more than 0.05 s"
