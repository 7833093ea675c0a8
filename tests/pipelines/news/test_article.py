"""One shape from wild input: stable ids, moments, texts, and what a model means by its answer."""

# ruff: noqa: RUF001
from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphvine.units import check_texts
from graphvine.workers.news.article import BadArticle, article_id, found, plain
from graphvine.workers.news.dates import moment_of
from graphvine.workers.news.providers.apis import apitube_article, newsdata_article
from graphvine.workers.news.providers.feed import parse_feed
from graphvine.workers.news.providers.interface import taken
from graphvine.workers.news.sentiment import SentimentFailed, WordSentiment, parse_answer

SAME = [
    "https://www.example.org/news/one", "http://example.org/news/one/", "https://EXAMPLE.org/news/one?utm_source=x",
    "https://example.org/news/one?fbclid=1&utm_medium=b#top", "https://example.org:443/news/one",
]  # fmt: skip
OTHERS = [
    "https://example.org/news/two",
    "https://example.org/news/one?id=2",
    "https://example.com/news/one",
    "https://example.org:8443/news/one",
]


def test_an_article_has_one_id_however_its_address_is_decorated() -> None:
    assert len({article_id(link) for link in SAME}) == 1
    assert len({article_id(link) for link in [SAME[0], *OTHERS]}) == 1 + len(OTHERS)
    assert article_id(SAME[0]) == "news-" + article_id(SAME[1])[5:] and len(article_id(SAME[0])) == 25


@pytest.mark.parametrize(
    ("said", "iso"),
    [
        ("2026-05-01 10:00:00", "2026-05-01T10:00:00+00:00"), ("2026-05-01T12:00:00+02:00", "2026-05-01T10:00:00+00:00"),
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00+00:00"), ("Fri, 01 May 2026 10:00:00 GMT", "2026-05-01T10:00:00+00:00"),
        ("lun, 04 mag 2026 10:00:00 +0200", "2026-05-04T08:00:00+00:00"), ("mar, 3 mar 2026 08:00:00 GMT", "2026-03-03T08:00:00+00:00"),
        ("1 settembre 2026", "2026-09-01T00:00:00+00:00"), ("jeu. 6 août 2026 07:30:00 +0000", "2026-08-06T07:30:00+00:00"),
        ("Do, 17. Dezember 2026 06:00:00 +0100", "2026-12-17T05:00:00+00:00"), ("99 maggio 2026", None),
        ("Пн, 04 мая 2026 10:00:00 +0300", "2026-05-04T07:00:00+00:00"), ("4 de mayo de 2026 10:00", "2026-05-04T10:00:00+00:00"),
        ("Çar, 06 Ağu 2025 10:00:00 +0300", "2025-08-06T07:00:00+00:00"), ("Τετ, 06 Αύγ 2025 10:00:00 +0300", "2025-08-06T07:00:00+00:00"),
        ("Ср, 06 серп 2025 10:00", "2025-08-06T10:00:00+00:00"), ("ke, 06 elokuuta 2025 10.30", "2025-08-06T10:30:00+00:00"),
        ("الأربعاء, 06 أغسطس 2025 10:00:00 +0300", "2025-08-06T07:00:00+00:00"), ("周三, 06 8月 2025 10:00:00 +0800", "2025-08-06T02:00:00+00:00"),
        ("2026年5月4日 10:00", "2026-05-04T10:00:00+00:00"), ("2026年5月4日", "2026-05-04T00:00:00+00:00"),
        ("2026년 5월 4일 오후 3:05", "2026-05-04T15:05:00+00:00"), ("2026年5月4日 上午12:05 +08:00", "2026-05-03T16:05:00+00:00"),
        ("August 6, 2025 3:05 PM", "2025-08-06T15:05:00+00:00"), ("Aug 6, 2025 12:05am EST", "2025-08-06T05:05:00+00:00"),
        ("6th August 2025", "2025-08-06T00:00:00+00:00"), ("06.08.2025 10:00", "2025-08-06T10:00:00+00:00"),
        ("26/08/2025", "2025-08-26T00:00:00+00:00"), ("08/26/2025 10:00 PM", "2025-08-26T22:00:00+00:00"),
        ("08/06/2025", None), ("6 August 2025 whenever", None), ("2026年13月4日", None), ("Wed May  6 10:00:00 2026", "2026-05-06T10:00:00+00:00"),
        ("2026/05/04 10:00", "2026-05-04T10:00:00+00:00"), ("2026.05.04.", "2026-05-04T00:00:00+00:00"), ("2026-124", "2026-05-04T00:00:00+00:00"),
        ("4. 5. 2026", "2026-05-04T00:00:00+00:00"), ("04-May-2026 10:00", "2026-05-04T10:00:00+00:00"), ("1777888800", "2026-05-04T10:00:00+00:00"),
        ("Mon, 04 May 2026 10:00:00 CEST", "2026-05-04T08:00:00+00:00"), ("Mon, 04 May 2026 10:00:00 GMT+2", "2026-05-04T08:00:00+00:00"),
        ("Mon, 04 May 2026 10:00:00 UTC+05:30", "2026-05-04T04:30:00+00:00"), ("2026-05-04T10:00:00-07:00[America/Los_Angeles]", "2026-05-04T17:00:00+00:00"),
        ("Mon, 04 May 2026 10:00:60 GMT", "2026-05-04T10:00:59+00:00"), ("2026-999", None), ("2026/13/04", None), ("9999999999", None),
        ("2026-05-04 10:00:00 UTC", "2026-05-04T10:00:00+00:00"), ("2026-05-04 10:00 CEST", "2026-05-04T08:00:00+00:00"),
        ("2026-05-04 10:00:00.123456789 -0700 PDT", "2026-05-04T17:00:00+00:00"), ("2026-05-04T10:00:00 EST", "2026-05-04T15:00:00+00:00"),
        ("2026-5-4 9:05", "2026-05-04T09:05:00+00:00"), ("2026-02-30 10:00 UTC", None), ("2026-05-04 to 2026-05-06", None), ("2026-05-041", None),
        ("yesterday", None), ("", None), (None, None), (7, None), ("0001-01-01T00:00:00+23:59", None), ("9999-12-31", None),
    ],
)  # fmt: skip
def test_moments_are_read_in_the_providers_forms(said: Any, iso: str | None) -> None:
    at = moment_of(said)
    assert (at.isoformat() if at else None) == iso


