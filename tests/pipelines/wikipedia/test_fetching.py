"""A source that is away is told apart from a page that it chokes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import pytest

from graphvine.records import Claim
from graphvine.workers.wikipedia.errors import Fault, SourceUnavailable
from graphvine.workers.wikipedia.fetch import Fetched, Fetcher
from graphvine.workers.wikipedia.site import SiteRules
from graphvine.workers.wikipedia.sources import Missing, Result

CLAIMS = [Claim("article", f"Page {number}", number, 1, "claimed") for number in range(20)]


class Moody:
    """A source that answers, or fails as it is told: by the titles asked and the number of the call."""

    name, batch_size = "moody", 8

    def __init__(self, fails: Callable[[Sequence[str], int], Fault | None]) -> None:
        self._fails, self.calls = fails, 0

    def rules(self) -> SiteRules:
        return SiteRules()

    def fetch(self, titles: Sequence[str]) -> list[Result]:
        self.calls += 1
        fault = self._fails(titles, self.calls)
        if fault is not None:
            raise SourceUnavailable(self.name, fault, "told to", 9.0 if fault == "too_many_requests" else None)
        return [Missing(title, title) for title in titles]

    def changed_since(self, revisions: Mapping[str, int]) -> set[str]:
        return set()

    def close(self) -> None:
        """Holds nothing."""


def whole(parts: Iterable[Fetched]) -> Fetched:
    """All parts as one."""
    joined = Fetched()
    for part in parts:
        joined.results |= part.results
        joined.retries += part.retries
        joined.postponed += part.postponed
    return joined


def fetcher(fails: Callable[[Sequence[str], int], Fault | None]) -> Fetcher:
    return Fetcher(Moody(fails), 2.0, 100.0)


@pytest.mark.parametrize("guilty", [["Page 0"], ["Page 5"], ["Page 3", "Page 12"], ["Page 7", "Page 8", "Page 9"]])
def test_only_the_pages_that_break_the_answer_pay(guilty: list[str]) -> None:
    fetched = whole(fetcher(lambda titles, _: "server_error" if set(guilty) & set(titles) else None).fetch(CLAIMS))
    assert [retry.claim.key for retry in fetched.retries] == guilty
    assert len(fetched.results) == len(CLAIMS) - len(guilty) and not fetched.postponed


def test_a_single_page_that_breaks_the_answer_pays_too() -> None:
    fetched = whole(fetcher(lambda titles, _: "cut_body" if "Page 4" in titles else None).fetch([CLAIMS[4]]))
    assert [retry.claim.key for retry in fetched.retries] == ["Page 4"]


@pytest.mark.parametrize("fault", ["connection", "too_many_requests", "maxlag", "server_error", "timeout"])
def test_nobody_pays_for_a_source_that_is_away(fault: Fault) -> None:
    moody = fetcher(lambda titles, call: fault if call > 1 else None)
    fetched = whole(moody.fetch(CLAIMS))
    assert not fetched.retries and len(fetched.results) == 8
    assert [postponed.claim for postponed in fetched.postponed] == CLAIMS[8:]
    assert fetched.postponed[0].after_seconds == (9.0 if fault == "too_many_requests" else 2.0)


def test_pauses_double_up_to_a_limit_and_end_with_an_answer() -> None:
    well = False
    moody = fetcher(lambda titles, _: None if well else "connection")
    pauses = [whole(moody.fetch(CLAIMS[:1])).postponed[0].after_seconds for _ in range(8)]
    assert pauses == [2, 4, 8, 16, 32, 64, 100, 100]
    well = True
    assert not whole(moody.fetch(CLAIMS[:1])).postponed
    well = False
    assert whole(moody.fetch(CLAIMS[:1])).postponed[0].after_seconds == 2


def test_a_source_that_goes_while_the_guilty_page_is_sought_costs_nobody_else() -> None:
    def fails(titles: Sequence[str], call: int) -> Fault | None:
        return "connection" if call > 5 else "server_error" if "Page 2" in titles else None

    fetched = whole(fetcher(fails).fetch(CLAIMS[:8]))
    assert {retry.claim.key for retry in fetched.retries} <= {"Page 2"}
    answered = {*fetched.results, *(retry.claim.seq for retry in fetched.retries)}
    assert answered | {postponed.claim.seq for postponed in fetched.postponed} == set(range(8))


def test_the_search_for_guilty_pages_is_bounded() -> None:
    moody = Moody(lambda titles, _: None if titles == ["Main Page"] else "timeout")
    whole(Fetcher(moody, 2.0, 100.0).fetch(CLAIMS))
    assert moody.calls < 60


def test_a_stop_ends_the_fetching() -> None:
    fetched = whole(fetcher(lambda titles, _: None).fetch(CLAIMS, stopping=lambda: True))
    assert not fetched.results and not fetched.postponed and not fetched.retries
