"""Each fault of a wiki gets its name, and says whether and when to come again."""

from __future__ import annotations

import threading

import pytest

from graphvine.workers.wikipedia.api import MediaWikiSource
from graphvine.workers.wikipedia.errors import SourceRefused, SourceUnavailable
from graphvine.workers.wikipedia.sources import Page
from tests.lanes.mediawiki import faulty_proxy as faults
from tests.lanes.mediawiki.conftest import HASTY, PATIENT
from tests.lanes.mediawiki.faulty_proxy import Fault, FaultyProxy
from tests.lanes.mediawiki.server import TestWiki


def unavailable(source: MediaWikiSource) -> SourceUnavailable:
    with pytest.raises(SourceUnavailable) as caught:
        source.fetch(["Vine"])
    return caught.value


def works(source: MediaWikiSource) -> bool:
    return isinstance(source.fetch(["Vine"])[0], Page)


def test_lag_of_the_database_is_told_with_the_time_to_wait(source: MediaWikiSource, wiki: TestWiki) -> None:
    source.rules()
    with wiki.faults(lag_seconds=30):
        error = unavailable(source)
    assert (error.fault, error.retry_after_seconds) == ("maxlag", 5)
    assert "30 s" in str(error)
    assert works(source)


def test_a_wiki_that_is_read_only_can_be_read(source: MediaWikiSource, wiki: TestWiki) -> None:
    with wiki.faults(readonly="The disk is being replaced."):
        assert works(source)


def hasty(url: str) -> MediaWikiSource:
    """A source that already knows its wiki, and has no patience with it from now on."""
    made = MediaWikiSource(url, limits=PATIENT)
    made.rules()
    made._connection._limits = HASTY
    return made


def works_again(source: MediaWikiSource) -> bool:
    source._connection._limits = PATIENT
    return works(source)


def test_a_slow_answer_is_a_time_out(wiki: TestWiki) -> None:
    source = hasty(wiki.url)
    with wiki.faults(sleep_seconds=3):
        assert unavailable(source).fault == "timeout"
    assert works_again(source)
    source.close()


def test_a_server_that_hangs_is_a_time_out(wiki: TestWiki) -> None:
    source = hasty(wiki.url)
    with wiki.hanging():
        assert unavailable(source).fault == "timeout"
    assert works_again(source)
    source.close()


def test_an_answer_that_comes_byte_by_byte_is_a_time_out(proxy: FaultyProxy) -> None:
    source = hasty(proxy.url)
    with proxy.failing(faults.drip):
        assert unavailable(source).fault == "timeout"
    assert works_again(source)
    source.close()


def test_a_server_that_is_gone_is_no_connection(source: MediaWikiSource, wiki: TestWiki) -> None:
    assert works(source)
    with wiki.down():
        assert unavailable(source).fault == "connection"
    assert works(source)


def test_a_server_without_its_database_is_a_server_error(source: MediaWikiSource, wiki: TestWiki) -> None:
    assert works(source)
    with wiki.without_database():
        assert unavailable(source).fault == "server_error"
    assert works(source)


@pytest.mark.parametrize(
    ("fault", "name", "wait"),
    [
        (faults.status(429, Retry_After="17"), "too_many_requests", 17),
        (faults.status(429), "too_many_requests", None),
        (faults.status(429, Retry_After="soon"), "too_many_requests", None),
        (faults.status(503, Retry_After="3"), "server_error", 3),
        (faults.status(500), "server_error", None),
        (faults.status(504), "timeout", None),
        (faults.api_error("ratelimited"), "ratelimited", None),
        (faults.api_error("readonly"), "readonly", None),
        (faults.api_error("maxlag"), "maxlag", None),
        (faults.api_error("internal_api_error_DBQueryError"), "server_error", None),
        (faults.api_error("internal_api_error_Exception"), "server_error", None),
        (faults.says(b"<html>Come back later</html>"), "bad_json", None),
        (faults.says(b"[1, 2]"), "bad_json", None),
        (faults.says(b'{"query": 5}'), "bad_json", None),
        (faults.says(b'{"query": {"pages": [{"title": "Vine", "revisions": [5]}]}}'), "bad_json", None),
        (faults.says(b'{"query": {}, "continue": {"plcontinue": "x"}}'), "endless_continuation", None),
        (faults.cut_by_length, "cut_body", None),
        (faults.cut_in_chunk, "cut_body", None),
        (faults.cut_without_length, "bad_json", None),
        (faults.hang_up, "connection", None),
    ],
)  # fmt: skip
def test_what_passes_is_unavailable(
    through: MediaWikiSource, proxy: FaultyProxy, fault: Fault, name: str, wait: float | None
) -> None:
    with proxy.failing(fault):
        error = unavailable(through)
    assert (error.fault, error.retry_after_seconds) == (name, wait)
    assert works(through)


