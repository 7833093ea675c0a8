"""An article in a processor's hands: what the phases need of it, and the steps that save what they made."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from graphvine.claims import FAILURES_KEPT
from graphvine.records import Claim, Row, Step
from graphvine.workers.news import PIPELINE
from graphvine.workers.news.keys import phase_checkpoint

_MESSAGE_CHARACTERS, _TRACE_CHARACTERS = 2_000, 8_000


@dataclass(slots=True)
class Held:
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
    def of(cls, claim: Claim, topic: str, row: Row) -> Held:
        return cls(
            claim, topic, row["title"] or "", row["link"] or "", row["keywords"] or "", row["language"] or "",
            bool(row["needsSummary"]), bool(row["needsSentiment"]), row["contentTimeout"] or 0,
            row["summaryAttempts"] or 0, row["sentimentAttempts"] or 0, row["content"] or "", row["summary"] or "",
            list(row["embedding"] or ()),
        )  # fmt: skip

    # Steps under the claim

    def save(self, phase: str, at: datetime, **saved: Any) -> list[Step]:
        """A phase is over: what it made, and its checkpoint."""
        row = {"seq": self.claim.seq, "token": self.claim.token, **saved}
        span = {"tokens": [self.claim.token], "lo": self.claim.seq, "hi": self.claim.seq}
        return [Step(f"{PIPELINE}.save_{phase}", {"rows": [row], **span, "at": at}), self._pass(phase, at)]

    def count(self, what: str, **counted: Any) -> Step:
        """A phase failed once more."""
        return Step(f"{PIPELINE}.count_{what}", {**self._keyed, **counted})

    def complete(self, at: datetime) -> Step:
        return Step(f"{PIPELINE}.complete", {**self._span, "at": at})

    def release(self, due: int) -> Step:
        return Step(f"{PIPELINE}.release", {**self._span, "due": due})

    def retry(self, due: int, error: str) -> Step:
        return Step(f"{PIPELINE}.retry", {**self._keyed, "due": due, "error": cleaned(error)})

    def fail(self, at: datetime, error: str) -> Step:
        return Step(f"{PIPELINE}.fail", {**self._keyed, "at": at, "error": cleaned(error)})

    # Steps that are carried out where the claim held

    def dequeue(self) -> Step:
        return Step("news_processor.dequeue", {"rows": [self._entry]})

    def to_end(self) -> Step:
        return Step("news_processor.to_end", {"rows": [{**self._entry, "place": 0}]})

    def note(self, at: datetime, kind: str, reason: str, trace: str | None = None) -> Step:
        noted = {
            "seq": self.claim.seq, "key": self.claim.key, "at": at, "kind": kind, "message": cleaned(reason),
            "id": f"{PIPELINE}/{self.claim.key}/{self.claim.failure_count % FAILURES_KEPT}",
            "attempt": self.claim.retry_count + 1, "trace": cleaned(trace, _TRACE_CHARACTERS) if trace else None,
        }  # fmt: skip
        return Step(f"{PIPELINE}.note_failure", noted)

    def with_claim(self, block: str, rows: list[Row]) -> Step:
        return Step(f"{PIPELINE}.{block}", {"rows": [{**row, "claim": self.claim.seq} for row in rows]})

    def _pass(self, phase: str, at: datetime) -> Step:
        name = phase_checkpoint(self.topic, phase)
        passed = {"seq": self.claim.seq, "checkpoint": name, "article": self.claim.key, "at": at}
        return Step("news_processor.pass_phase", passed)

    @property
    def _entry(self) -> Row:
        return {"id": self.claim.key, "claim": self.claim.seq}

    @property
    def _keyed(self) -> Row:
        return {"key": self.claim.key, "seq": self.claim.seq, "token": self.claim.token}

    @property
    def _span(self) -> Row:
        seq = self.claim.seq
        return {"seqs": [seq], "lo": seq, "hi": seq, "token": self.claim.token}


def cleaned(text: str, longest: int = _MESSAGE_CHARACTERS) -> str:
    """Text that every engine can store."""
    return text[:longest].encode("utf-8", "replace").decode("utf-8").replace("\0", "")
