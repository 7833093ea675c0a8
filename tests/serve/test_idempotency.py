"""Each unit is done once, whatever happens to its answer: lost on the way, or with the daemon that had it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import graphvine
from graphvine.errors import UnitFailed
from graphvine.graph import Graph
from graphvine.records import Step, Unit
from graphvine.service_file import announce, token_of, withdraw
from graphvine.settings import Settings
from graphvine.workers.serve.app_state import AppState
from graphvine.workers.serve.http_server import HttpServer
from graphvine.workers.serve.idempotency import Idempotency, OldNumber
from graphvine.workers.serve.settings import ServeSettings
from tests.conformance.test_units import failing
from tests.support.articles import keys, linking, links, states, take_one
from tests.support.cutting import CuttingProxy
from tests.support.shared_graphs import TOKEN, Served
from tests.support.stores import QUICK, Place
from tests.support.threads import together
from tests.support.waiting import WAIT_LIMIT, eventually


def seeding(graph: Graph, title: str, kept: Any) -> Any:
    unit = Unit.of([Step("article.seed", {"rows": [{"title": title, "seq": 0}], "now": 0})])
    return graph.store.run(unit, lambda result: kept({"rows": list(result.rows), "held": []})).rows[0][0]["created"]


def test_a_number_is_done_once_and_answered_as_often_as_it_is_asked(graph: Graph) -> None:
    idempotency = Idempotency(graph)
    assert [idempotency.once("lane", 1, again, lambda kept: seeding(graph, "a", kept)) for again in (False, True, False)] == [
        True, True, True,
    ]  # fmt: skip


def test_after_a_restart_the_receipt_answers(graph: Graph) -> None:
    Idempotency(graph).once("lane", 1, False, lambda kept: seeding(graph, "a", kept))

    def never(kept: Any) -> Any:
        raise AssertionError("done twice")

    found = Idempotency(graph).once("lane", 1, True, never)
    assert found["rows"][0][0]["created"] is True


def test_what_was_never_done_is_done_when_asked_again(graph: Graph) -> None:
    Idempotency(graph).once("lane", 1, False, lambda kept: seeding(graph, "a", kept))
    assert Idempotency(graph).once("lane", 2, True, lambda kept: seeding(graph, "b", kept)) is True
    assert set(states(graph)) == {"a", "b"}


def test_a_number_of_the_past_is_refused(graph: Graph) -> None:
    idempotency = Idempotency(graph)
    idempotency.once("lane", 2, False, lambda kept: seeding(graph, "a", kept))
    with pytest.raises(OldNumber):
        idempotency.once("lane", 1, False, lambda kept: seeding(graph, "b", kept))
    assert set(states(graph)) == {"a"}


def test_one_that_comes_while_it_is_in_work_waits_for_it(graph: Graph) -> None:
    idempotency, begun, go = Idempotency(graph), threading.Event(), threading.Event()

    def slow(kept: Any) -> Any:
        begun.set()
        assert go.wait(WAIT_LIMIT)
        return seeding(graph, "a", kept)

    def second() -> Any:
        assert begun.wait(WAIT_LIMIT)
        threading.Timer(0.05, go.set).start()
        return idempotency.once("lane", 1, True, lambda kept: pytest.fail("done twice"))

    assert together([lambda: idempotency.once("lane", 1, False, slow), second]) == [True, True]


def test_a_failure_is_answered_again_too(graph: Graph) -> None:
    idempotency = Idempotency(graph)
    for again in (False, True):
        with pytest.raises(UnitFailed):
            idempotency.once("lane", 1, again, lambda kept: graph.run(Unit.of([failing(graph)])))


def test_a_large_answer_is_kept_without_its_rows(graph: Graph) -> None:
    import secrets

    rows = [{"key": secrets.token_hex(40)} for _ in range(20_000)]

    def work(kept: Any) -> Any:
        step = kept({"rows": [rows], "held": [1, 2]})
        graph.run(Unit.of([step]))
        return "whole"

    Idempotency(graph).once("lane", 1, False, work)
    assert Idempotency(graph).once("lane", 1, True, work) == {"rows": [[]], "held": [1, 2]}


def test_old_receipts_are_dropped_and_new_ones_stay(graph: Graph, clock: Any) -> None:
    Idempotency(graph).once("old", 1, False, lambda kept: seeding(graph, "a", kept))
    clock.forward(25 * 3600)
    Idempotency(graph).once("new", 1, False, lambda kept: seeding(graph, "b", kept))
    Idempotency(graph).drop_old()
    assert [graph.read("graph.receipt", lane=lane) != [] for lane in ("old", "new")] == [False, True]


@pytest.fixture
def cut(served: Served) -> Iterator[tuple[Graph, CuttingProxy]]:
    """A graph whose line to the daemon can be cut."""
    with CuttingProxy("127.0.0.1", served.http_server.port) as proxy:
        # The proxy has another port, and the service looks at the Host: so it is told of it.
        served.http_server.app_state.settings.allowed_hosts.append("127.0.0.1")
        with graphvine.open(f"http://:{TOKEN.replace(' ', '%20')}@127.0.0.1:{proxy.port}") as graph:
            yield graph, proxy


def test_an_answer_that_is_lost_costs_nothing(served: Served, cut: tuple[Graph, CuttingProxy]) -> None:
    graph, proxy = cut
    proxy.cut_next("/engine/unit")
    assert graph.seed("article", ["a", "b"]) == 2, "done once: the second time they would not be new"
    claims = graph.claims("article", "w")
    proxy.cut_next("/engine/claim")
    assert keys(claims.claim(2)) == ["a", "b"], "what was claimed is not lost with the answer"
    held = graph.query("MATCH (a:Article) WHERE a.lease > 0 RETURN count(*)").rows
    assert held == [[2]]
    claims.release(claims.claim(1))
    proxy.cut_next("/engine/read")
    assert graph.read("article.counts")
    proxy.cut_next("/engine/query")
    assert graph.query("MATCH (a:Article) RETURN count(*)").rows == [[2]]
    assert proxy.cuts == 4


def test_a_finish_whose_answer_is_lost_is_no_lost_claim(served: Served, cut: tuple[Graph, CuttingProxy]) -> None:
    graph, proxy = cut
    graph.seed("article", ["a"])
    claims = graph.claims("article", "w")
    claim = take_one(claims)
    proxy.cut_next("/engine/unit")
    claims.complete(claim, linking(graph, claim, ["x", "y"]))
    assert states(graph) == {"a": "processed", "x": "discovered", "y": "discovered"}
    assert links(graph) == [("a", "x"), ("a", "y")]


def test_a_typed_write_whose_answer_is_lost_is_told_and_not_repeated(
    served: Served, cut: tuple[Graph, CuttingProxy]
) -> None:
    from graphvine.engines.http.connection import AnswerLost

    graph, proxy = cut
    proxy.cut_next("/engine/execute")
    with pytest.raises(AnswerLost, match="look whether it was done"):
        graph.execute("CREATE (:Article {title: 'typed'})")
    assert set(states(graph)) <= {"typed"}


def test_who_asks_waits_for_a_service_that_is_started_anew(place: Place) -> None:
    first = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0))
    port = first.http_server.port
    with graphvine.open(first.with_token) as graph:
        graph.seed("article", ["a", "b"])
        claims = graph.claims("article", "w")
        one = take_one(claims)
        first.http_server.close()
        first.graph.close()
        again: list[Served] = []

        def start() -> int:
            again.append(Served(place.path, Settings(**QUICK), serve=ServeSettings(port=port)))
            return 0

        try:
            together([start, lambda: claims.complete(one) or 0, lambda: graph.seed("article", ["c"])])
            assert states(graph) == {"a": "processed", "b": "discovered", "c": "discovered"}
        finally:
            for served in again:
                served.close()


def test_a_service_that_stays_away_is_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    from graphvine.engines.http.connection import StoreAway

    monkeypatch.setenv("GRAPHVINE_HTTP_WAIT_SECONDS", "0.2")
    served = Served(place.path, Settings(**QUICK), serve=ServeSettings(port=0))
    graph = graphvine.open(served.with_token)
    served.http_server.close()
    served.graph.close()
    with pytest.raises(StoreAway, match="start 'graphvine serve' again"):
        graph.read("article.counts")
    graph.close()


def test_a_daemon_that_runs_and_does_not_answer_yet_is_waited_for(
    graph: Graph, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its file is not free, however long that takes."""
    monkeypatch.setattr("graphvine.engines.http.engine._FIRST_WAIT_SECONDS", 0.01)
    http_server = HttpServer(AppState(ServeSettings(port=0), token_of(graph.where), "a test"))
    http_server.open()
    try:
        announce(graph.where, http_server.address, what="a test", version="1")
        with ThreadPoolExecutor(1) as pool:
            opening = pool.submit(graphvine.open, graph.where)
            eventually(lambda: caplog.text.count("waiting for it") > 2)
            http_server.app_state.enter(graph)
            with opening.result(WAIT_LIMIT) as other:
                assert other.engine.name == "http"
    finally:
        http_server.close(wait=False)
        withdraw(graph.where)


def test_a_wrong_token_and_a_stranger_are_told_apart(served: Served) -> None:
    from graphvine.engines.http.connection import TokenRefused
    from graphvine.errors import SettingsError

    with pytest.raises(TokenRefused, match="GRAPHVINE_TOKEN"):
        graphvine.open(served.address)
    addresses = (
        "http://", "http://127.0.0.1:99999", "http://127.0.0.1/a/path", "http://:secret@/",
        "http://:secret@not a host", "http://a\x00b",
    )  # fmt: skip
    for address in addresses:
        with pytest.raises(SettingsError, match="is not a valid address") as raised:
            graphvine.open(address)
        assert "secret" not in str(raised.value)