def test_a_date_to_come_again_becomes_seconds(through: MediaWikiSource, proxy: FaultyProxy) -> None:
    with proxy.failing(faults.status(429, Retry_After="Fri, 31 Dec 9999 23:59:59 GMT")):
        assert unavailable(through).retry_after_seconds == 24 * 3600
    with proxy.failing(faults.status(429, Retry_After="Fri, 31 Dec 1999 23:59:59 GMT")):
        assert unavailable(through).retry_after_seconds == 0


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        (faults.status(403), "wikipedia.contact"),
        (faults.status(404), "api.php"),
        (faults.status(301, Location="https://elsewhere.example/api.php"), "elsewhere.example"),
        (faults.api_error("readapidenied"), "private"),
        (faults.says(b"MediaWiki API is not enabled for this site."), "switched off"),
    ],
)
def test_what_stays_is_refused_with_advice(
    through: MediaWikiSource, proxy: FaultyProxy, fault: Fault, word: str
) -> None:
    with proxy.failing(fault), pytest.raises(SourceRefused, match=word):
        through.fetch(["Vine"])


def test_a_fault_in_the_middle_of_a_continuation_gives_no_half_page(
    through: MediaWikiSource, proxy: FaultyProxy
) -> None:
    with proxy.failing(faults.status(500), passes=1), pytest.raises(SourceUnavailable):
        through.fetch(["Many links"])


def test_faults_are_not_tried_again_here(through: MediaWikiSource, proxy: FaultyProxy) -> None:
    """Retrying belongs to the queue; only a connection that was closed is opened once more."""
    for fault, calls in ((faults.status(500), 1), (faults.status(429), 1), (faults.hang_up, 2)):
        before = len(proxy.requests)
        with proxy.failing(fault):
            unavailable(through)
        assert len(proxy.requests) - before == calls


def test_every_call_names_us_and_sends_maxlag(through: MediaWikiSource, proxy: FaultyProxy) -> None:
    through.fetch(["Chain 1", "Many links"])
    through.changed_since({"Vine": 1})
    assert len(proxy.requests) >= 5
    for headers, fields in proxy.requests:
        assert headers["User-Agent"] == "graphvine/9.9 (mailto:test@example.org) mwclient"
        assert fields["maxlag"] == "5"


def test_one_call_for_fifty_pages_with_all_their_parts(through: MediaWikiSource, proxy: FaultyProxy) -> None:
    before = len(proxy.requests)
    through.fetch([f"Page {number}" for number in range(50)])
    assert len(proxy.requests) - before == 1


def test_a_time_out_while_the_site_is_first_asked(proxy: FaultyProxy) -> None:
    source = MediaWikiSource(proxy.url, limits=PATIENT)
    with proxy.failing(faults.status(503)), pytest.raises(SourceUnavailable):
        source.fetch(["Vine"])
    assert works(source)
    source.close()


def test_several_threads_share_a_source(through: MediaWikiSource) -> None:
    answers: dict[str, str] = {}

    def fetch(title: str) -> None:
        answers[title] = through.fetch([title])[0].title

    threads = [threading.Thread(target=fetch, args=(title,)) for title in ("Vine", "Wine", "Ivy", "Garden")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {title: title for title in ("Vine", "Wine", "Ivy", "Garden")}


def test_a_stranger_has_to_leave_a_contact() -> None:
    with pytest.raises(SourceRefused, match=r"wikipedia\.contact"):
        MediaWikiSource("https://wiki.example/w/api.php")
