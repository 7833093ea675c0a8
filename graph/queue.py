"""The work queue of articles in the words of its document: titles instead of claims, tokens kept out of sight."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from graphvine.claims import Claims
from graphvine.clock import NEVER, moment
from graphvine.errors import ClaimLost, GraphvineError, did_you_mean
from graphvine.graph import Graph
from graphvine.records import Claim, Step, Unit

_log = logging.getLogger("graphvine.queue")
_LONGEST_WAIT_SECONDS = 1.0


class WorkQueueManager:
    """Claims articles and moves them on. One manager is one worker; it knows its claims by title."""

    def __init__(self, graph: Graph, worker: str | None = None) -> None:
        self._graph = graph
        self._claims: Claims = graph.claims("article", worker)
        self._mine: dict[str, Claim] = {}

    def initialize_seeds(self, seed_titles: Iterable[str]) -> int:
        """Put these titles in at depth 0; those that are there stay as they are. Returns how many are new."""
        return self._graph.seed("article", seed_titles)

    def claim_work(self, batch_size: int = 10, timeout_seconds: float | None = None) -> list[dict[str, Any]]:
        """Claim the nearest articles; an empty list means that nothing is left to claim.

        Claims of others that were silent for `timeout_seconds` are taken back first. While there are only articles
        that back off after a failure, it waits for them.
        """
        self.reclaim_stale(timeout_seconds)
        while True:
            claims = self._claims.claim(batch_size, states={"discovered"})
            if claims:
                self._mine.update((claim.key, claim) for claim in claims)
                return [{"title": c.key, "expansion_depth": c.depth, "retry_count": c.retry_count} for c in claims]
            now = self._graph.clock.now_ms()
            due = self._graph.store.ready_cache("article").next_due(now, {"discovered"})
            if due is None or self._graph.store.paused("article") is not None:
                return []
            self._graph.clock.sleep(min(max(due - now, 1) / 1000, _LONGEST_WAIT_SECONDS))

    def update_heartbeat(self, title: str) -> None:
        """Say that the work on this article goes on; raises ClaimLost when it is no longer ours."""
        self._claims.heartbeat([self._claim(title)])

    def advance_state(self, title: str, state: str) -> None:
        """The article is 'loaded', or 'processed'."""
        if state not in ("loaded", "processed"):
            raise GraphvineError(
                f"an article can't be advanced to {state!r}{did_you_mean(state, ['loaded', 'processed'])}"
            )
        if state == "processed" and title not in self._mine:
            self.discover_links(title, (), 0)
            return
        claim = self._claim(title)
        self._mine.pop(title)
        if state == "processed":
            self._claims.complete(claim)
            return
        now = self._graph.clock.now_ms()
        waits_until = now + int(self._graph.settings.timeout_seconds * 1000)
        steps = self._claims.step("load", [claim], at=moment(now), due=waits_until)
        if claim.seq not in self._graph.run(Unit.of(steps)).held:
            raise ClaimLost([claim])

    def mark_failed(self, title: str, error: str, *, permanent: bool = False) -> None:
        """The work failed: the article is tried again later, or fails for good. On a lost claim this does nothing."""
        claim = self._mine.pop(title, None)
        try:
            if claim is None:
                raise ClaimLost([_unknown(title)])
            self._claims.fail(claim, error, permanent=permanent)
        except ClaimLost:
            _log.warning("the claim on %r is no longer ours: its failure is not recorded", title)

    def discover_links(self, source_title: str, links: Sequence[str], depth: int) -> int:
        """The links of a loaded article: new ones are discovered at depth + 1. Returns how many are new."""
        source = self._graph.read("article.named", keys=[source_title])
        if not source:
            raise GraphvineError(f"there is no article {source_title!r}")
        seq, now = source[0]["seq"], self._graph.clock.now_ms()
        titles = [title for title in dict.fromkeys(links) if title != source_title]
        found = [{"claim": seq, "title": title, "depth": depth + 1, "seq": 0} for title in titles]
        edges = [{"claim": seq, "source": source_title, "target": title} for title in titles]
        steps = [
            Step("article.links_discovered", {"title": source_title, "at": moment(now), "never": NEVER}),
            Step("article.discover", {"rows": found, "now": now}),
            Step("article.link", {"rows": edges}),
        ]
        result = self._graph.run(Unit.of(steps))
        if not result.held:
            raise GraphvineError(
                f"{source_title!r} is {source[0]['state']}, its links are discovered once it is loaded"
            )
        return sum(row["created"] for row in result.rows[1])

    def reclaim_stale(self, timeout_seconds: float | None = None) -> int:
        """Take back claims with no heartbeat for this long (the setting's 300 s). Returns how many."""
        return self._graph.reap("article", timeout_seconds).reclaimed

    def _claim(self, title: str) -> Claim:
        if title not in self._mine:
            raise ClaimLost([_unknown(title)])
        return self._mine[title]


def _unknown(title: str) -> Claim:
    """Stands for a title that this manager never claimed."""
    return Claim("article", title, 0, 0, "discovered")
