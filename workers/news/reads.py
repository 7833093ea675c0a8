"""Reads of articles, the queue, the log and the runs, for commands and the API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.records import Failure, Row
from graphvine.requests import BadRequest
from graphvine.workers.news import NAME
from graphvine.workers.news.article import SENTIMENTS
from graphvine.workers.news.errors import UnknownArticle

_RUNS_SHOWN = 5
_DAY_MS = 86_400_000
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
# Of more articles within the days that are asked for, the newest count.
_MOST_SENTIMENTS = 50_000


@dataclass(frozen=True, slots=True)
class NewsItem:
    """An article of the news, as lists show it."""

    id: str
    topic: str
    state: str
    title: str
    link: str
    date: datetime | None
    source: str
    provider: str
    sentiment: str | None
    sentiment_score: float | None
    summary: str | None
    # The provider gave no date: it is the moment at which the article was found.
    undated: bool = False
    # Where it stands in the list: what to ask for as `after` to get those behind it.
    place: str = ""


@dataclass(slots=True)
class SentimentDay:
    """How many articles that were published on a day (UTC) are of each sentiment, and the mean of their scores."""

    day: str
    positive: int = 0
    neutral: int = 0
    negative: int = 0
    score: float | None = None


@dataclass(frozen=True, slots=True)
class NewsDetail:
    """One article with all its columns, by the names of the specification, and its links to the rest of the graph."""

    article: dict[str, Any]
    same_story: list[dict[str, Any]] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class NewsQueue:
    """The state of a topic: the keys of the specification, and the metrics of the last runs."""

    topic: str
    length: int
    backing_off: int
    additions: int
    entries: list[dict[str, Any]]
    checkpoints: list[dict[str, Any]]
    providers: list[dict[str, Any]]
    updater_runs: list[dict[str, Any]]
    processor_runs: list[dict[str, Any]]
    articles_per_hour: float | None


def list_articles(
    graph: Graph, topic: str, *, state: str = "", source: str = "", sentiment: str = "", contains: str = "",
    after: str = "", limit: int = 20,
) -> list[NewsItem]:  # fmt: skip
    """The newest first; with `after`, those behind that place."""
    _check("state", state, [one.name for one in graph.store.machine(NAME).states])
    _check("sentiment", sentiment.lower(), SENTIMENTS)
    rows = graph.read(
        f"{NAME}.listed", topic=topic, state=state, source=source.lower(), sentiment=sentiment.lower(),
        contains=contains.lower(), **_behind(after), limit=limit,
    )  # fmt: skip
    return [
        NewsItem(
            row["id"], row["topic"], row["state"], row["title"], row["link"], row["date"], row["source"],
            row["provider"], row["sentiment"] or None, row["sentimentScore"] if row["sentiment"] else None,
            row["summary"], bool(row["undated"]), f"{(row['date'] - _EPOCH) // _MICROSECOND}.{row['seq']}",
        )
        for row in rows
    ]  # fmt: skip


def _behind(place: str) -> Row:
    """Date and number of the article behind which a page begins."""
    if not place:
        return {"date": datetime(9999, 1, 1, tzinfo=UTC), "seq": 0}
    try:
        date, seq = map(int, place.split("."))
        return {"date": _EPOCH + date * _MICROSECOND, "seq": seq}
    except (ValueError, OverflowError):
        raise BadRequest("news list", "after", f"{place!r} is no place of an article in a list") from None


def sentiment_by_day(graph: Graph, topic: str, days: int) -> list[SentimentDay]:
    """The last so many days, the oldest first; a day without articles is among them."""
    today = graph.clock.now_ms() // _DAY_MS
    starts = [number * _DAY_MS for number in range(today - days + 1, today + 1)]
    found = {_day(start): SentimentDay(_day(start)) for start in starts}
    scores: dict[str, list[float]] = {}
    for row in graph.read(f"{NAME}.sentiments", topic=topic, since=moment(starts[0]), limit=_MOST_SENTIMENTS):
        day = row["date"].strftime("%Y-%m-%d")
        if day in found and row["sentiment"] in SENTIMENTS:  # a feed may be ahead of time
            setattr(found[day], row["sentiment"], getattr(found[day], row["sentiment"]) + 1)
            if row["score"] is not None:
                scores.setdefault(day, []).append(row["score"])
    for day, values in scores.items():
        found[day].score = sum(values) / len(values)
    return list(found.values())


def _day(ms: int) -> str:
    return moment(ms).strftime("%Y-%m-%d")


def _check(name: str, value: str, known: Iterable[str]) -> None:
    """Refuse a value that no article has, with those that there are."""
    if value and value not in (words := list(known)):
        raise BadRequest("news list", name, f"{value!r} is none of {', '.join(words)}")


def show_article(graph: Graph, key: str) -> NewsDetail:
    """One article, by its id or its address."""
    rows = graph.read(f"{NAME}.shown", key=key)
    if not rows:
        raise UnknownArticle(key)
    article = {name: value if value != "" else None for name, value in rows[0].items()}
    if article["sentiment"] is None:
        article["sentimentScore"] = None
    return NewsDetail(
        article,
        graph.read(f"{NAME}.same_stories", key=article["id"]),
        [row["title"] for row in graph.read(f"{NAME}.mentioned", key=article["id"])],
        [Failure(**row) for row in graph.read(f"{NAME}.failures", key=article["id"])],
    )


def look_at_queue(graph: Graph, topic: str, limit: int = 20) -> NewsQueue:
    now = graph.clock.now_ms()
    runs = graph.read("news_processor.runs", topic=topic, limit=60)
    return NewsQueue(
        topic,
        graph.read("news_processor.length", topic=topic)[0]["length"],
        graph.read("news_processor.waiting", topic=topic, now=now)[0]["waiting"],
        graph.read("news_updater.additions", topic=topic)[0]["total"],
        graph.read("news_processor.queue", topic=topic, limit=limit),
        [{name: row[name] for name in ("name", "article", "passed", "at")} for row in _checkpoints(graph, topic)],
        graph.read("news_updater.providers", topic=topic),
        graph.read("news_updater.runs", topic=topic, limit=_RUNS_SHOWN),
        runs[:_RUNS_SHOWN],
        _rate(runs),
    )


def _checkpoints(graph: Graph, topic: str) -> list[Row]:
    return graph.read("news_processor.checkpoints", topic=topic)


def _rate(runs: list[Row]) -> float | None:
    """Articles per hour, from the beginning of the oldest of these runs to the end of the newest."""
    if not runs:
        return None
    seconds = (runs[0]["at"] - runs[-1]["at"]).total_seconds() + runs[-1]["seconds"]
    return round(3600 * sum(row["processed"] for row in runs) / seconds, 1) if seconds > 0 else None
