"""The queue of articles in plain Python: what every operation must leave behind, told once more and simply."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from graphvine.clock import NEVER, moment
from graphvine.records import Claim

MAX_RETRIES, MAX_LOST, SUSPECT_AT, KEPT = 3, 2, 2, 10
WORDS = ("discovered", "claimed", "loaded", "processed", "failed", "skipped", "excluded")
NOBODY = 1


@dataclass(frozen=True)
class Article:
    seq: int
    due: int
    expansion_depth: int = 0
    expansion_state: str = "discovered"
    lease: int = 0
    claimed_by: str | None = None
    claimed_at: datetime | None = None
    processed_at: datetime | None = None
    retry_count: int = 0
    lost_claims: int = 0
    failure_count: int = 0
    last_error: str | None = None

    @property
    def held(self) -> bool:
        return self.lease > 0

    def free(self, due: int, **changes: Any) -> Article:
        """Back into the queue, from the start or from where it was."""
        loaded = self.expansion_state == "loaded"
        lease, state = (-1, "loaded") if loaded else (0, "discovered")
        freed = replace(self, lease=lease, due=due, expansion_state=state, claimed_by=None, claimed_at=None)
        return replace(freed, **changes)


@dataclass
class Model:
    articles: dict[str, Article] = field(default_factory=dict)
    links: set[tuple[str, str]] = field(default_factory=set)
    failures: dict[str, set[int]] = field(default_factory=dict)
    paused: bool = False

    def add(self, title: str, seq: int, depth: int, now: int) -> None:
        self.articles[title] = Article(seq, now, depth)

    def ready(self, now: int, states: set[str] | None = None) -> list[str]:
        """What can be claimed, in order: what goes on from a middle state first, then by depth and age."""
        free = [
            (row.lease, row.expansion_depth, row.seq, title)
            for title, row in self.articles.items()
            if row.lease <= 0 and row.due <= now and (states is None or row.expansion_state in states)
        ]
        return [title for *_, title in sorted(free)]

    def suspect(self, title: str) -> bool:
        return self.articles[title].lost_claims >= SUSPECT_AT

    def take(self, claim: Claim, worker: str, now: int) -> None:
        row = self.articles[claim.key]
        state = "loaded" if row.expansion_state == "loaded" else "claimed"
        self.articles[claim.key] = replace(
            row, expansion_state=state, lease=claim.token, due=NEVER, claimed_by=worker, claimed_at=moment(now)
        )

    def holds(self, claim: Claim, *states: str) -> bool:
        """Whether the claim is still good, for a move from one of these states (any when none is named)."""
        row = self.articles[claim.key]
        return row.lease == claim.token and (not states or row.expansion_state in states)

    def finish(self, claim: Claim, now: int) -> None:
        row = self.articles[claim.key]
        self.articles[claim.key] = replace(row, expansion_state="processed", processed_at=moment(now), lease=0)

    def fail(self, claim: Claim, error: str, now: int, due: int | None) -> None:
        """With a moment to come back at, or for good."""
        row = self.articles[claim.key]
        counted = replace(row, retry_count=row.retry_count + 1, failure_count=row.failure_count + 1, last_error=error)
        if due is None:
            counted = replace(
                counted, expansion_state="failed", lease=0, claimed_by=None, claimed_at=None, processed_at=moment(now)
            )
        else:
            counted = counted.free(due)
        self.articles[claim.key] = counted
        self._note(claim.key, claim.failure_count)

    def release(self, claim: Claim, now: int) -> None:
        self.articles[claim.key] = self.articles[claim.key].free(now)

    def beat(self, claim: Claim, now: int) -> None:
        self.articles[claim.key] = replace(self.articles[claim.key], claimed_at=moment(now))

    def reap(self, timeout_ms: int, now: int) -> tuple[int, int]:
        back = out = 0
        silent = {
            title: row
            for title, row in self.articles.items()
            if (row.expansion_state == "claimed" or (row.expansion_state == "loaded" and row.held))
            and (row.claimed_at is None or row.claimed_at < moment(now - timeout_ms))
        }
        held = Counter(row.claimed_by for row in silent.values())
        for title, row in silent.items():
            lost = row.lost_claims + 1
            alone = row.claimed_by is not None and held[row.claimed_by] == 1
            if not alone or lost < MAX_LOST:
                self.articles[title] = row.free(now, lost_claims=lost if alone else min(lost, SUSPECT_AT))
                back += 1
                continue
            self._note(title, row.failure_count)
            self.articles[title] = replace(
                row, expansion_state="failed", lease=0, due=NEVER, claimed_by=None, claimed_at=None, lost_claims=lost,
                processed_at=moment(now), failure_count=row.failure_count + 1,
                last_error=f"lost its worker {MAX_LOST} times, the last time while it was worked on alone",
            )  # fmt: skip
            out += 1
        return back, out

    def requeue(self, title: str, now: int) -> None:
        self.articles[title] = replace(
            self.articles[title], expansion_state="discovered", processed_at=None, retry_count=0, lost_claims=0,
            last_error=None, lease=0, due=now,
        )  # fmt: skip

    def exclude(self, title: str, now: int) -> None:
        self.articles[title] = replace(
            self.articles[title], expansion_state="excluded", processed_at=moment(now), lease=0, due=NEVER
        )

    def set_word(self, title: str, word: str, now: int) -> None:
        """The word wins; numbers that do not say the same follow it."""
        row = replace(self.articles[title], expansion_state=word)
        never = row.due >= NEVER
        if word == "discovered" and (row.lease != 0 or never):
            row = replace(row, lease=0, due=now, claimed_by=None, claimed_at=None)
        elif word == "claimed" and (not row.held or not never):
            row = replace(row, lease=NOBODY, due=NEVER, claimed_by=None)
        elif word == "loaded" and (row.lease == 0 or row.held != never):
            row = replace(row, lease=-1, due=now, claimed_by=None, claimed_at=None)
        elif word in ("processed", "failed", "skipped", "excluded") and (row.lease != 0 or not never):
            row = replace(row, lease=0, due=NEVER, claimed_by=None, claimed_at=None)
        self.articles[title] = row

    def _note(self, title: str, count: int) -> None:
        self.failures.setdefault(title, set()).add(count % KEPT)
