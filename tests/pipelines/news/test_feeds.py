"""Feeds as people publish them: without titles, with ids that are no addresses, in JSON, with dates in Italian."""

# ruff: noqa: RUF001
from __future__ import annotations

import json
from typing import Any

import pytest

from graphvine.workers.news.article import BadArticle, Found
from graphvine.workers.news.providers.apis import apitube_article
from graphvine.workers.news.providers.feed import Feed, parse_feed
from graphvine.workers.news.providers.interface import refusal, taken

ADDRESS = "https://example.org/blog/feed"


def read(body: str) -> tuple[tuple[Found, ...], tuple[str, ...]]:
    feed = parse_feed(body.encode(), "utf-8")
    assert feed["version"], "it is a feed"
    return taken(feed["entries"], lambda entry: Feed(ADDRESS)._article(entry, feed))


def one(body: str) -> Found:
    (article,), rejected = read(body)
    assert not rejected
    return article


def rss(item: str) -> str:
    return f"<rss version='2.0'><channel><title>A blog</title><item>{item}</item></channel></rss>"


def atom(entry: str) -> str:
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>A blog</title><entry>{entry}</entry></feed>"


def test_an_item_without_a_title_is_named_by_its_text() -> None:
    found = one(
        rss("<link>https://example.org/1</link><description>Rain &lt;b&gt;again&lt;/b&gt; today.</description>")
    )
    assert found.title == "Rain again today."
    long = "word " * 60
    assert one(rss(f"<link>https://example.org/1</link><description>{long}</description>")).title.endswith("word …")
    assert one(rss("<link>https://www.example.org/1?utm_source=x</link>")).title == "example.org/1"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("<title type='text'>a &lt; b, and List&lt;T&gt; &amp;amp; more</title>", "a < b, and List<T> &amp; more"),
        ("<title>1 &lt; 2 in plain text</title>", "1 < 2 in plain text"),
        ("<title type='html'>a &lt;b&gt;bold&lt;/b&gt; word &amp;amp; more</title>", "a bold word & more"),
        (
            "<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a <b>bold</b> word</div></title>",
            "a bold word",
        ),
    ],
)
def test_titles_of_atom_are_what_their_type_says(title: str, shown: str) -> None:
    assert one(atom(f"<id>tag:example.org,2026:1</id>{title}<link href='https://example.org/1'/>")).title == shown


@pytest.mark.parametrize(
    "item",
    [
        "<title>t</title><guid>urn:uuid:0b9b1e6c</guid><link>https://example.org/1</link>",
        "<title>t</title><link>https://example.org/1</link><guid>tag:example.org,2026:1</guid>",
        "<title>t</title><guid isPermaLink='true'>https://example.org/1</guid>",
        "<title>t</title><guid>urn:isbn:1</guid><link>/1</link>",
    ],
)
def test_an_id_that_is_no_address_does_not_hide_the_link(item: str) -> None:
    assert one(rss(item)).link == "https://example.org/1"


def test_the_same_in_atom() -> None:
    found = one(atom("<id>urn:uuid:1</id><title>t</title><link rel='self' href='urn:x'/><link href='../1'/>"))
    assert found.link == "https://example.org/1" and found.provider_id == "urn:uuid:1"
    _, rejected = read(atom("<id>urn:uuid:1</id><title>t</title>"))
    assert rejected and "link" in rejected[0]


def test_an_italian_date_is_read_and_a_missing_one_is_not_made_up() -> None:
    dated = one(
        rss("<title>t</title><link>https://example.org/1</link><pubDate>lun, 04 mag 2026 10:00:00 +0200</pubDate>")
    )
    assert dated.date is not None and dated.date.isoformat() == "2026-05-04T08:00:00+00:00"
    assert one(rss("<title>t</title><link>https://example.org/1</link><pubDate>boh</pubDate>")).date is None


