"""Fetching for a batch of claims: what is a title's own fault is told apart from a source that is away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphvine.outcomes import Outcome, Postpone, Retry
from graphvine.records import Claim
from graphvine.workers.wikipedia.errors import SourceUnavailable
from graphvine.workers.wikipedia.sources import Result, Source

# These may be the fault of one page (a server that chokes on it); the others are never a title's.
_MAY_BE_THE_PAGE = frozenset({"timeout", "server_error", "cut_body", "bad_json", "endless_continuation"})


class Fetcher:
    """Fetches for one worker, and remembers how long the source has been away."""

    def __init__(self, source: Source, pause_seconds: float, longest_pause_seconds: float) -> None:
        self._source, self._pause, self._longest = source, pause_seconds, longest_pause_seconds
        self._outages = 0

    def fetch(self, claims: Sequence[Claim]) -> tuple[Mapping[int, Result], list[Outcome]]:
        """Results by row number, and the outcomes of claims that have none."""
        results: dict[int, Result] = {}
        outcomes: list[Outcome] = []
        size = self._source.batch_size
        for start in range(0, len(claims), size):
            part = claims[start : start + size]
            try:
                self._take(part, results)
            except SourceUnavailable as error:
                if len(part) > 1 and error.fault in _MAY_BE_THE_PAGE:
                    away = self._search(part, results, outcomes, error)
                else:
                    away = error
                if away is not None:
                    # The source is away, not these titles: nothing is held against them, and the rest can wait too.
                    left = [c for c in claims[start:] if c.seq not in results]
                    answered = {outcome.claim.seq for outcome in outcomes}
                    seconds = max(away.retry_after_seconds or 0.0, self._next_pause())
                    outcomes += [Postpone(c, str(away), seconds) for c in left if c.seq not in answered]
                    return results, outcomes
        self._outages = 0
        return results, outcomes

    def _take(self, claims: Sequence[Claim], results: dict[int, Result]) -> None:
        for claim, result in zip(claims, self._source.fetch([claim.key for claim in claims]), strict=True):
            results[claim.seq] = result

    def _search(
        self, claims: Sequence[Claim], results: dict[int, Result], outcomes: list[Outcome], first: SourceUnavailable
    ) -> SourceUnavailable | None:
        """Halve the batch to find the page that the source chokes on. Returns the error when every half fails."""
        middle = len(claims) // 2
        failures: list[tuple[Sequence[Claim], SourceUnavailable]] = []
        for half in (claims[:middle], claims[middle:]):
            try:
                self._take(half, results)
            except SourceUnavailable as error:
                failures.append((half, error))
        if len(failures) == 2:
            return first
        for half, failure in failures:
            if len(half) == 1 or self._search(half, results, outcomes, failure) is not None:
                # Where both parts of a half fail, each of its titles has to answer for itself when it comes again.
                outcomes += [Retry(claim, str(failure), failure.retry_after_seconds) for claim in half]
        return None

    def _next_pause(self) -> float:
        self._outages += 1
        return min(self._longest, self._pause * 2.0 ** (self._outages - 1))
