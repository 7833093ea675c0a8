"""The updater: queries the providers, stores new articles, appends them to the log of additions, trims the log.

It writes articles, the index, the log and the providers' states, never the queue nor a checkpoint. What one provider
returned is written in one transaction: a kill before it leaves nothing, and the next run finds the same articles. If a
first page were stored without the second, the next run would stop at the first and never see the second.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from graphvine.clock import moment
from graphvine.graph import Graph
from graphvine.records import Row, Step, Unit
from graphvine.workers.common.fetching import Fetcher, FetchLimits
from graphvine.workers.news import NAME
from graphvine.workers.news.article import Found, listed, with_priority
from graphvine.workers.news.errors import ProviderError
from graphvine.workers.news.providers import Provider, required
from graphvine.workers.news.runs import UpdaterRun, log, next_run_id
from graphvine.workers.news.settings import NewsSettings, additions_checkpoint, load

ROLE = "news_updater"
# The wait after an error of a provider that does not say how long to wait.
_ERROR_WAIT_SECONDS = 60.0
OnStep = Callable[[str], None]


@dataclass(slots=True)
class Gathered:
    """What one provider returned in one run."""

    provider: str
    articles: dict[str, Found] = field(default_factory=dict)
    rejected: list[str] = field(default_factory=list)
    pages: int = 0
    credits: int = 0
    error: str = ""
    not_before_seconds: float = 0.0


class Updater:
    """`run_once()` is one hourly run. `on_step` is called after each step, for tests."""

    def __init__(
        self, graph: Graph, settings: NewsSettings | None = None, *, providers: Sequence[Provider] | None = None,
        now: bool = False, on_step: OnStep = lambda step: None,
    ) -> None:  # fmt: skip
        """With `now` no provider is left alone because it failed a moment ago."""
        self._now = now
        self._graph, self._settings, self._on_step = graph, settings or load(), on_step
        self._providers = list(providers) if providers is not None else required(self._settings)
        self._topic = self._settings.topic

    def run_once(self) -> UpdaterRun:
        """Query every provider and store new articles. An error of one does not affect the others."""
        run = asyncio.run(self._run())
        self._record(run)
        log(run)
        self._graph.store.publish(
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
                wait = (state.get("not_before") or 0) - self._graph.clock.now_ms()
                if wait > 0 and not self._now:
                    run.waiting[provider.name] = wait / 1000
                    run.errors[provider.name] = (
                        f"not asked, {math.ceil(wait / 1000)} s to wait after an error (--now asks at once):"
                        f" {state.get('last_error')}"
                    )
                    continue
                known = set(self.known())
                self._on_step("index_read")
                if provider.keyed not in fetchers:
                    # A key must not follow a redirect to another host: requests with a key follow none.
                    opening = self._fetcher(0 if provider.keyed else self._settings.max_redirects)
                    fetchers[provider.keyed] = await stack.enter_async_context(opening)
                fetcher = fetchers[provider.keyed]
                gathered = await self._gather(fetcher, provider, known, whole=bool(state.get("whole", True)))
                run = self._added(run, gathered, self.store(gathered))
                self._on_step("stored")
        return replace(run, total=self.total())

    # The steps, one by one

    def known(self) -> list[str]:
        """The specification's first step: the ids in the index, the newest first."""
        since = self._graph.clock.now_ms() - 1000 * self._settings.id_index_ttl
        rows = self._graph.read(f"{ROLE}.known", topic=self._topic, since_ms=since)
        return [row["id"] for row in rows][: self._settings.max_stored_articles]

    async def _gather(self, fetcher: Fetcher, provider: Provider, known: set[str], *, whole: bool) -> Gathered:
        """The second and third: page after page, up to one whose articles are all known.

        If the last run was cut short, what it missed may be behind known pages: then known pages do not end this one.
        """
        gathered, cursor = Gathered(provider.name), ""
        high, low = listed(self._settings.high_priority), listed(self._settings.low_priority)
        while gathered.pages < self._settings.max_pages:
            try:
                page = await provider.page(fetcher.fetch, cursor)
            except ProviderError as error:
                gathered.error = error.reason
                # Where a key is wrong or a page is gone, waiting changes nothing: the next run may ask at once.
                wait = 0.0 if error.permanent else _ERROR_WAIT_SECONDS
                gathered.not_before_seconds = error.retry_after_seconds or wait
                break
            gathered.pages += 1
            gathered.credits += page.credits
            gathered.rejected += [f"{provider.name}, page {gathered.pages}, {reason}" for reason in page.rejected]
            fresh = [article for article in page.articles if article.id not in known]
            for article in fresh:
                gathered.articles.setdefault(article.id, with_priority(article, high, low))
            self._on_step("page_fetched")
            nothing_new = bool(page.articles) and not fresh
            empty = not page.articles and not page.rejected
            if not page.next or page.next == cursor or empty or (whole and nothing_new):
                break
            cursor = page.next
        return gathered

    def store(self, gathered: Gathered) -> dict[str, Any]:
        """The fourth and fifth, in one transaction: articles, index, the log trimmed and appended to."""
        now = self._graph.clock.now_ms()
        at, run_id = moment(now), secrets.token_hex(8)
        # Providers return the newest first; the log is in the order of publication.
        articles = list(reversed(gathered.articles.values()))
        steps: list[Step] = []
        if articles:
            rows = [_row(article, at) for article in articles]
            given = {"topic": self._topic, "run": run_id, "at": at}
            steps.append(Step(f"{NAME}.store", {"rows": rows, "now": now, **given}))
            sources = {article.source: article for article in articles}
            steps.append(Step(f"{NAME}.open_sources", {"rows": [_source(one) for one in sources.values()], "at": at}))
            published = [{"id": article.id, "source": article.source} for article in articles]
            steps.append(Step(f"{NAME}.publish", {"rows": published}))
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
        """The length of the log of additions."""
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

    def _record(self, run: UpdaterRun) -> None:
        at = moment(self._graph.clock.now_ms())
        last = self._graph.read(f"{ROLE}.runs", topic=self._topic, limit=1)
        noted = {
            "id": next_run_id(self._topic, last), "topic": self._topic, "at": at, "found": run.found,
            "trimmed": run.trimmed, "credits": run.credits, "total": run.total,
        }  # fmt: skip
        self._graph.run(Unit.of([Step(f"{ROLE}.note_run", noted)]))

    def _fetcher(self, max_redirects: int) -> Fetcher:
        """For providers: addresses from the settings are queried whatever robots.txt says to crawlers."""
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