def test_a_date_that_can_not_be_read_is_none_and_never_another_one() -> None:
    item = "<link>https://example.org/1</link><pubDate>{}</pubDate>"
    for said in ("2026年99月4日", "sometime in 2026", "17544744", "08/06/2025 10:00"):
        assert one(rss(item.format(said))).date is None, said
    at = one(rss(item.format("August 6, 2025 3:05 PM"))).date
    assert at is not None and at.hour == 15


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Caf&eacute; &nbsp;x", "Café x"),
        ("R&D costs 5 & more \x0b", "R&D costs 5 & more"),
        ("AT&amp;T &unknown; &#8212;", "AT&T &unknown; —"),
        ("<![CDATA[5 < 6 &amp; R&D &eacute;]]>", "5 < 6 & R&D é"),
        ("10&lt;sup&gt;6&lt;/sup&gt; volts", "10^6 volts"),
    ],
)
def test_characters_of_titles_survive_feeds_that_are_no_xml(title: str, shown: str) -> None:
    doctype = (
        '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/rss-0.91.dtd">'
    )
    body = rss(f"<title>{title}</title><link>https://example.org/1?a=1&b=2</link>")
    for text in (body, doctype + body):
        assert (one(text).title, one(text).link) == (shown, "https://example.org/1?a=1&b=2")


def test_an_entry_without_a_page_has_what_it_is_about() -> None:
    sound = "<title>x</title><guid isPermaLink='false'>7</guid><enclosure url='https://example.org/7.mp3' type='audio/mpeg'/>"
    assert one(rss(sound)).link == "https://example.org/7.mp3"
    assert one(atom("<id>tag:x,1</id><content src='https://example.org/full' type='text/html'/>")).link.endswith(
        "/full"
    )
    assert one(rss("<link>\n https://example.org/a b/\n  c.html </link>")).link == "https://example.org/a%20b/c.html"
    feed = "<rss version='2.0'><channel><link>/home</link><item><link>1</link></item></channel></rss>"
    assert (one(feed).link, one(feed).source_url) == ("https://example.org/blog/1", "https://example.org/home")


def test_a_json_feed_is_read() -> None:
    item = {
        "id": "tag:1", "url": "/1", "title": "1 < 2 & so on", "content_html": "<p>Rain</p>", "tags": ["weather", 7],
        "date_published": "2026-05-01T10:00:00Z", "authors": [{"name": "Ada"}],
    }  # fmt: skip
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "A blog", "language": "en", "items": [item, 5, {}]}
    (found,), rejected = read(json.dumps(feed))
    assert (found.title, found.link, found.author) == ("1 < 2 & so on", "https://example.org/1", "Ada")
    assert found.description == "Rain" and found.date is not None and found.keywords == ("weather", "7")
    assert found.source_title == "A blog" and len(rejected) == 2


@pytest.mark.parametrize("body", [b"{}", b"{broken", b'{"version": "1", "items": []}', b"[1]", b"{" * 100_000])
def test_json_that_is_no_feed_is_not_taken_for_one(body: bytes) -> None:
    assert not parse_feed(body, "")["version"] and not parse_feed(body, "")["entries"]


OLD_APITUBE: dict[str, Any] = {
    "id": "7", "title": "t", "url": "https://example.org/1", "publishedAt": "2026-05-01T10:00:00Z", "author": "Ada",
    "source": "example.org", "sentiment": "Positive", "language": {"code": "en"}, "summary": "Rain.",
}  # fmt: skip


def test_the_older_model_of_apitube_is_read() -> None:
    found = apitube_article(OLD_APITUBE)
    assert (found.link, found.author, found.source) == ("https://example.org/1", "Ada", "example.org")
    assert (found.sentiment, found.language, found.description) == (
        "positive",
        "en",
        "Rain.",
    ) and found.date is not None
    with pytest.raises(BadArticle, match="link"):
        apitube_article({"title": "t"})


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"status": "error", "results": {"message": "The key sesame is not valid", "code": "Unauthorized"}}',
         "The key *** is not valid"),
        (b'{"errors": [{"status": 401, "message": "no such key"}]}', "no such key"), (b'{"error": "quota"}', "quota"),
        (b'{"detail": [{"title": "too many"}]}', "too many"), (b"plainly refused", "plainly refused"),
        (b"<html><body>no</body></html>", ""), (b"", ""), (b"[" * 100_000, "[" * 300), (b"\xff\xfe", "\ufffd\ufffd"),
    ],
)  # fmt: skip
def test_what_a_provider_says_itself_is_shown_without_the_key(body: bytes, said: str) -> None:
    assert refusal(body, ["sesame"]) == said