WILD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "overall", "score", "polarity", "domain"]), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = [
    "link",
    "href",
    "title",
    "pubDate",
    "published_at",
    "creator",
    "keywords",
    "source",
    "source_id",
    "language",
    "sentiment",
    "entities",
    "author",
    "id",
]


@given(st.dictionaries(st.sampled_from(FIELDS), WILD | st.just("https://example.org/a"), max_size=10) | WILD)
def test_wild_items_are_articles_or_refused_with_a_field(item: Any) -> None:
    for make in (newsdata_article, apitube_article):
        articles, rejected = taken([item], make)
        assert len(articles) + len(rejected) == 1
        named = ("item 0: link: ", "item 0: not an object")
        assert all(reason.startswith(named) for reason in rejected)
        for one in articles:
            assert (
                one.title and one.link.startswith("http") and one.sentiment in ("", "positive", "neutral", "negative")
            )
            assert one.date is None or (one.date.tzinfo is UTC and one.date > datetime(1989, 1, 1, tzinfo=UTC))
            check_texts([one.title, one.description, one.author, one.source, list(one.keywords)], "article")


@given(
    st.binary(max_size=300)
    | st.text(max_size=200).map(lambda text: f"<rss><channel><item>{text}</item></channel></rss>".encode())
)
def test_a_wild_feed_never_raises(body: bytes) -> None:
    json.dumps(parse_feed(body, "utf-8"))  # plain data: it comes from another process


def test_markup_and_entities_leave_plain_text() -> None:
    assert plain("<p>One &amp; <b>t</b>wo</p>\n<br>three \x00\ud800", 100) == "One & two three"
    assert plain(["no"], 10) == "" and plain(True, 10) == "" and plain(7, 10) == "7" and plain("long" * 10, 4) == "long"


def test_a_link_that_is_none_is_refused_without_telling_its_password() -> None:
    with pytest.raises(BadArticle, match="password") as raised:
        found("http://user:pw@example.org/", "Title")
    assert "pw" not in str(raised.value)


@pytest.mark.parametrize(
    ("answer", "word", "score"),
    [
        ("positive 0.8", "positive", 0.8), ("Negative, -0.4", "negative", -0.4), ("NEUTRAL", "neutral", 0.0),
        ("The sentiment is positive: .9", "positive", 0.9), ("positive -0.8", "positive", 0.5), ("negative 7", "negative", -0.5),
        ("neutral 0", "neutral", 0.0),
    ],
)  # fmt: skip
def test_what_a_model_means(answer: str, word: str, score: float) -> None:
    judged = parse_answer(answer)
    assert (judged.word, judged.score) == (word, score)


def test_an_answer_that_is_no_sentiment_is_a_failure() -> None:
    with pytest.raises(SentimentFailed, match="no sentiment"):
        parse_answer("I am a helpful assistant.")


@pytest.mark.parametrize(
    ("title", "text", "word"),
    [
        ("Great gains for happy investors", "Everybody celebrates the wonderful success.", "positive"),
        ("Terrible crash ruins investors", "The awful losses were a disaster. Fraud is suspected.", "negative"),
        ("Meeting on Tuesday", "The committee meets at ten.", "neutral"),
        ("", "", "neutral"),
    ],
)
def test_sentiment_by_words(title: str, text: str, word: str) -> None:
    judged = asyncio.run(WordSentiment().analyse(title, text))
    assert judged.word == word and -1 <= judged.score <= 1
