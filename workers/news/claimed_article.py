"""A claimed article: what the phases need of it, and the steps that are written beside its own row."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from graphvine.records import Claim, Row, Step
from graphvine.workers.news import NAME
from graphvine.workers.news.settings import phase_checkpoint


@dataclass(slots=True)
class ClaimedArticle:
    claim: Claim
    topic: str
    title: str
    link: str
    keywords: str
    language: str
    needs_summary: bool
    needs_sentiment: bool
    content_timeout: int
    summary_attempts: int
    sentiment_attempts: int
    content: str = ""
    summary: str = ""
    vector: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, claim: Claim, topic: str, row: Row) -> ClaimedArticle:
        return cls(
            claim, topic, row["title"] or "", row["link"] or "", row["keywords"] or "", row["language"] or "",
            bool(row["needsSummary"]), bool(row["needsSentiment"]), row["contentTimeout"] or 0,
            row["summaryAttempts"] or 0, row["sentimentAttempts"] or 0, row["content"] or "", row["summary"] or "",
            list(row["embedding"] or ()),
        )  # fmt: skip

    def count(self, what: str, **counted: Any) -> Step:
        """Count a failed attempt on the article itself."""
        claim = self.claim
        given = {"key": claim.key, "seq": claim.seq, "token": claim.token}
        return Step(f"{NAME}.count_{what}", {**given, **counted})

    def pass_phase(self, phase: str, at: datetime) -> Step:
        """Move the checkpoint of a phase to this article."""
        name = phase_checkpoint(self.topic, phase)
        passed = {"seq": self.claim.seq, "checkpoint": name, "article": self.claim.key, "at": at}
        return Step("news_processor.pass_phase", passed)

    def dequeue(self) -> Step:
        return Step("news_processor.dequeue", {"rows": [{"id": self.claim.key, "claim": self.claim.seq}]})

    def to_end(self) -> Step:
        return Step("news_processor.to_end", {"rows": [{"id": self.claim.key, "claim": self.claim.seq, "place": 0}]})

    def with_claim(self, block: str, rows: list[Row]) -> Step:
        """A block of articles that is carried out where the claim still held."""
        return Step(f"{NAME}.{block}", {"rows": [{**row, "claim": self.claim.seq} for row in rows]})