def test_a_long_feed_is_read_and_what_is_left_out_is_counted() -> None:
    items = [{"id": f"https://example.org/{number}"} for number in range(10_003)]
    feed = parse_feed(json.dumps({"version": "https://jsonfeed.org/version/1.1", "items": items}).encode(), "utf-8")
    assert (len(feed["entries"]), feed["left_out"]) == (10_000, 3)
    long = (
        "<rss version='2.0'><channel>" + "<item><link>https://example.org/1</link></item>" * 1_500 + "</channel></rss>"
    )
    assert len(parse_feed(long.encode(), "utf-8")["entries"]) == 1_500


WESTERN, CYRILLIC = "café’s “x” €5", "Привет, мир"
JAPANESE, CHINESE, KOREAN = "葡萄酒①", "葡萄酒", "한국 똠"


@pytest.mark.parametrize(
    ("title", "written_as", "says", "header"),
    [
        (WESTERN, "cp1252", "utf-8", ""), (WESTERN, "cp1252", "utf-8", "utf-8"), (WESTERN, "cp1252", "iso-8859-1", ""),
        (WESTERN, "utf-8", "iso-8859-1", ""), (WESTERN, "utf-8", "utf-8", "iso-8859-1"), (WESTERN, "utf-8", "utf-16", ""),
        (WESTERN, "utf-16", "utf-16", ""), (WESTERN, "utf-16-be", "utf-16", "utf-16"), (WESTERN, "utf-16-le", "utf-8", ""),
        (CYRILLIC, "cp1251", "windows-1251", "utf-8"), (CYRILLIC, "koi8-r", "koi8-r", ""), (JAPANESE, "cp932", "Shift_JIS", ""),
        (CHINESE, "iso2022_jp", "iso-2022-jp", ""), (CHINESE, "gbk", "gb2312", ""), (CHINESE, "big5", "big5", ""),
        (KOREAN, "cp949", "euc-kr", "ks_c_5601-1987"), (WESTERN, "utf-8-sig", "no-such-set", ""),
    ],
)  # fmt: skip
def test_a_feed_is_read_in_what_it_is_written_in(title: str, written_as: str, says: str, header: str) -> None:
    body = f'<?xml version="1.0" encoding="{says}"?>\n' + rss(f"<link>https://e.org/1</link><title>{title}</title>")
    feed = parse_feed(body.encode(written_as), header)
    assert [entry["title"] for entry in feed["entries"]] == [title]


def test_a_few_wrong_letters_cost_the_others_nothing() -> None:
    body = rss("<link>https://e.org/1</link><title>Ärger 葡萄 – # and ! x</title>").encode()
    feed = parse_feed(body.replace(b"#", b"\x93q\x94").replace(b"!", b"\xe9"), "utf-8")
    assert feed["entries"][0]["title"] == "Ärger 葡萄 – “q” and é x"


def test_characters_by_number_that_are_none_or_halves_of_one() -> None:
    found = one(
        rss("<link>https://e.org/1</link><title>a &#55357;&#56832; &#x1F600;&#0;&#11;&#xD83D; b&#99999999;</title>")
    )
    assert found.title == "a 😀 😀 b"


def test_the_first_date_that_can_be_read_counts_and_none_is_made_up() -> None:
    item = "<link>https://e.org/1</link><title>x</title><pubDate>{}</pubDate>"
    second = "<date xmlns='http://purl.org/dc/elements/1.1/'>2026-05-04</date>"
    dated = one(rss(item.format("some day") + second)).date
    assert dated is not None and dated.isoformat() == "2026-05-04T00:00:00+00:00"
    assert one(rss(item.format("2026 in spring"))).date is None, "not the first of this month"


def test_the_address_behind_a_counting_service() -> None:
    item = "<link>https://feedproxy.example.com/~r/x</link><f:origLink>https://e.org/1</f:origLink><title>x</title>"
    spaced = rss(item).replace("<rss ", "<rss xmlns:f='http://rssnamespace.org/feedburner/ext/1.0' ")
    assert one(spaced).link == "https://e.org/1"
