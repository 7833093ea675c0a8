"""Fetching for a batch of claims: faults of a title, apart from a source that is away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from graphvine.outcomes import Postpone, Retry
from graphvine.records import Claim
from graphvine.workers.wikipedia.errors import SourceUnavailable
from graphvine.workers.wikipedia.sources import Result, Source

# These may be the fault of one page (a server that chokes on it); the others are never a title's.
_MAY_BE_THE_PAGE = frozenset({"timeout", "server_error", "cut_body", "bad_json", "endless_continuation"})
# So many calls of one batch may fail before the search for the guilty page is left for the next time.
_FAILED_CALLS = 24
# Any answer will do, also that there is no such page: it shows that the source is there.
_ANY_TITLE = "Main Page"


@dataclass(slots=True)
class Fetched:
    """What came of a part of a batch: results by row number, and answers for the claims that have none."""

    results: dict[int, Result] = field(default_factory=dict)
    retries: list[Retry] = field(default_factory=list)
    postponed: list[Postpone] = field(default_factory=list)
    away: SourceUnavailable | None = None


class Fetcher:
    """Fetches for one worker, and remembers how long the source has been away."""

    def __init__(self, source: Source, pause_seconds: float, longest_pause_seconds: float) -> None:
        self._source, self._pause, self._longest = source, pause_seconds, longest_pause_seconds
        self._outages = self._failed_calls = 0
        self._good_title = _ANY_TITLE

    def fetch(self, claims: Sequence[Claim], stopping: Callable[[], bool] = lambda: False) -> Iterator[Fetched]:
        """Ask for all of them, part by part. While the source is away nothing is held against a title: it is postponed.

        Once the source is away, the rest is not asked for: the last part answers for all that is left.
        """
        self._failed_calls = 0
        size = self._source.batch_size
        for start in range(0, len(claims), size):
            if stopping():
                return
            fetched = Fetched()
            try:
                self._ask(claims[start : start + size], fetched, stopping)
            except SourceUnavailable as error:
                fetched.away = error
                answered = {*fetched.results, *(retry.claim.seq for retry in fetched.retries)}
                seconds = max(error.retry_after_seconds or 0.0, self._next_pause())
                fetched.postponed = [Postpone(c, str(error), seconds) for c in claims[start:] if c.seq not in answered]
                yield fetched
                return
            yield fetched
        self._outages = 0

    def _ask(self, claims: Sequence[Claim], fetched: Fetched, stopping: Callable[[], bool]) -> None:
        """Fetch these; where that fails, halve them to find the page that the source chokes on."""
        try:
            for claim, result in zip(claims, self._source.fetch([claim.key for claim in claims]), strict=True):
                fetched.results[claim.seq] = result
            self._good_title = claims[0].key
        except SourceUnavailable as error:
            self._failed_calls += 1
            if error.fault not in _MAY_BE_THE_PAGE or self._failed_calls > _FAILED_CALLS or stopping():
                raise
            # If the source does not answer for another title either, it is away: that raises.
            self._source.fetch([self._good_title if self._good_title != claims[0].key else _ANY_TITLE])
            if len(claims) == 1:
                fetched.retries.append(Retry(claims[0], str(error), error.retry_after_seconds))
                return
            middle = len(claims) // 2
            self._ask(claims[:middle], fetched, stopping)
            self._ask(claims[middle:], fetched, stopping)

    def _next_pause(self) -> float:
        self._outages += 1
        return min(self._longest, self._pause * 2.0 ** min(self._outages - 1, 30))
