"""Jobs for workers, and the rows that the manager writes for them."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any

from graphvine.records import Claim, Row, Step
from graphvine.workers.scrape import PIPELINE
from graphvine.workers.scrape.events import ScrapeFinished, SummaryFinished, SummaryPartial


@dataclass(frozen=True, slots=True)
class Job:
    """A page for a worker: to be scraped, or, with its text saved, to be summarized."""

    claim: Claim
    url: str

    @property
    def scrapes(self) -> bool:
        return self.claim.state == "scraping"


def save(block: str, rows: list[Row], **given: Any) -> Step:
    """A step that saves something for claims that are held."""
    seqs, tokens = [row["seq"] for row in rows], sorted({row["token"] for row in rows})
    return Step(f"{PIPELINE}.{block}", {"rows": rows, "tokens": tokens, "lo": min(seqs), "hi": max(seqs), **given})


def page_row(event: ScrapeFinished, job: Job) -> Row:
    page = event.page
    scraped = json.dumps({"url": job.url, **event.facts, **page.as_dict()}, ensure_ascii=False)
    return {"seq": event.seq, "token": event.token, "scraped": scraped, "title": page.title, "words": page.words}


def summary_row(event: SummaryPartial | SummaryFinished) -> Row:
    return {"seq": event.seq, "token": event.token, "summary": event.text, "summarizer": event.summarizer}


def new_token() -> int:
    return secrets.randbits(62) | 1 << 61
