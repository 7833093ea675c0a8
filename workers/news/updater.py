"""The updater: asks the providers, stores what is new, appends it to the log of additions, trims the log.

It writes articles, the index, the log and the providers' states, never the queue nor a checkpoint. All that one
provider gave is written in one unit: a kill before it leaves nothing, so that the next run finds the same again. Were a
first page stored without the second, the next run would take the first for known and never look at the second.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit
from graphvine.workers.news import PIPELINE
from graphvine.workers.news.article import Found, listed, with_priority
from graphvine.workers.news.errors import ProviderError
from graphvine.workers.news.keys import additions_checkpoint
from graphvine.workers.news.providers import Provider, required
from graphvine.workers.news.runs import UpdaterRun, log, next_run_id
from graphvine.workers.news.settings import NewsSettings, load
from graphvine.workers.parts.fetching import Fetcher, FetchLimits

ROLE = "news_updater"
# A provider that says it is overloaded, and not for how long, is left alone for this long.
_LEFT_ALONE_SECONDS = 60.0
Tell = Callable[[str], None]


@dataclass(slots=True)
class Gathered:
    """What one provider gave in one run."""

    provider: str
    articles: dict[str, Found] = field(default_factory=dict)
    rejected: list[str] = field(default_factory=list)
    pages: int = 0
    credits: int = 0
    error: str = ""
    not_before_seconds: float = 0.0


class Updater:
    """`run_once()` is one hourly run. `tell` hears of each step once it is over, for tests and progress."""

    def __init__(
        self, graph: Graph, settings: NewsSettings | None = None, *, providers: Sequence[Provider] | None = None,
        tell: Tell = lambda step: None,
    ) -> None:  # fmt: skip
        self._graph, self._settings, self._tell = graph, settings or load(), tell
        self._providers = list(providers) if providers is not None else required(self._settings)
        self._topic = self._settings.topic

    def run_once(self) -> UpdaterRun:
        """Ask every provider, store what is new. What goes wrong with one does not keep the others from it."""
        run = asyncio.run(self._run())
        self._note(run)
        log(run)
        self._graph.door.report(
            "news_updated", topic=run.topic, found=run.found, trimmed=run.trimmed, credits=run.credits, total=run.total
        )
        return run

    async def _run(self) -> UpdaterRun:
        run = UpdaterRun(self._topic)
        states = {row["name"]: row for row in self._graph.read(f"{ROLE}.providers", topic=self._topic)}
        async with AsyncExitStack() as stack:
            fetchers: dict[bool, Fetcher] = {}
            for provider in self._providers:
                state = states.get(provider.name, {})
                if state.get("not_before", 0) > self._graph.clock.now_ms():
                    run.errors[provider.name] = f"left alone for a while, since: {state.get('last_error')}"
                    continue
                known = set(self.known())
                self._tell("index_read")
                if provider.keyed not in fetchers:
                    # A key must not follow a redirect to another host, so what is asked with one is not followed.
                    opening = self._fetcher(0 if provider.keyed else self._settings.max_redirects)
                    fetchers[provider.keyed] = await stack.enter_async_context(opening)
                fetcher = fetchers[provider.keyed]
                gathered = await self._gather(fetcher, provider, known, whole=bool(state.get("whole", True)))
                run = self._added(run, gathered, self.store(gathered))
                self._tell("stored")
        return replace(run, total=self.total())

    # The steps, one by one

    def known(self) -> list[str]:
        """The document's first step: the ids in the index, the newest first."""
        since = self._graph.clock.now_ms() - 1000 * self._settings.id_index_ttl
        rows = self._graph.read(f"{ROLE}.known", topic=self._topic, since_ms=since)
        return [row["id"] for row in rows][: self._settings.max_stored_articles]

    async def _gather(self, fetcher: Fetcher, provider: Provider, known: set[str], *, whole: bool) -> Gathered:
        """The second and third: page after page, up to one whose articles are all known.

        Where the last run did not come to its end, what it missed may lie behind known pages: then these do not end it.
        """
        gathered, cursor = Gathered(provider.name), ""
        high, low = listed(self._settings.high_priority), listed(self._settings.low_priority)
        while gathered.pages < self._settings.max_pages:
            try:
                page = await provider.page(fetcher.fetch, cursor)
            except ProviderError as error:
                gathered.error = error.reason
                gathered.not_before_seconds = error.retry_after_seconds or _LEFT_ALONE_SECONDS
                break
            gathered.pages += 1
            gathered.credits += page.credits
            gathered.rejected += [f"{provider.name}, page {gathered.pages}, {reason}" for reason in page.rejected]
            fresh = [article for article in page.articles if article.id not in known]
            for article in fresh:
                gathered.articles.setdefault(article.id, with_priority(article, high, low))
            self._tell("page_fetched")
            nothing_new = bool(page.articles) and not fresh
            empty = not page.articles and not page.rejected
            if not page.next or page.next == cursor or empty or (whole and nothing_new):
                break
            cursor = page.next
        return gathered

    def store(self, gathered: Gathered) -> dict[str, Any]:
        """The fourth and fifth, in one unit: articles, index, the log trimmed and appended to."""
        now = self._graph.clock.now_ms()
        at, run_id = moment(now), secrets.token_hex(8)
        # Providers give the newest first; the log is in the order in which articles came about.
        articles = list(reversed(gathered.articles.values()))
        steps: list[Step] = []
        if articles:
            rows = [_row(article, at) for article in articles]
            given = {"topic": self._topic, "run": run_id, "at": at}
            steps.append(Step(f"{PIPELINE}.store", {"rows": rows, "now": now, **given}))
            sources = {article.source: article for article in articles}
            steps.append(
                Step(f"{PIPELINE}.open_sources", {"rows": [_source(one) for one in sources.values()], "at": at})
            )
            published = [{"id": article.id, "source": article.source} for article in articles]
            steps.append(Step(f"{PIPELINE}.publish", {"rows": published}))
            index = [{"key": f"{self._topic} {article.id}", "id": article.id, "seq": 0} for article in articles]
            steps.append(Step(f"{ROLE}.index", {"rows": index, "topic": self._topic, "now": now}))
        since = now - 1000 * self._settings.id_index_ttl
        steps.append(Step(f"{ROLE}.expire_index", {"topic": self._topic, "since_ms": since}))
        steps.append(Step(f"{ROLE}.trim_index", {"topic": self._topic, "most": self._settings.max_stored_articles}))
        checkpoint = additions_checkpoint(self._topic)
        steps.append(Step(f"{ROLE}.trim", {"topic": self._topic, "checkpoint": checkpoint}))
        if articles:
            appended = [{"id": article.id, "seq": 0} for article in articles]
            steps.append(Step(f"{ROLE}.append", {"rows": appended, **given}))
        steps.append(self._provider_step(gathered, now))
        result = self._graph.run(Unit.of(steps))
        answers = {step.block: rows for step, rows in zip(steps, result.rows, strict=True)}
        return {
            "found": sum(row["created"] for row in answers.get(f"{ROLE}.append", [])),
            "trimmed": len(answers[f"{ROLE}.trim"]),
        }

    def total(self) -> int:
        """How long the log of additions is."""
        return int(self._graph.read(f"{ROLE}.additions", topic=self._topic)[0]["total"])

    def _provider_step(self, gathered: Gathered, now: int) -> Step:
        noted = {
            "key": f"{self._topic} {gathered.provider}", "topic": self._topic, "name": gathered.provider,
            "whole": not gathered.error, "credits": gathered.credits, "found": len(gathered.articles),
            "not_before": now + int(1000 * gathered.not_before_seconds) if gathered.error else 0,
            "error": gathered.error[:1_000], "at": moment(now),
        }  # fmt: skip
        return Step(f"{ROLE}.note_provider", noted)

    def _added(self, run: UpdaterRun, gathered: Gathered, stored: dict[str, Any]) -> UpdaterRun:
        trimmed = run.trimmed + stored["trimmed"]
        return replace(
            run, found=run.found + stored["found"], trimmed=trimmed, credits=run.credits + gathered.credits,
            pages=run.pages + gathered.pages, rejected=run.rejected + gathered.rejected,
            errors=run.errors | ({gathered.provider: gathered.error} if gathered.error else {}),
            checkpoint=self._checkpoint() if trimmed else "",
        )  # fmt: skip

    def _checkpoint(self) -> str:
        rows = self._graph.read("news_processor.checkpoints", topic=self._topic)
        name = additions_checkpoint(self._topic)
        return next((str(row["article"]) for row in rows if row["name"] == name), "")

    def _note(self, run: UpdaterRun) -> None:
        at = moment(self._graph.clock.now_ms())
        last = self._graph.read(f"{ROLE}.runs", topic=self._topic, limit=1)
        noted = {
            "id": next_run_id(self._topic, last), "topic": self._topic, "at": at, "found": run.found,
            "trimmed": run.trimmed, "credits": run.credits, "total": run.total,
        }  # fmt: skip
        self._graph.run(Unit.of([Step(f"{ROLE}.note_run", noted)]))

    def _fetcher(self, max_redirects: int) -> Fetcher:
        """For providers: what somebody named in the settings is asked whatever robots.txt says to crawlers."""
        chosen = self._settings
        limits = FetchLimits(
            max_bytes=chosen.max_bytes, total_seconds=chosen.total_seconds, connect_seconds=chosen.connect_seconds,
            read_seconds=chosen.read_seconds, max_redirects=max_redirects,
        )  # fmt: skip
        return Fetcher(
            limits, allowed_private_hosts=chosen.allowed_private_hosts, contact=chosen.contact, obey_robots=False
        )


def _row(article: Found, now: Any) -> Row:
    return {
        "id": article.id, "seq": 0, "title": article.title, "link": article.link, "date": article.date or now,
        "description": article.description, "author": article.author, "language": article.language,
        "keywords": ", ".join(article.keywords), "source": article.source, "provider": article.provider,
        "providerId": article.provider_id, "priority": article.priority, "needsSentiment": not article.sentiment,
        "sentiment": article.sentiment, "score": article.score if article.score is not None else 0.0,
        "sentimentBy": article.provider if article.sentiment else "",
    }  # fmt: skip


def _source(article: Found) -> Row:
    return {"name": article.source, "title": article.source_title, "url": article.source_url}
